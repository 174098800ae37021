# SPDX-License-Identifier: Apache-2.0
"""Packs the readings of gauges into mantissa and exponent, as their radio protocol wants it."""

import ctypes
import ctypes.util

libm = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")
libm.frexp.restype = ctypes.c_double
libm.ldexp.restype = ctypes.c_double
libm.ldexp.argtypes = [ctypes.c_double, ctypes.c_int]


class Gauge:
    def __init__(self, name, readings):
        self.name = name
        self.readings = readings

    def packed(self):
        return [pack(reading) for reading in self.readings]


def pack(reading):
    exponent = ctypes.c_int()
    mantissa = libm.frexp(ctypes.c_double(reading), exponent)
    return int(mantissa * 65536), exponent.value


def main():
    gauges = [Gauge(f"gauge {n}", [n * 0.75 + k for k in range(20)]) for n in range(12)]
    print(libm.ldexp(0.75, 4), flush=True)
    for gauge in gauges:
        print(gauge.name, gauge.packed()[:3], flush=True)


main()
