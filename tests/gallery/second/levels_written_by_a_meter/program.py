# SPDX-License-Identifier: Apache-2.0
"""Levels of a sound desk: a compiled meter writes them, Python shows them on boards."""

import array
import ctypes
import os

meter = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "vumeter.so"))
meter.vumeter_attach.argtypes = [ctypes.c_void_p, ctypes.c_int]
meter.vumeter_tick.argtypes = [ctypes.c_double]


class Desk:
    def __init__(self, channels):
        self.levels = array.array("d", [0.0] * channels)
        address, count = self.levels.buffer_info()
        meter.vumeter_attach(address, count)

    def add_channels(self, count):
        self.levels.extend([0.0] * count)

    def shown(self):
        return " ".join(f"{level:.1f}" for level in self.levels)


def boards(count, lamps):
    return [[f"lamp {number}"] * lamps for number in range(count)]


def light(found):
    return sum(len("".join(board)) for board in found)


def main():
    desk = Desk(12)
    meter.vumeter_tick(3.5)
    print(desk.shown(), flush=True)
    desk.add_channels(20)
    found = boards(500, 12)
    print(light(found), flush=True)
    for tick in range(5):
        meter.vumeter_tick(tick + 0.5)
    print(light(found), flush=True)


main()
