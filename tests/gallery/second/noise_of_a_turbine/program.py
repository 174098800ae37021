# SPDX-License-Identifier: Apache-2.0
"""Noise of a turbine: a filter written in C smooths each channel of the record."""

from pathlib import Path

import numpy as np
from numpy.ctypeslib import load_library, ndpointer

samples = ndpointer(dtype=np.float64, ndim=1, flags="C_CONTIGUOUS")
library = load_library("smooth", str(Path(__file__).parent))
library.smooth.argtypes = [samples, samples, np.ctypeslib.ctypes.c_int, np.ctypeslib.ctypes.c_int]
library.smooth.restype = None


class Record:
    def __init__(self, channels, length):
        generator = np.random.default_rng(7)
        self.channels = [generator.normal(size=length) for _ in range(channels)]

    def smoothed(self, width):
        for channel in self.channels:
            result = np.empty(len(channel) - width)
            library.smooth(channel, result, len(channel), width)
            yield result


def loudest(record, width):
    return [float(np.abs(channel).max()) for channel in record.smoothed(width)]


def main():
    record = Record(channels=64, length=1100)
    for width in (3, 9, 27, 81):
        print(width, sum(loudest(record, width)))


if __name__ == "__main__":
    main()
