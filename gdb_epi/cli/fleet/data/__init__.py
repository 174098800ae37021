# SPDX-License-Identifier: Apache-2.0
"""Verbs of `gdb-epi fleet` for its data: what comes in, what goes, and what is wrong with it."""

GROUP = "Data"
