# SPDX-License-Identifier: Apache-2.0
"""Stacks that people kept as text, GDB backtraces and faulthandler dumps, read and signed.

In comes a text of any origin, hostile ones too; reader.py cuts it into crashes (text_crash.py). Out
come the keys of gsig/2 that the text carries (signing.py), by the rules of
signature/; a key that what the text leaves out could change is absent, with the reason.
"""
