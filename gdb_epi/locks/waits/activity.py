# SPDX-License-Identifier: Apache-2.0
"""What a thread does that waits for no lock: another system call, or running."""

from __future__ import annotations

from gdb_epi.fault.reads import read_up_to
from gdb_epi.locks.types import Activity
from gdb_epi.target.api import Target, Thread

SYSCALL = b"\x0f\x05"  # the instruction
SYS_FUTEX, SYS_SCHED_YIELD = 202, 24
# x86-64 system calls that sleep, and those by which a process signals itself (abort):
# arch/x86/entry/syscalls/syscall_64.tbl.
CALLS = {
    0: "read", 1: "write", 7: "poll", 17: "pread64", 19: "readv", 20: "writev", 23: "select",
    24: "sched_yield", 34: "pause", 35: "nanosleep", 42: "connect", 43: "accept", 44: "sendto",
    45: "recvfrom", 46: "sendmsg", 47: "recvmsg", 61: "wait4", 62: "kill", 72: "fcntl", 73: "flock",
    74: "fsync", 128: "rt_sigtimedwait", 130: "rt_sigsuspend", 200: "tkill", 219: "restart_syscall",
    230: "clock_nanosleep", 232: "epoll_wait", 234: "tgkill", 247: "waitid", 257: "openat",
    270: "pselect6", 271: "ppoll", 281: "epoll_pwait", 288: "accept4", 441: "epoll_pwait2",
}  # fmt: skip


def activity(target: Target, thread: Thread) -> Activity:
    """Tell from the registers whether a thread sleeps in a system call, and in which."""
    number = thread.registers.get("orig_rax")
    if number is None or "rip" not in thread.registers:
        return Activity(thread.tid, "unknown", "", "the core holds no registers of it")
    before = read_up_to(target, thread.registers["rip"] - 2, 2)
    if number >> 63 or (len(before) == 2 and before != SYSCALL):
        if number == SYS_SCHED_YIELD:
            return Activity(thread.tid, "running", "sched_yield", "it yields: perhaps it spins")
        return Activity(thread.tid, "running", "", "no syscall instruction before rip")
    if number == SYS_FUTEX:
        return Activity(thread.tid, "futex", "futex", f"orig_rax {number}")
    name = CALLS.get(number, f"system call {number}")
    return Activity(thread.tid, "system call", name, f"orig_rax {number}: {name}, not a lock")
