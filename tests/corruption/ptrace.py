# SPDX-License-Identifier: Apache-2.0
"""Stop a running process, step it by instructions and change its registers (ptrace by ctypes)."""

from __future__ import annotations

import ctypes
import os
import signal
import threading

SINGLESTEP, GETREGS, SETREGS, DETACH = 9, 12, 13, 17
SEIZE, INTERRUPT = 0x4206, 0x4207
OPTION_EXITKILL = 1 << 20
MAX_SECONDS = 60.0  # of one process; most need less than one
# struct user_regs_struct (sys/user.h)
NAMES = (
    "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx",
    "rsi", "rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base",
    "ds", "es", "fs", "gs",
)  # fmt: skip


class Registers(ctypes.Structure):
    """General registers of a stopped thread."""

    _fields_ = tuple((name, ctypes.c_uint64) for name in NAMES)


class TraceFailed(Exception):
    """The process could not be stopped, stepped or changed."""


_PTRACE = ctypes.CDLL(None, use_errno=True).ptrace
_PTRACE.restype = ctypes.c_long
_PTRACE.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def _ask(request: int, pid: int, address: int | None = None, data: object = None) -> None:
    if _PTRACE(request, pid, address, data) < 0:
        error = ctypes.get_errno()
        raise TraceFailed(f"ptrace request {request}: {os.strerror(error)}")


class Traced:
    """A process that was stopped; it goes on when this context ends."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._alive = True
        self._pending = 0
        # A step over a system call that waits (a futex) may take for ever.
        self._limit = threading.Timer(MAX_SECONDS, os.kill, (pid, signal.SIGKILL))
        self._limit.daemon = True

    def __enter__(self) -> Traced:
        _ask(SEIZE, self.pid, None, OPTION_EXITKILL)
        self._limit.start()
        try:
            _ask(INTERRUPT, self.pid)
            self._wait()
        except TraceFailed:
            self._limit.cancel()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._limit.cancel()
        if self._alive:
            _ask(DETACH, self.pid, None, self._pending)

    def _wait(self) -> int:
        _, status = os.waitpid(self.pid, 0x40000000)  # __WALL
        if not os.WIFSTOPPED(status):
            self._alive = False
            raise TraceFailed(f"the process ended ({status})")
        return os.WSTOPSIG(status)

    def registers(self) -> Registers:
        """Return the registers."""
        now = Registers()
        _ask(GETREGS, self.pid, None, ctypes.addressof(now))
        return now

    def set_registers(self, registers: Registers) -> None:
        """Change the registers."""
        _ask(SETREGS, self.pid, None, ctypes.addressof(registers))

    def step(self) -> bool:
        """Run one instruction; False when it raised a signal, which is then delivered."""
        _ask(SINGLESTEP, self.pid)
        got = self._wait()
        if got == signal.SIGTRAP:
            return True
        self._pending = got
        return False
