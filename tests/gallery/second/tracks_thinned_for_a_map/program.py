# SPDX-License-Identifier: Apache-2.0
"""Tracks of a cycling club are thinned for the map: each fifth point, without both ends."""

import ctypes
import math
import os

library = ctypes.CDLL(os.path.abspath("thin.so"))


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double)]


class Track:
    def __init__(self, name, points):
        self.name = name
        self.points = [(n / 10, math.cos(n / 25)) for n in range(points)]

    def thin(self, step=5, margin=4):
        count = len(self.points)
        given = (Point * count)(*(Point(x, y) for x, y in self.points))
        kept = (Point * count)()
        found = library.thin_track(given, count, step, margin, kept)
        return [(point.x, point.y) for point in kept[:found]]


def main():
    tracks = [Track("lake", 400), Track("pass", 1200), Track("to the baker", 25)]
    for track in tracks:
        print(track.name, len(track.thin()), flush=True)


main()
