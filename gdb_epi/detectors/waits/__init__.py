# SPDX-License-Identifier: Apache-2.0
"""Threads that wait: locks, circles, hangs, and what a fork left behind.

In comes the state of a process (its locks, its fork, the answer of `hangs`), out come findings.
"""
