# SPDX-License-Identifier: Apache-2.0
"""Where CPython keeps things: offsets of struct members by version and build.

In: the shipped tables (`generated/`) and the words that a core of 3.13+ holds itself. Out: a
`Layout`, which answers for fields, sizes and constants; a field that a version lacks is None, so
that decoders never compare versions. `struct_specs` says what a table holds, and writes one.
"""
