# SPDX-License-Identifier: Apache-2.0
"""Counts visitors of a fair by their gate and tells the gate's display at times."""

import ctypes
import random
from pathlib import Path

LIBRARY = ctypes.CDLL(str(Path(__file__).with_name("gates.so")))
LIBRARY.describe.restype = ctypes.c_char_p


class Fair:
    def __init__(self, gates):
        self.gates = gates
        self.chance = random.Random(5)

    def hour(self, visitors):
        for _ in range(visitors):
            LIBRARY.visitor(self.chance.randint(0, self.gates))

    def displays(self):
        return [LIBRARY.describe(kind).decode() for kind in range(3)]


def main():
    fair = Fair(16)
    for hour in range(9, 12):
        print(hour, fair.displays(), flush=True)
        fair.hour(40 * hour)
    print(LIBRARY.most_visited())


main()
