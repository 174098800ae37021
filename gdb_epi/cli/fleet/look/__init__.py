# SPDX-License-Identifier: Apache-2.0
"""Verbs of `gdb-epi fleet` that look: which crashes there are, and how many of each."""

GROUP = "Look"
