# SPDX-License-Identifier: Apache-2.0
"""Shop scale: the lines that it sends are parsed by the maker's library."""

import ctypes
from pathlib import Path

SCALE = ctypes.CDLL(str(Path(__file__).with_name("scale.so")))
SCALE.scale_read_line.argtypes = [ctypes.c_char_p]
LINES = [b"W 1250 g", b"W 980 g", b"W OVERLOAD", b"W 15 g"]


def weights(lines):
    for line in lines:
        grams = SCALE.scale_read_line(line)
        if grams < 0:
            continue
        yield grams


def main():
    for grams in weights(LINES):
        print(grams, "g", flush=True)


main()
