# SPDX-License-Identifier: Apache-2.0
"""The groups of the record, one file each: (parts, notes) -> JSON values.

Every file registers its makers with `@group` (gdb_epi/record/registry.py) and is found because it
is in this folder. Code that reads the process stands next to its maker and yields facts without
judgement. SCHEMA.md says what each key means; a test compares the two.
"""
