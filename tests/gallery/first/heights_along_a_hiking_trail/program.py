# SPDX-License-Identifier: Apache-2.0
"""The climb of a hiking trail: heights are sampled from a grid at recorded positions."""

import array
import ctypes
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, HEIGHT = 400, 300

TRACK = """12.5 40.25
13.0 44.5
nan 48.75
15.5 51.0
"""


def terrain():
    heights = (
        600 + 90 * math.sin(x / 23) + 70 * math.cos(y / 31)
        for y in range(HEIGHT)
        for x in range(WIDTH)
    )
    return array.array("f", heights)


def positions(text):
    """Return the recorded positions; a receiver writes nan where it had no fix."""
    return [tuple(map(float, line.split())) for line in text.splitlines()]


class Terrain:
    def __init__(self):
        self.heights = terrain()
        self.library = ctypes.CDLL(os.path.join(HERE, "relief.so"))
        self.library.height_at.restype = ctypes.c_double
        self.library.height_at.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int] + [
            ctypes.c_double
        ] * 2

    def height(self, x, y):
        address, _ = self.heights.buffer_info()
        return self.library.height_at(address, WIDTH, HEIGHT, x, y)


def climb(relief, track):
    heights = [relief.height(x, y) for x, y in track]
    return sum(max(0.0, b - a) for a, b in zip(heights, heights[1:]))


print("%.1f m" % climb(Terrain(), positions(TRACK)))
