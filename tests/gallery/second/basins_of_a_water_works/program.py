# SPDX-License-Identifier: Apache-2.0
"""Keeps the levels of a water works' basins, which threads raise and lower."""

import ctypes
import os
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
works = ctypes.CDLL(os.path.join(HERE, "works.so"))
works.basin_new.restype = ctypes.c_void_p
works.basin_rename.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
works.basin_add.argtypes = [ctypes.c_void_p, ctypes.c_double]
works.basin_add.restype = ctypes.c_double


class Basin:
    def __init__(self, name):
        self.handle = works.basin_new()
        self.rename(name)

    def rename(self, name):
        works.basin_rename(self.handle, name.encode("utf-8"))

    def add(self, metres):
        return works.basin_add(self.handle, metres)


def pump(basins, metres, rounds):
    for number in range(rounds):
        basins[number % len(basins)].add(metres)


def main():
    basins = [Basin("North"), Basin("South"), Basin("High basin")]
    pumps = [threading.Thread(target=pump, args=(basins, m, 600)) for m in (0.25, -0.25)]
    for thread in pumps:
        thread.start()
    for thread in pumps:
        thread.join()
    print([basin.add(0.0) for basin in basins], flush=True)
    basins[1].rename("South, the filter basin, sector C")
    pump(basins, 0.5, 9)
    print([basin.add(0.0) for basin in basins], flush=True)


if __name__ == "__main__":
    main()
