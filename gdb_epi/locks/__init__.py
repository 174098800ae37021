# SPDX-License-Identifier: Apache-2.0
"""Who waits for what, who owns it, and whether this process is a forked child.

In come a target and, where it was decoded, CPython's state. Out comes one `LockReport` (types.py),
made by examine_locks.py: first the fork and what it left behind (fork/), then for each thread the
families that recognise its wait (families/), the owner and verdict of each wait and the cycles
(waits/), with the help of Python's own objects (python/). What a report means for the crash is for
detectors and the verdict.
"""
