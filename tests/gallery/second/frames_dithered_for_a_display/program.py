# SPDX-License-Identifier: Apache-2.0
"""Dithers the frames of a long film for an old display, one after the other."""

import os


class Frame:
    def __init__(self, number, width=320, height=200):
        self.width, self.height = width, height
        self.grey = [[(x * y + number * 13) % 256 for x in range(width)] for y in range(height)]

    def dither(self):
        dark = 0
        for y, row in enumerate(self.grey):
            error = 0.0
            for x, value in enumerate(row):
                wanted = value + error
                shown = 255 if wanted > 127 else 0
                error = wanted - shown
                row[x] = shown
                dark += shown == 0
        return dark


def main():
    film = 24 * 60 * 45
    for number in range(film):
        dark = Frame(number).dither()
        if number == 2:
            with open("ready", "w") as ready:
                ready.write(f"{os.getpid()}\n")
        if number % 100 == 0:
            print("frame", number, "of", film, dark, flush=True)


if __name__ == "__main__":
    main()
