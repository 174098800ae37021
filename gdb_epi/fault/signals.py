# SPDX-License-Identifier: Apache-2.0
"""Signals of Linux (x86-64, aarch64): numbers, si_code values, CPU trap numbers, names."""

from __future__ import annotations

SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV = 4, 5, 6, 7, 8, 11
FATAL = frozenset((SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV))
SIGXCPU, SIGXFSZ = 24, 25
MAX_SIGNAL = 64  # the number of the last real-time signal
SIGSYS, SYS_SECCOMP = 31, 1  # raised by the kernel, but for no memory or instruction
SEGV_MAPERR, SEGV_ACCERR, SI_KERNEL = 1, 2, 128
SEGV_PKUERR, SEGV_CPERR, SI_TIMER = 4, 10, -2
BUS_ADRALN, BUS_ADRERR, BUS_OBJERR, BUS_MCEERR_AR, BUS_MCEERR_AO = 1, 2, 3, 4, 5
ILL_ILLOPC, ILL_ILLOPN, FPE_INTDIV = 1, 2, 1
# Trap numbers of x86 (SDM volume 3, table 6-1).
DIVIDE_ERROR, INVALID_OPCODE, STACK_FAULT, PROTECTION_FAULT, PAGE_FAULT = 0, 6, 12, 13, 14
# Traps after which the kernel writes a signal with a code below SI_KERNEL, by signal. SIGABRT it
# never writes (linux arch/x86/kernel/traps.c, arch/x86/mm/fault.c).
TRAPS_OF = {
    SIGILL: (INVALID_OPCODE,),
    SIGTRAP: (1, 3),
    SIGBUS: (PAGE_FAULT, 17),
    SIGFPE: (DIVIDE_ERROR, 16, 19),
    SIGSEGV: (PAGE_FAULT, 5, 21),
}
# Those after which the code is SI_KERNEL.
TRAPS_WITHOUT_CODE = {SIGTRAP: (3,), SIGBUS: (11, STACK_FAULT), SIGSEGV: (4, 10, PROTECTION_FAULT)}
SIGNAL_NAMES = {
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS",
    8: "SIGFPE", 9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE",
    14: "SIGALRM", 15: "SIGTERM", 16: "SIGSTKFLT", 17: "SIGCHLD", 18: "SIGCONT", 19: "SIGSTOP",
    20: "SIGTSTP", 21: "SIGTTIN", 22: "SIGTTOU", 23: "SIGURG", 24: "SIGXCPU", 25: "SIGXFSZ",
    26: "SIGVTALRM", 27: "SIGPROF", 28: "SIGWINCH", 29: "SIGIO", 30: "SIGPWR", 31: "SIGSYS",
}  # fmt: skip


def signal_name(signo: int) -> str:
    """Return SIGSEGV and so on; "signal 35" for an unnamed one."""
    return SIGNAL_NAMES.get(signo, f"signal {signo}")
