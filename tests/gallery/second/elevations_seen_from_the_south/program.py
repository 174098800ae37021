# SPDX-License-Identifier: Apache-2.0
"""A relief is seen from the south: a library in C works out what the hills hide."""

import ctypes
from pathlib import Path

import numpy as np

ROWS, COLUMNS = 6000, 4000
library = ctypes.CDLL(str(Path(__file__).with_name("horizon.so")))
library.visible_cells.restype = ctypes.c_long
library.visible_cells.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long]


class Relief:
    def __init__(self, rows, columns):
        y = np.linspace(0.0, 9.0, rows, dtype=np.float32)[:, None]
        x = np.linspace(0.0, 7.0, columns, dtype=np.float32)[None, :]
        self.heights = 300 + 80 * np.sin(y) * np.cos(x)

    def seen_from_north(self):
        return self.count_visible(self.heights)

    def seen_from_south(self):
        return self.count_visible(self.heights[::-1])

    def count_visible(self, heights):
        rows, columns = heights.shape
        return library.visible_cells(heights.ctypes.data, rows, columns)


def main():
    relief = Relief(ROWS, COLUMNS)
    print("from the north", relief.seen_from_north())
    print("from the south", relief.seen_from_south())


if __name__ == "__main__":
    main()
