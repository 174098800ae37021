# SPDX-License-Identifier: Apache-2.0
"""Timetable service: a native library loads the stops of a line and releases them again when the
line is no longer asked for."""

import ctypes
import os


class Stop(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("minute", ctypes.c_int), ("name", ctypes.c_char * 48)]


library = ctypes.CDLL(os.path.abspath("timetable.so"))
library.load_line.argtypes = [ctypes.c_int, ctypes.c_int]
library.load_line.restype = ctypes.POINTER(Stop)
library.release_line.argtypes = [ctypes.POINTER(Stop), ctypes.c_int]


class Line:
    def __init__(self, number, length):
        self.number, self.length = number, length

    def __enter__(self):
        self.stops = library.load_line(self.number, self.length)
        return self

    def __exit__(self, *exception):
        library.release_line(self.stops, self.length)

    def departures(self):
        return ["%s %02d" % (s.name.decode(), s.minute) for s in self.stops[: self.length]]


def main():
    for number, length in ((9, 1), (12, 14), (15, 8)):
        with Line(number, length) as line:
            print(line.departures()[0], flush=True)


main()
