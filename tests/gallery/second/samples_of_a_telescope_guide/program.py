# SPDX-License-Identifier: Apache-2.0
"""Keeps a telescope on its star: filters the samples of the guide camera, exposure by exposure."""

import array
import ctypes
import enum
import json
import math
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
guide = ctypes.CDLL(str(HERE / "guide.so"))
guide.guide_apply.argtypes = [ctypes.c_uint, ctypes.c_void_p, ctypes.c_size_t]
guide.guide_apply.restype = ctypes.c_double


class Filter(enum.IntEnum):
    MEAN = 0
    PEAK = 1
    SPREAD = 2


class Exposure:
    def __init__(self, number, width=256):
        self.number = number
        centre = width / 2 + 3 * math.sin(number / 5)
        self.samples = array.array(
            "d", (900 * math.exp(-((x - centre) ** 2) / 18) + 40 for x in range(width))
        )

    def apply(self, which):
        address, length = self.samples.buffer_info()
        return guide.guide_apply(which, address, length)


class Guide:
    """The corrections of a night."""

    def __init__(self):
        self.corrections = []

    def calibrate(self, exposures):
        for exposure in exposures:
            for which in Filter:
                exposure.apply(which)

    def follow(self, exposures):
        for exposure in exposures:
            level, top = exposure.apply(Filter.MEAN), exposure.apply(Filter.PEAK)
            seeing = exposure.apply(Filter.SPREAD)
            self.corrections.append(((top - level) / seeing, exposure.number))
        return max(self.corrections)


def announce():
    table = (ctypes.c_void_p * 3).in_dll(guide, "filters")
    entry = ctypes.addressof(table) + Filter.SPREAD * ctypes.sizeof(ctypes.c_void_p)
    told = {"pid": os.getpid(), "memory": [[entry + 4, 3]]}
    (HERE / "ready.new").write_text(json.dumps(told) + "\n")
    os.rename(HERE / "ready.new", HERE / "ready")


def main():
    night = Guide()
    night.calibrate(map(Exposure, range(20)))
    announce()
    sys.stdin.readline()  # the dome is open
    print(night.follow(map(Exposure, range(20, 60))))


if __name__ == "__main__":
    main()
