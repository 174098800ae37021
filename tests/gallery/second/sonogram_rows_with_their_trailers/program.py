# SPDX-License-Identifier: Apache-2.0
"""A bat survey turns recordings into sonograms and looks for calls."""

import array
import ctypes
import math
import os

BINS = 3002
ROWS = 12


def load():
    library = ctypes.CDLL(os.path.abspath("sonogram.so"))
    library.sonogram_new.restype = ctypes.c_void_p
    library.sonogram_fill.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
    library.sonogram_peak.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.sonogram_peak.restype = ctypes.c_float
    library.sonogram_free.argtypes = [ctypes.c_void_p]
    library.sonogram_free.restype = None
    return library


class Recording:
    def __init__(self, place, call_at):
        self.place = place
        self.call_at = call_at

    def window(self, row):
        loud = 8.0 if row == self.call_at else 0.5
        return array.array("f", (loud * math.sin(n * (row + 3) / 50) for n in range(BINS)))


class Sonogram:
    def __init__(self, library):
        self.library = library
        self.handle = library.sonogram_new(ROWS, BINS)

    def fill(self, recording):
        for row in range(ROWS):
            samples = recording.window(row)
            self.library.sonogram_fill(self.handle, row, samples.buffer_info()[0])

    def calls(self, threshold=30.0):
        return [
            row for row in range(ROWS) if self.library.sonogram_peak(self.handle, row) > threshold
        ]

    def close(self):
        self.library.sonogram_free(self.handle)


class Survey:
    def __init__(self):
        self.library = load()
        self.found = {}

    def examine(self, recording):
        sonogram = Sonogram(self.library)
        sonogram.fill(recording)
        self.found[recording.place] = sonogram.calls()
        print(recording.place, "calls at", self.found[recording.place], flush=True)
        sonogram.close()


def main():
    survey = Survey()
    for place, call_at in (("barn", 4), ("old mine", 7), ("church", 2)):
        survey.examine(Recording(place, call_at))
    print("survey of %d places" % len(survey.found))


main()
