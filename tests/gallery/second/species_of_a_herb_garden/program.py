# SPDX-License-Identifier: Apache-2.0
"""An index of the beds of a botanical garden, kept by a small C library."""

import ctypes
import random
from collections import Counter
from pathlib import Path

library = ctypes.CDLL(str(Path(__file__).with_name("herbindex.so")))
library.herb_open.argtypes = [ctypes.c_size_t]
library.herb_open.restype = ctypes.c_void_p
library.herb_add.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint, ctypes.c_uint]
library.herb_bed.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
library.herb_bed.restype = ctypes.c_uint

GENERA = ("Salvia", "Thymus", "Mentha", "Origanum", "Lavandula", "Artemisia", "Melissa")
EPITHETS = ("officinalis", "vulgaris", "alpina", "hortensis", "citriodora", "maritima")


class IndexFull(Exception):
    pass


class HerbIndex:
    def __init__(self, room=8192):
        self._handle = library.herb_open(room)
        self._names = Counter()

    def add(self, name, bed, plants):
        if library.herb_add(self._handle, name.encode(), bed, plants):
            raise IndexFull(name)
        self._names[name] += 1

    def bed_of(self, name):
        return library.herb_bed(self._handle, name.encode())

    def plants_in(self, bed):
        return library.herb_plants(self._handle, bed)

    def __len__(self):
        return sum(self._names.values())


class Plan:
    """Which beds of the garden are to be thinned in autumn."""

    def __init__(self, index, most=60):
        self.index = index
        self.most = most

    def crowded(self, beds):
        return {bed: n for bed in beds if (n := self.index.plants_in(bed)) > self.most}


def planted(seed, number=900):
    dice = random.Random(seed)
    for _ in range(number):
        name = f"{dice.choice(GENERA)} {dice.choice(EPITHETS)}"
        yield name, dice.randrange(1, 48), dice.randrange(3, 9)


def main():
    index = HerbIndex()
    for name, bed, plants in planted(1871):
        index.add(name, bed, plants)
    beds = sorted({index.bed_of(f"{genus} alpina") for genus in GENERA})
    print(len(index), "entries; beds with alpines:", beds, flush=True)
    print(Plan(index).crowded(beds))


if __name__ == "__main__":
    main()
