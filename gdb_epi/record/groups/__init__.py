# SPDX-License-Identifier: Apache-2.0
"""Groups of the record, one file each; `gdb_epi/record/registry.py` says how to add one."""
