# SPDX-License-Identifier: Apache-2.0
"""Pings of an echo sounder are collected in pages of mmap(2); what is left over is given back."""

import ctypes
import mmap
import random

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
PAGE = mmap.PAGESIZE
RESERVED = 64 * PAGE


class Ping(ctypes.Structure):
    _fields_ = [("depth", ctypes.c_double), ("angle", ctypes.c_float), ("gain", ctypes.c_float)]


class Ring:
    def __init__(self):
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.base = libc.mmap(None, RESERVED, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
        self.room = RESERVED // ctypes.sizeof(Ping)
        self.pings = (Ping * self.room).from_address(self.base)
        self.count = 0

    def add(self, depth, angle):
        ping = self.pings[self.count]
        ping.depth, ping.angle, ping.gain = depth, angle, 1.0
        self.count += 1

    def trim(self):
        """Give the pages behind the last ping back to the system."""
        used = self.count * ctypes.sizeof(Ping)
        start = used // PAGE * PAGE
        if libc.munmap(self.base + start, RESERVED - start):
            raise OSError(ctypes.get_errno(), "munmap")

    def depths(self):
        return [self.pings[number].depth for number in range(self.count)]


def survey(ring, lines):
    dice = random.Random(7)
    for line in range(lines):
        for angle in range(-40, 41, 4):
            ring.add(30 + dice.random() + line * 0.01, angle)


def main():
    ring = Ring()
    survey(ring, 256)
    print("pings", ring.count, "deepest", max(ring.depths()), flush=True)
    survey(ring, 83)
    ring.trim()
    print("pings", ring.count, "deepest", max(ring.depths()), flush=True)


main()
