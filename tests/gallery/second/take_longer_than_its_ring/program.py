# SPDX-License-Identifier: Apache-2.0
"""A field recorder keeps its take in one block that other tools can map: header and samples."""

import ctypes

RATE = 48_000


class Header(ctypes.Structure):
    _fields_ = [("magic", ctypes.c_uint32), ("rate", ctypes.c_uint32), ("written", ctypes.c_uint64)]


class Ring(ctypes.Structure):
    _fields_ = [("header", Header), ("samples", ctypes.c_float * (RATE * 260))]


class Recorder:
    def __init__(self):
        self.ring = Ring()
        self.header = self.ring.header
        self.header.magic = 0x52494E47
        self.header.rate = RATE

    def room(self):
        used = self.header.written * ctypes.sizeof(ctypes.c_float)
        return ctypes.sizeof(self.ring) - ctypes.sizeof(Header) - used

    def make_room(self, size):
        """Enlarge the block for a take that goes on for longer than planned."""
        ctypes.resize(self.ring, ctypes.sizeof(self.ring) * 4 + size)

    def write(self, samples):
        size = len(samples) * ctypes.sizeof(ctypes.c_float)
        if self.room() < size:
            self.make_room(size)
        self.header.written += len(samples)


def record(recorder, minutes):
    second = [0.0] * (RATE * 20)
    for _ in range(minutes * 3):
        recorder.write(second)
    return recorder.header.written


print(record(Recorder(), 10))
