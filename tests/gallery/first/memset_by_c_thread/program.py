# SPDX-License-Identifier: Apache-2.0
"""A thread of a C library clears a buffer of its caller by a wrong size; it zeroes Python
objects that live behind it in the arena.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("wiper.so"))
library.start_clear.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


class Point:
    __slots__ = ("x", "label", "a", "b", "c", "d", "e", "f", "g", "h")

    def __init__(self, x):
        self.x = x
        self.label = "point %d" % x
        self.a = self.b = self.c = self.d = self.e = self.f = self.g = self.h = x


def total(points):
    return sum(point.x + len(point.label) for point in points)


def main():
    points = [Point(n * 1000) for n in range(3000)]
    buffer = bytearray(96)
    more = [Point(n * 1000) for n in range(3000)]
    start = (ctypes.c_char * 96).from_buffer(buffer)
    library.start_clear(ctypes.addressof(start), 96 * 64)
    library.finish()
    print(total(points), total(more))


main()
