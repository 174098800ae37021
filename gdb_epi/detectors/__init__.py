# SPDX-License-Identifier: Apache-2.0
"""Detectors, found by the loader, which turn the state of a process into findings.

In comes a `ProcessState`; out come `Finding`s, facts with their subject (registry.py). A detector
rules out the innocent causes that its docstring lists. What a finding is worth is weighed in
judgement/; evidence of damaged memory belongs into corruption/checks/. Each finding has a page in
docs/ (finding_pages.py).
"""
