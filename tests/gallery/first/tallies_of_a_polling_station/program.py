# SPDX-License-Identifier: Apache-2.0
"""Counts the ballots of a polling station, box by box."""

import ctypes
import random
from pathlib import Path


class Tally(ctypes.Structure):
    _fields_ = [("valid", ctypes.c_int64), ("spoilt", ctypes.c_int64)]


library = ctypes.CDLL(str(Path(__file__).with_name("ballots.so")))
ballots_count = library.ballots_count
ballots_count.argtypes = [ctypes.c_char_p, ctypes.c_int64, ctypes.py_object]


class PollingStation:
    def __init__(self, number, boxes):
        generator = random.Random(number)
        self.boxes = [
            bytes(generator.choices(b"x-", weights=(30, 1), k=400 + 10 * box))
            for box in range(boxes)
        ]

    def tallies(self):
        tallies = [Tally() for _ in self.boxes]
        for marks, tally in zip(self.boxes, tallies):
            ballots_count(marks, len(marks), tally)
        return tallies


def main():
    tallies = PollingStation(17, boxes=6).tallies()
    print(sum(tally.valid for tally in tallies), sum(tally.spoilt for tally in tallies))


if __name__ == "__main__":
    main()
