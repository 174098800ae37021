# SPDX-License-Identifier: Apache-2.0
"""Gives C code a FILE* whose bytes arrive in Python: fopencookie(3)."""

import ctypes
import gc

libc = ctypes.CDLL(None, use_errno=True)

READ = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
WRITE = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
SEEK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
CLOSE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class Functions(ctypes.Structure):
    _fields_ = [("read", READ), ("write", WRITE), ("seek", SEEK), ("close", CLOSE)]


libc.fopencookie.argtypes = [ctypes.c_void_p, ctypes.c_char_p, Functions]
libc.fopencookie.restype = ctypes.c_void_p
libc.fputs.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
libc.fflush.argtypes = [ctypes.c_void_p]


class Journal:
    """What C code prints, as lines."""

    def __init__(self):
        self.parts = []
        self.stream = self._open()

    def _open(self):
        def write(_cookie, start, size):
            self.parts.append(ctypes.string_at(start, size))
            return size

        functions = Functions(write=WRITE(write))
        stream = libc.fopencookie(None, b"w", functions)
        libc.fputs(b"opened\n", stream)
        libc.fflush(stream)
        return stream

    def put(self, line):
        libc.fputs(line.encode() + b"\n", self.stream)

    def lines(self):
        libc.fflush(self.stream)
        return b"".join(self.parts).decode().splitlines()


def converters():
    """Other closures of the same program, for sorting in C."""
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    return [compare(lambda left, right, step=step: step) for step in range(4)]


def main():
    journal = Journal()
    gc.collect()
    kept = converters()
    for number in range(40):
        journal.put("converted sheet %d" % number)
    kept.clear()
    print(len(journal.lines()))


main()
