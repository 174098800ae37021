# SPDX-License-Identifier: Apache-2.0
"""Values of a process: any PyObject as the text that repr() would have given, or as plain data.

In: addresses of objects, and a MemoryReader with the layout of the process. Out: `Value` (text, how
exact it is, attributes beside it), variables of frames, plain Python values (`PlainValues`),
addresses that an expression such as `a.b[3]` leads to. A decoder of one type is a function in
`decoders/` or `libraries/`; see there which file takes a new one. How objects lie in memory
(headers, dicts, strings) belongs to `cpython/objects/`; who refers to an object to `cpython/heap/`.
"""
