# SPDX-License-Identifier: Apache-2.0
"""Verbs of `gdb-epi fleet` that find causes: who and what to blame, and since when."""

GROUP = "Find causes"
