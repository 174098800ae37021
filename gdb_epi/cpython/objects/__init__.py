# SPDX-License-Identifier: Apache-2.0
"""Built-in objects as they lie in memory: dicts, instances, containers, types, hashes.

In: a `MemoryReader` and the address of an object. Out: addresses of keys, values and items, small
ints, `TypeInfo`. Light enough for a cold start: texts like those of `repr()` are made in `values`.
"""
