# SPDX-License-Identifier: Apache-2.0
"""Hashed str and bytes objects: found in memory, hashed again in bulk, and repaired by one bit.

In: pieces of memory, the layout, the process' hash secret. Out: objects whose contents do not have
the hash that they carry, and the bit that makes them agree. Hashing itself is cpython/objects.
"""
