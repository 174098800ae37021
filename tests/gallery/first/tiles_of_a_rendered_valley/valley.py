# SPDX-License-Identifier: Apache-2.0
"""A valley of hills, seen by rays that are followed in small steps."""

import math


def height(x, y):
    return math.sin(x * 1.7) * math.cos(y * 1.3) + 0.3 * math.sin(x * 5 + y * 3)


def follow(column, row):
    """Return how far a ray goes before it meets the ground."""
    x, y, z = column / 40, row / 40, 2.0
    for step in range(400):
        x, y, z = x + 0.004, y + 0.003, z - 0.005
        if z < height(x, y):
            return step
    return 400


def render(tile):
    left, top, size = tile
    shades = [follow(left + i, top + j) for j in range(size) for i in range(size)]
    return tile, sum(shades) / len(shades)
