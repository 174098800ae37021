# SPDX-License-Identifier: Apache-2.0
"""Minutes of a meeting are written, and one remark too late."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("minutes.so"))
library.minutes_open.restype = ctypes.c_void_p
library.minutes_open.argtypes = [ctypes.c_char_p]
library.minutes_add.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
library.minutes_close.argtypes = [ctypes.c_void_p]


def add(minutes, line):
    library.minutes_add(minutes, line.encode())


def main():
    minutes = library.minutes_open(b"minutes.txt")
    add(minutes, "opened")
    library.minutes_close(minutes)
    rows = [bytes([65 + n % 26]) * size for n in range(40) for size in range(400, 600, 8)]
    add(minutes, "one more remark")
    print(len(rows))


main()
