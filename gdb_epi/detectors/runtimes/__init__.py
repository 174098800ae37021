# SPDX-License-Identifier: Apache-2.0
"""What a runtime of the process had detected: glibc, CPython, C++, Rust, sanitizers, ctypes.

In comes a ProcessState, out come findings: the runtime's own words, the block or function that they
are about, and which code may have done it. What the signal alone shows does not belong here.
"""
