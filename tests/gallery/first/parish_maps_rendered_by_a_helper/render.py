"""Renders maps until all are drawn; a line per map on standard output."""

import math
import sys


def shade(x, y, seed):
    value = 0.0
    for octave in range(6):
        value += math.sin((x + seed) * 2**octave / 40) * math.cos(y * 2**octave / 40) / 2**octave
    return value


def main():
    for number in range(int(sys.argv[1])):
        total = 0.0
        for y in range(500):
            for x in range(500):
                total += shade(x, y, number)
        print("map %d %.6f" % (number, total), flush=True)


main()
