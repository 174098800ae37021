# SPDX-License-Identifier: Apache-2.0
"""The questions of `gdb-epi fleet`: values in, values out, no printing.

In: a database (top, show, seen, new, trend, compare) or a `Population` (split, onset, correlate,
verdicts). Out: NamedTuples that the command line, the report and the server show.
Tests of single values belong to `screen`.
"""
