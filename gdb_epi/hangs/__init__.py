# SPDX-License-Identifier: Apache-2.0
"""What a process that was ended from outside, or looked at as it ran, was doing: is it stuck?

In come a target, its Python state and the waits for locks; out comes what each thread does
(thread_activities.py: a lock, an event, a descriptor, a child, a timer, or running) and one answer
(diagnose_hang.py): deadlock, hang, nothing wrong, or why that cannot be told. Ordinary crashes
never come here. `loops/` has what a loop tells, `dry_run/` follows Python code, `processes/` has
the waits for other processes. How much an answer counts is for `judgement/`; who owns a lock is
settled in `locks/`.
"""
