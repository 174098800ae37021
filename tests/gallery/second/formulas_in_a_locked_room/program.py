# SPDX-License-Identifier: Apache-2.0
"""Formulas of customers are evaluated in a process that may use only few system calls."""

import ctypes
import math
import struct

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, KILL_PROCESS = 0x7FFF0000, 0x80000000
CLOSED = {"connect": 42, "execve": 59, "socket": 41, "uname": 63, "clone": 56, "clone3": 435}


class Room:
    def __init__(self, closed):
        lines = [struct.pack("HBBI", LOAD, 0, 0, 0)]
        for left, number in zip(range(len(closed), 0, -1), closed.values()):
            lines.append(struct.pack("HBBI", JUMP_EQUAL, left, 0, number))
        lines.append(struct.pack("HBBI", RETURN, 0, 0, ALLOW))
        lines.append(struct.pack("HBBI", RETURN, 0, 0, KILL_PROCESS))
        self.rules = ctypes.create_string_buffer(b"".join(lines))
        address = ctypes.addressof(self.rules)
        self.program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(lines), address))

    def lock(self):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")
        if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, self.program, 0, 0):
            raise OSError(ctypes.get_errno(), "seccomp")


def evaluate(formula, values):
    return eval(formula, {"math": math, "__builtins__": {"__import__": __import__}}, values)


def main():
    Room(CLOSED).lock()
    formulas = [
        ("math.sqrt(a) * b", {"a": 2.0, "b": 3.0}),
        ("math.hypot(a, b)", {"a": 3.0, "b": 4.0}),
        ("a if __import__('platform').machine() == 'x86_64' else b", {"a": 1.0, "b": 2.0}),
    ]
    for formula, values in formulas:
        print(formula, "=", evaluate(formula, values), flush=True)


main()
