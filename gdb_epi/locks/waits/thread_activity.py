# SPDX-License-Identifier: Apache-2.0
"""What a thread does that waits for no lock: another system call, or running."""

from __future__ import annotations

from gdb_epi.locks.types import Activity
from gdb_epi.target.api import Target, Thread
from gdb_epi.target.derived_registers import is_at_system_call, is_in_system_call


def classify_thread_activity(target: Target, thread: Thread) -> Activity:
    """Tell from the registers whether a thread sleeps in a system call, and in which."""
    register = thread.architecture.call
    number = thread.registers.get(register)
    if number is None or thread.architecture.pc not in thread.registers:
        return Activity(thread.tid, "unknown", "", "the core holds no registers of it")
    if number >> 63 or is_at_system_call(target, thread) is False:
        if thread.call == "sched_yield":
            return Activity(thread.tid, "running", "sched_yield", "it yields: perhaps it spins")
        what = f"no syscall instruction before {thread.architecture.pc}"
        return Activity(thread.tid, "running", "", what)
    if is_in_system_call(target, thread) is False:
        name = thread.call or f"system call {number}"
        return Activity(thread.tid, "running", "", f"{name} has returned")
    if thread.call == "futex":
        return Activity(thread.tid, "futex", "futex", f"{register} {number}")
    name = thread.call or f"system call {number}"
    return Activity(thread.tid, "system call", name, f"{register} {number}: {name}, not a lock")
