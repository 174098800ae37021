# SPDX-License-Identifier: Apache-2.0
"""Verbs of `gdb-epi fleet` for every day: what is new, and what was decided about it."""

GROUP = "Every day"
