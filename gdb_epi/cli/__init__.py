# SPDX-License-Identifier: Apache-2.0
"""The gdb-epi shell command; one file per verb (outside GDB only)."""
