# SPDX-License-Identifier: Apache-2.0
"""Native code that goes on from where a thread is: does a jump lead out of its loop? (x86-64)

In comes a `HangContext`; native_loops.py gives a `HangDiagnosis`, or None. native_state.py holds
the registers and memory of such a run, library_calls.py what functions of the C library give.
Loops of Python code are in dry_run/ and loops/.
"""
