# SPDX-License-Identifier: Apache-2.0
"""An in-place conversion gets a size in bytes for a count and converts Python objects too."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("endian.so"))
library.to_host.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


class Sample:
    """A measured value; with the head of the collector it takes 64 bytes."""

    __slots__ = ("value", "unit", "place", "time")

    def __init__(self, value):
        self.value, self.unit, self.place, self.time = float(value), "m", None, value


def read_words():
    words = (ctypes.c_uint32 * 16)(*range(16))
    library.to_host(words, ctypes.sizeof(words))
    return words


def total(samples):
    return sum(sample.value for sample in samples if sample is not None)


def main():
    samples = [Sample(number) for number in range(600)]
    for number in range(100, 500, 40):
        samples[number] = None
    words = [read_words() for _ in range(10)]
    print(total(samples), len(words))


main()
