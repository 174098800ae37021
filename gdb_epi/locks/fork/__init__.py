# SPDX-License-Identifier: Apache-2.0
"""Is this process a forked child, and what did the fork leave behind?

In come a target and CPython's state. Out come `ForkEvidence` (signs of glibc, CPython and
multiprocessing, each read once), the threads that vanished with their Python frames, and the
handler that a thread is in. Which lock a vanished thread held is asked in waits/ and families/.
"""
