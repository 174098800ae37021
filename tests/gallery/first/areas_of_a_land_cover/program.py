# SPDX-License-Identifier: Apache-2.0
"""Land cover of districts: the area of each of sixteen classes, from rasters of a satellite."""

import array
import ctypes
import os

library = ctypes.CDLL(os.path.abspath("cover.so"))
library.cover_areas.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_void_p, ctypes.c_double]
CLASSES = 16
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


class Snow:
    """Days of snow of a district, by month."""

    __slots__ = tuple(MONTHS)

    def __init__(self, seed):
        for number, month in enumerate(MONTHS):
            setattr(self, month, 100 * seed + number)


class District:
    def __init__(self, number):
        self.number = number
        self.areas = array.array("d", [0.0] * CLASSES)
        self.snow = Snow(number)

    def raster(self):
        cells = bytearray((self.number * 7 + n // 9) % CLASSES for n in range(900))
        if self.number % 25 == 3:
            cells[880:] = b"\xff" * 20  # behind the edge of the picture
        return bytes(cells)

    def classify(self):
        cells = self.raster()
        start, _ = self.areas.buffer_info()
        library.cover_areas(cells, len(cells), start, 0.09)


def main():
    districts = [District(number) for number in range(500)]
    for district in districts:
        district.classify()
    print(sum(sum(district.areas) for district in districts), flush=True)
    for month in MONTHS:
        print(month, sum(getattr(district.snow, month) for district in districts), flush=True)


main()
