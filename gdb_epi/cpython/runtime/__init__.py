# SPDX-License-Identifier: Apache-2.0
"""The runtime: interpreters, thread states, the GIL, the collector, modules.

In: a Target. Out: a `PythonState` (`state`), and what commands ask beyond it: each interpreter in
full (`interpreters`), facts of threads, imported modules and their versions. Where lists are
damaged, `recover_threads`, `recover_modules` and `lwp_matching` find what no link leads to.

Frames are walked in `frames`; who waits for which lock is told in `gdb_epi.locks`.
"""
