# SPDX-License-Identifier: Apache-2.0
"""The loudness of a recording, without its header."""

import array
import ctypes
import os

library = ctypes.CDLL(os.path.abspath("loudness.so"))
library.loudness_of.restype = ctypes.c_float
library.loudness_of.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

HEADER = 5


def loudness(recording, skipped):
    address, length = recording.buffer_info()
    return library.loudness_of(address + 4 * skipped, (length - skipped) // 4)


def main():
    recording = array.array("f", (0.25 * (n % 7) for n in range(4001)))
    start = (-recording.buffer_info()[0] % 16) // 4
    print(loudness(recording, start))
    print(loudness(recording, start + HEADER))


main()
