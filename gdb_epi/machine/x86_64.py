# SPDX-License-Identifier: Apache-2.0
"""x86-64.

Reference: linux arch/x86/include/asm/user_64.h, asm/sigframe.h, entry/syscalls/syscall_64.tbl.
"""

from __future__ import annotations

import struct

from gdb_epi.machine.architecture import Architecture, SignalFrameLayout
from gdb_epi.sizes import USER_TOP

# struct rt_sigframe: uc_flags, uc_link, uc_stack, then 23 words of sigcontext; the siginfo follows
# the 304 bytes of the kernel's ucontext.
_CONTEXT = (
    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx",
    "rdx", "rax", "rcx", "rsp", "rip", "eflags", "segments", "error", "trapno", "oldmask", "cr2",
)  # fmt: skip
_CONTEXT_AT = 40

# Calls that sleep or work on memory and files, and those that send a signal or let one through
# (kill ... rt_sigreturn).
_CALLS = {
    0: "read", 1: "write", 2: "open", 3: "close", 7: "poll", 8: "lseek", 9: "mmap", 10: "mprotect",
    11: "munmap", 12: "brk", 14: "rt_sigprocmask", 15: "rt_sigreturn", 17: "pread64",
    18: "pwrite64", 19: "readv", 20: "writev", 23: "select", 24: "sched_yield", 25: "mremap",
    28: "madvise", 34: "pause", 35: "nanosleep", 40: "sendfile", 42: "connect", 43: "accept",
    44: "sendto", 45: "recvfrom", 46: "sendmsg", 47: "recvmsg", 61: "wait4", 62: "kill",
    65: "semop", 69: "msgsnd", 70: "msgrcv",
    72: "fcntl", 73: "flock", 74: "fsync", 75: "fdatasync", 162: "sync", 128: "rt_sigtimedwait",
    129: "rt_sigqueueinfo", 130: "rt_sigsuspend", 200: "tkill", 202: "futex",
    219: "restart_syscall", 220: "semtimedop", 230: "clock_nanosleep", 232: "epoll_wait",
    234: "tgkill", 242: "mq_timedsend", 243: "mq_timedreceive", 247: "waitid", 257: "openat",
    270: "pselect6", 271: "ppoll", 281: "epoll_pwait",
    288: "accept4", 295: "preadv", 296: "pwritev", 297: "rt_tgsigqueueinfo", 306: "syncfs",
    424: "pidfd_send_signal", 441: "epoll_pwait2",
}  # fmt: skip
# Others that sandboxes and container profiles refuse, for sentences alone.
_OFTEN_REFUSED = {
    16: "ioctl", 41: "socket", 49: "bind", 56: "clone", 57: "fork", 58: "vfork",
    59: "execve", 101: "ptrace", 155: "pivot_root", 165: "mount", 166: "umount2", 203:
    "sched_setaffinity", 237: "mbind", 238: "set_mempolicy", 239: "get_mempolicy", 250: "keyctl",
    272: "unshare", 279: "move_pages", 298: "perf_event_open", 302: "prlimit64", 308: "setns",
    310: "process_vm_readv", 312: "kcmp", 316: "renameat2", 317: "seccomp", 318: "getrandom",
    319: "memfd_create", 321: "bpf", 323: "userfaultfd", 332: "statx", 334: "rseq",
    425: "io_uring_setup", 434: "pidfd_open", 435: "clone3", 436: "close_range", 437: "openat2",
    439: "faccessat2", 452: "fchmodat2",
}  # fmt: skip


def _ends_with_call(before: bytes) -> bool:
    """Tell whether a call with a relative target, or through a register or memory, ends there."""
    return before[-5:-4] == b"\xe8" or any(before[-n : 1 - n] == b"\xff" for n in (2, 3, 6, 7))


X86_64 = Architecture(
    name="x86-64",
    number=62,
    registers=tuple(
        "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss "
        "fs_base gs_base ds es fs gs".split()
    ),
    pc="rip",
    sp="rsp",
    frame="rbp",
    link=None,
    ident="fs_base",  # the thread descriptor begins at the thread pointer
    thread_pointer="fs_base",
    call="orig_rax",
    result="rax",
    number_in="rax",
    arguments=("rdi", "rsi", "rdx", "r10", "r8", "r9"),
    system_call=b"\x0f\x05",
    calls=_CALLS,
    often_refused=_OFTEN_REFUSED,
    general=(
        "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
        "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    ),
    call_pushes=True,
    user_top=USER_TOP,
    large_user_top=1 << 56,  # with five levels of page tables
    reports_wild=False,
    canary_at=0x28,  # tcbhead_t
    descriptor_self=(0, 16),
    signal_frame=SignalFrameLayout(
        marker=struct.pack("<HHHH", 0x33, 0, 0, 0x2B),  # cs, gs, fs, ss of 64-bit user code
        marker_at=_CONTEXT_AT + 8 * _CONTEXT.index("segments"),
        words=_CONTEXT,
        words_at=_CONTEXT_AT,
        siginfo_at=304,
        size=304 + 24,
    ),
    is_call=_ends_with_call,
    mutex_size=40,
    decodes=True,
)  # fmt: skip
