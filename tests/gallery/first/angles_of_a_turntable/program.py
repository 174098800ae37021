# SPDX-License-Identifier: Apache-2.0
"""A turntable takes pictures of an object all around, every tenth of a degree."""

import math
import os


def shadow(angle):
    return abs(math.sin(math.radians(angle)))


def sweep(step, stop):
    angle, brightest = 0.0, 0.0
    while angle != stop:
        brightest = max(brightest, shadow(angle))
        angle += step
    return brightest


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(sweep(0.1, 360.0))


main()
