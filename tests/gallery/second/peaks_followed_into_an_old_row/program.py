# SPDX-License-Identifier: Apache-2.0
"""Peaks of a spectrum: a C library updates them in place while the row of bands grows."""

import array
import ctypes
from pathlib import Path

LIBRARY = ctypes.CDLL(str(Path(__file__).with_name("peaks.so")))
LIBRARY.follow.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double]


class Spectrum:
    """The peaks of some bands; the library is told once where they lie."""

    def __init__(self, bands):
        self.peaks = array.array("d", [0.0] * bands)
        self.address, self.count = self.peaks.buffer_info()

    def widen(self, bands):
        self.peaks.extend([0.0] * bands)

    def follow(self, level):
        LIBRARY.follow(self.address, self.count, level)


class Station:
    def __init__(self, name):
        self.name = name
        self.spectrum = Spectrum(6)
        self.log = []

    def note(self, hour, level):
        self.log.append([self.name, hour, level, level * 9 / 5 + 32, hour % 24, self.name.upper()])


def main():
    stations = [Station(f"station {number}") for number in range(12)]
    for hour in range(48):
        for number, station in enumerate(stations):
            station.spectrum.follow(0.25 + hour / 7)
            station.note(hour, 0.25 + hour / 7 + number)
            if hour == 6 + number:
                station.spectrum.widen(2)
    print(sum(row[2] for station in stations for row in station.log))


main()
