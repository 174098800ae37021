# SPDX-License-Identifier: Apache-2.0
"""Ranks the riders of a race with the sort of the C library, which is stable enough for us."""

import ctypes

libc = ctypes.CDLL(None)


class Rider(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_double), ("number", ctypes.c_int), ("name", ctypes.c_char_p)]


PACE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Rider), ctypes.POINTER(Rider))
ENTRY = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.POINTER(Rider)), ctypes.POINTER(ctypes.POINTER(Rider))
)


def by_time(first, second):
    difference = first[0].seconds - second[0].seconds
    return (difference > 0) - (difference < 0)


def by_name(first, second):
    left, right = first[0][0].name, second[0][0].name
    return (left > right) - (left < right)


class Race:
    def __init__(self, results):
        self.riders = (Rider * len(results))(*results)

    def sort(self, compare):
        libc.qsort(
            self.riders,
            ctypes.c_size_t(len(self.riders)),
            ctypes.c_size_t(ctypes.sizeof(Rider)),
            compare,
        )
        return [rider.name.decode() for rider in self.riders]


def main():
    race = Race(
        [
            (4211.5, 12, b"Okafor"),
            (4199.25, 3, b"Lindqvist"),
            (4302.0, 44, b"Abe"),
            (4250.0, 7, b"Moreau"),
            (4207.75, 21, b"Costa"),
        ]
    )
    print("by time:", race.sort(PACE(by_time)), flush=True)
    print("by name:", race.sort(ENTRY(by_name)), flush=True)


if __name__ == "__main__":
    main()
