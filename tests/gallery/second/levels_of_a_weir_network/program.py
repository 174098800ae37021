# SPDX-License-Identifier: Apache-2.0
"""Levels of the weirs of a river lie in shared memory; a reporter works through the stations."""

from multiprocessing import shared_memory

import numpy as np


class LevelStore:
    def __init__(self, stations, samples):
        self.shape = (stations, samples)
        size = stations * samples * 8
        self.block = shared_memory.SharedMemory(create=True, size=size)
        self.levels = np.ndarray(self.shape, dtype=np.float64, buffer=self.block.buf)
        self.levels[:] = np.linspace(0.4, 3.1, samples)

    def station(self, number):
        return self.levels[number]

    def close(self):
        self.levels = None
        self.block.close()
        self.block.unlink()


def open_stations(numbers):
    store = LevelStore(40, 20_000)
    try:
        return [store.station(number) for number in numbers]
    finally:
        store.close()


def highest(stations):
    return max(float(levels.max()) for levels in stations)


def main():
    stations = open_stations([3, 17, 22])
    print(len(stations), "stations", flush=True)
    print(highest(stations))


main()
