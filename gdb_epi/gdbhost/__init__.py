# SPDX-License-Identifier: Apache-2.0
"""The only package that imports gdb: sessions, targets and the `epi` commands inside GDB.

In come GDB's inferiors, threads, frames and symbols; out go a Target, a Session and shown Reports.
What a command says or a decoder finds belongs elsewhere, so that it works without GDB too. No text
that GDB prints is parsed.
"""
