# SPDX-License-Identifier: Apache-2.0
"""Renders the frames of an animation; after each it tells the supervisor that it lives."""

import math
import os
import sys


def shade(column, row, frame):
    distance = math.hypot(column - 160, row - 100) + frame
    return int(127 + 127 * math.sin(distance / 9) * math.cos(column * row / (frame + 50)))


def render(frame, detail):
    pixels = bytearray(320 * 200)
    for row in range(200):
        for column in range(320):
            total = 0
            for sample in range(detail):
                total += shade(column + sample / detail, row, frame)
            pixels[row * 320 + column] = total // detail
    return pixels


def main():
    heartbeat = int(sys.argv[1])
    for frame, detail in enumerate([1, 1, 90, 1]):
        render(frame, detail)
        os.write(heartbeat, b".")


if __name__ == "__main__":
    main()
