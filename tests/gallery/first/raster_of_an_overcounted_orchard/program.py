# SPDX-License-Identifier: Apache-2.0
"""Maps the vigour of an orchard: points of a survey are laid on a raster by a small library."""

import ctypes
import logging
import os

log = logging.getLogger("orchard")
HERE = os.path.dirname(os.path.abspath(__file__))


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double), ("vigour", ctypes.c_float)]


library = ctypes.CDLL(os.path.join(HERE, "rasters.so"))
library.raster_new.restype = ctypes.c_void_p
library.raster_new.argtypes = [ctypes.c_long, ctypes.c_long]
library.raster_put.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long, ctypes.c_float]
library.raster_mean.restype = ctypes.c_float
library.raster_mean.argtypes = [ctypes.c_void_p]
library.raster_free.argtypes = [ctypes.c_void_p]


class Survey:
    """What the tractor has recorded: metres from the gate, and how green it was."""

    def __init__(self, name, metres_per_cell):
        self.name = name
        self.metres_per_cell = metres_per_cell
        self.points = []

    def add(self, x, y, vigour):
        self.points.append(Point(x, y, vigour))

    def extent(self):
        return max(p.x for p in self.points), max(p.y for p in self.points)

    def shape(self):
        width, height = self.extent()
        return int(width / self.metres_per_cell) + 1, int(height / self.metres_per_cell) + 1

    def rasterise(self):
        columns, rows = self.shape()
        raster = library.raster_new(columns, rows)
        for point in self.points:
            library.raster_put(
                raster,
                int(point.x / self.metres_per_cell),
                int(point.y / self.metres_per_cell),
                point.vigour,
            )
        mean = library.raster_mean(raster)
        library.raster_free(raster)
        return mean


def surveys():
    by_metre = Survey("block A", 0.5)
    by_micrometre = Survey("block B", 0.0000005)  # the new receiver writes its grid in metres
    for survey in (by_metre, by_micrometre):
        for n in range(60):
            survey.add(4.0 * (n % 12), 6.0 * (n // 12), 0.4 + (n % 7) / 20)
    return [by_metre, by_micrometre]


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    for survey in surveys():
        log.info("%s: %d points", survey.name, len(survey.points))
        log.info("%s: vigour %.3f", survey.name, survey.rasterise())


if __name__ == "__main__":
    main()
