# SPDX-License-Identifier: Apache-2.0
"""Times in different bases: ticks of 1/90000 s, frames of 1/25 s, played forwards or backwards."""

import ctypes
from pathlib import Path

NO_TIME = -(1 << 63)


class Timebase(ctypes.Structure):
    _fields_ = [("numerator", ctypes.c_int64), ("denominator", ctypes.c_int64)]


TICKS = Timebase(1, 90000)
FRAMES = Timebase(1, 25)
REVERSED = Timebase(-1, 90000)

_library = ctypes.CDLL(str(Path(__file__).with_name("timebase.so").resolve()))
_library.timebase_rescale_all.argtypes = [
    ctypes.POINTER(ctypes.c_int64),
    ctypes.c_int,
    ctypes.POINTER(Timebase),
    ctypes.POINTER(Timebase),
]


def rescale(times, origin, target):
    table = (ctypes.c_int64 * len(times))(*times)
    _library.timebase_rescale_all(table, len(table), _reduced(origin), _reduced(target))
    return list(table)


def _reduced(base):
    if abs(base.denominator) == TICKS.denominator:
        return Timebase(base.numerator, 1)
    return Timebase(base.numerator, base.denominator)
