# SPDX-License-Identifier: Apache-2.0
"""Flip one bit of another process, as a particle or a bad cell would: in memory or a register.

Memory is written through /proc/PID/mem, which the kernel lets a parent do to code that the process
itself cannot write. A register is written by ptrace(2) (x86-64, <sys/user.h>).
"""

from __future__ import annotations

import ctypes
import os
import struct

PTRACE_PEEKUSER, PTRACE_POKEUSER, PTRACE_ATTACH, PTRACE_DETACH = 3, 6, 16, 17
# Words of struct user_regs_struct, in the order of <sys/user.h>.
REGISTERS = (
    "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss"
).split()


def flip_memory(pid: int, address: int, bit: int) -> None:
    """Flip bit `bit` (0 to 63) of the little-endian word at an address."""
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        memory.seek(address + bit // 8)
        (value,) = memory.read(1)
        memory.seek(address + bit // 8)
        memory.write(bytes([value ^ 1 << bit % 8]))


def flip_register(pid: int, register: str, bit: int) -> None:
    """Stop the main thread where it happens to be, flip a bit of one register, let it go on."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    offset = REGISTERS.index(register) * struct.calcsize("Q")

    def ask(request: int, address: int = 0, value: int = 0) -> int:
        ctypes.set_errno(0)
        answer = libc.ptrace(request, pid, address, value)
        if answer == -1 and ctypes.get_errno():
            raise OSError(ctypes.get_errno(), f"ptrace request {request}")
        return int(answer)

    ask(PTRACE_ATTACH)
    os.waitpid(pid, os.WUNTRACED)
    value = ask(PTRACE_PEEKUSER, offset) & (1 << 64) - 1
    ask(PTRACE_POKEUSER, offset, value ^ 1 << bit)
    ask(PTRACE_DETACH)
