# SPDX-License-Identifier: Apache-2.0
"""Lakes of a height map: water is marked from a seed in each, and its area is told."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("lakes.so"))
library.lake_fill.restype = ctypes.c_long


class Map:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.cells = (ctypes.c_uint8 * (width * height))(*b"\x01" * (width * height))

    def pond(self, left, top, width, height):
        for y in range(top, top + height):
            start = y * self.width + left
            self.cells[start : start + width] = [0] * width

    def area(self, x, y, mark):
        return library.lake_fill(self.cells, self.width, self.height, x, y, mark)


def main():
    district = Map(1600, 900)
    district.pond(20, 30, 40, 25)
    district.pond(300, 100, 1100, 700)
    print("mill pond", district.area(30, 40, 7), flush=True)
    print("great lake", district.area(900, 400, 8), flush=True)


main()
