# SPDX-License-Identifier: Apache-2.0
"""The only package that imports gdb: sessions, targets and the `epi` commands inside GDB.

In: GDB's inferiors, threads, frames and symbols. Out: a Target, a Session and printed Reports. What
a command says or a decoder finds belongs elsewhere, so that it works without GDB too. No text that
GDB prints is parsed.
"""
