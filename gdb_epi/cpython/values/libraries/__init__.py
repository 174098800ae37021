# SPDX-License-Identifier: Apache-2.0
"""Decoders of types that other people's libraries make: numpy, pandas, pyarrow, torch and others.

As in `decoders/`, which has those of CPython and its standard library, a decoder is a function
(ReprDecoder, Obj) -> the text of repr(); a library gets a file here, and all files are imported.
Their structs are in no layout table: each file says where its offsets come from, for which releases
they were compared, and what tells that an object is of another one. What does not fit is refused.
"""
