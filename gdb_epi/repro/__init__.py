# SPDX-License-Identifier: Apache-2.0
"""Run a command until it crashes or hangs; say how often, and whether it is the crash wanted.

In: a command and an expectation. Out: runs, a rate with its interval, and reports about them (text,
JUnit, GitHub). Cores are examined by a function that the caller passes in; what a record says and
how signatures are made belongs elsewhere.
"""
