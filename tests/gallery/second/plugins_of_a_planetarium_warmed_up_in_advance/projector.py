"""Turns a catalogue into what the projector draws."""

import math
import zlib

from shows import NAMES


def project(name):
    seed = zlib.crc32(name.encode()) + NAMES.index(name)
    stars = []
    for number in range(300):
        angle = (seed + number * 137.508) % 360
        magnitude = 1 + (seed * number) % 50 / 10
        stars.append((math.radians(angle), magnitude))
    return stars
