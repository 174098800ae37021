# SPDX-License-Identifier: Apache-2.0
"""Plots are drawn with pens from a C library's tray."""

import ctypes
import os


class Plot:
    def __init__(self, library):
        self.library = library
        self.pens = [library.take_pen(ctypes.c_int(colour)) for colour in range(12)]

    def draw(self, points):
        return sum(self.library.draw(pen, ctypes.c_int(x)) for pen in self.pens for x in points)

    def close(self):
        for pen in self.pens:
            self.library.return_pen(pen)


def main():
    library = ctypes.CDLL(os.path.abspath("pens.so"))
    library.take_pen.restype = ctypes.c_void_p
    library.draw.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.return_pen.argtypes = [ctypes.c_void_p]
    plot = Plot(library)
    print(plot.draw(range(20)))
    plot.close()
    print(plot.draw(range(20)))


main()
