# SPDX-License-Identifier: Apache-2.0
"""Evidence that memory or a computation was wrong, told apart from ordinary software bugs.

In: a decoded process (`ProcessState`) and what the detectors found. Out: `CheckResults`: evidence,
what was not checked and why, and a score (run_checks.py); the record's group (record_section.py)
and the pages that explain each item (explanation_pages.py). Checks are in checks/, what they know
of memory, code, files and pointers in the other folders. Not here: what failed (fault/), and what
to conclude from the score (judgement/).
"""
