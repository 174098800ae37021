# SPDX-License-Identifier: Apache-2.0
"""A viewer of microscope slides cuts them into tiles; a raster library does the arithmetic."""

import raster
import tiling

SIZE = 256


def level_of(width, height):
    level = 0
    while max(width, height) > SIZE:
        width, height, level = width // 2, height // 2, level + 1
    return level


def tiles_of(width, height):
    return [(column, row) for row in range(0, height, SIZE) for column in range(0, width, SIZE)]


def cut(width, height):
    sums = []
    for column, row in tiles_of(width, height):
        sums.append(tiling.brightness(bytes([column // SIZE, row // SIZE] * SIZE)))
    return sums


def main():
    print("raster", raster.VERSION, "level", level_of(2048, 1024), flush=True)
    print(sum(cut(2048, 1024)))


main()
