# SPDX-License-Identifier: Apache-2.0
"""A packing line weighs its parcels, sorts them and writes the manifest of each pallet."""

import ctypes
import json
import os
from collections import defaultdict
from dataclasses import asdict, dataclass


class Scales:
    def __init__(self, timeout):
        self.driver = ctypes.CDLL(os.path.abspath("scales.so"))
        self.driver.scales_weigh.restype = ctypes.c_double
        self.timeout = timeout
        if self.driver.scales_open():
            raise OSError("no scales")

    def weigh(self):
        grams = self.driver.scales_weigh(self.timeout)
        return None if grams < 0 else grams

    def cold_morning(self):
        self.driver.scales_set_sluggish(1)


@dataclass
class Parcel:
    number: int
    lane: int
    grams: float
    contents: list


class Pallet:
    def __init__(self, lane):
        self.lane = lane
        self.parcels = []

    def manifest(self):
        ordered = sorted(self.parcels, key=lambda parcel: (-parcel.grams, parcel.number))
        return json.dumps({"lane": self.lane, "parcels": [asdict(each) for each in ordered]})


class Line:
    def __init__(self, scales):
        self.scales = scales
        self.pallets = defaultdict(lambda: Pallet(len(self.pallets)))
        self.unweighed = 0

    def take(self, number):
        lane = number % 7
        grams = self.scales.weigh()
        if grams is None:
            self.unweighed += 1
            grams = 250.0
        contents = [{"article": f"A{number % 90:03}", "count": n} for n in range(1 + number % 5)]
        self.pallets[lane].parcels.append(Parcel(number, lane, grams, contents))

    def manifests(self):
        return [pallet.manifest() for pallet in self.pallets.values()]


def main():
    scales = Scales(25)
    line = Line(scales)
    for number in range(140):
        line.take(number)
    print("manifests", sum(map(len, line.manifests())))
    scales.cold_morning()
    for number in range(140, 400):
        line.take(number)
        for _ in range(3):
            line.manifests()
    print("unweighed", line.unweighed)


main()
