# SPDX-License-Identifier: Apache-2.0
"""aarch64 (arm64), little-endian.

Its instructions are not decoded here: what they access is not known, and damage is not judged.
Reference: linux arch/arm64/include/uapi/asm/ptrace.h (user_pt_regs), asm/sigcontext.h,
kernel/signal.c, include/uapi/asm-generic/unistd.h. Tried with cores of Linux 6.1 (Debian 12).
"""

from __future__ import annotations

import struct

from gdb_epi.machine.architecture import Architecture, SignalFrameLayout

_X = tuple(f"x{number}" for number in range(31))
# struct rt_sigframe: siginfo (128 bytes), ucontext, whose sigcontext begins at 176; after its
# words the records of further registers, the first of which is always that of the FPU.
_CONTEXT = ("fault_address", *_X, "sp", "pc", "pstate")
_CONTEXT_AT = 128 + 176
_RECORDS_AT = _CONTEXT_AT + 288
_FPSIMD = struct.pack("<II", 0x46508001, 528)

_CALLS = {
    22: "epoll_pwait", 25: "fcntl", 32: "flock", 56: "openat", 57: "close", 62: "lseek", 63: "read",
    64: "write", 65: "readv", 66: "writev", 67: "pread64", 68: "pwrite64", 69: "preadv",
    70: "pwritev", 71: "sendfile", 72: "pselect6", 73: "ppoll", 82: "fsync", 83: "fdatasync",
    95: "waitid", 98: "futex", 101: "nanosleep", 115: "clock_nanosleep", 124: "sched_yield",
    128: "restart_syscall", 129: "kill", 130: "tkill", 131: "tgkill", 133: "rt_sigsuspend",
    135: "rt_sigprocmask", 137: "rt_sigtimedwait", 138: "rt_sigqueueinfo", 139: "rt_sigreturn",
    182: "mq_timedsend", 183: "mq_timedreceive", 188: "msgrcv", 189: "msgsnd", 192: "semtimedop",
    193: "semop", 202: "accept", 203: "connect", 206: "sendto", 207: "recvfrom", 211: "sendmsg",
    212: "recvmsg", 81: "sync",
    214: "brk", 215: "munmap", 216: "mremap", 222: "mmap", 226: "mprotect", 233: "madvise",
    240: "rt_tgsigqueueinfo", 242: "accept4", 260: "wait4", 267: "syncfs", 424: "pidfd_send_signal",
    441: "epoll_pwait2",
}  # fmt: skip


def _ends_with_call(before: bytes) -> bool:
    """Tell whether it is bl, or blr with or without pointer authentication."""
    word = int.from_bytes(before[-4:], "little")
    return word >> 26 == 0b100101 or word & 0xFEFFF000 == 0xD63F0000


AARCH64 = Architecture(
    name="aarch64",
    number=183,
    registers=(*_X, "sp", "pc", "pstate"),
    pc="pc",
    sp="sp",
    frame="x29",
    link="x30",
    ident="pthread",  # the thread descriptor ends at the thread pointer: its size is glibc's
    thread_pointer="tpidr",  # NT_ARM_TLS
    call="syscall",  # x8, where an svc instruction is at pc (to be run again) or before it
    result="x0",
    number_in="x8",
    arguments=("x0", "x1", "x2", "x3", "x4", "x5"),
    system_call=bytes.fromhex("010000d4"),  # svc #0
    calls=_CALLS,
    often_refused={
        97: "unshare",
        117: "ptrace",
        198: "socket",
        220: "clone",
        221: "execve",
        235: "mbind",
        241: "perf_event_open",
        278: "getrandom",
        279: "memfd_create",
        280: "bpf",
        291: "statx",
        293: "rseq",
        425: "io_uring_setup",
        435: "clone3",
        437: "openat2",
        439: "faccessat2",
    },
    general=(*_X, "sp"),
    call_pushes=False,
    user_top=1 << 48,
    large_user_top=1 << 52,
    reports_wild=True,
    descriptor_self=(),
    canary_at=None,  # a variable of ld.so holds it
    signal_frame=SignalFrameLayout(
        marker=_FPSIMD,
        marker_at=_RECORDS_AT,
        words=_CONTEXT,
        words_at=_CONTEXT_AT,
        siginfo_at=0,
        size=_RECORDS_AT + 528 + 16,
    ),
    is_call=_ends_with_call,
    mutex_size=48,
    decodes=False,
)
