# SPDX-License-Identifier: Apache-2.0
"""Run a command until it crashes or hangs; say how often, and whether it is the crash wanted.

In go a command and an expectation, out come runs, a rate with its interval, and reports of them
(text, JUnit, GitHub). Cores are examined by a function that the caller passes in; what a record
says and how signatures are made belongs elsewhere.
"""
