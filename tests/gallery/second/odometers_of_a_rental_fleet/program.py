# SPDX-License-Identifier: Apache-2.0
"""A rental company replays the trips of its fleet and adds up what is due."""

import ctypes
import heapq
import os
import random


class Car(ctypes.Structure):
    _fields_ = [
        ("plate", ctypes.c_char * 12),
        ("metres", ctypes.c_int32),
        ("trips", ctypes.c_int32),
        ("rate", ctypes.c_int32),
    ]


library = ctypes.CDLL(os.path.abspath("odometer.so"))
library.car_drive.argtypes = [ctypes.POINTER(Car), ctypes.c_int32]
library.fleet_due.argtypes = [ctypes.POINTER(Car), ctypes.c_int]


class Fleet:
    def __init__(self, size):
        self.cars = (Car * size)()
        self.size = size
        for number, car in enumerate(self.cars):
            car.plate = f"WOB-E {number:04}".encode()
            car.rate = 4 + number % 9
        self.free = [(0, number) for number in range(size)]
        heapq.heapify(self.free)

    def rent(self, metres):
        """The car that drove least goes out next."""
        _, number = heapq.heappop(self.free)
        driven = library.car_drive(self.cars[number], metres)
        heapq.heappush(self.free, (driven, number))
        return number

    def courier(self, number, metres):
        """A courier keeps one car for years."""
        return library.car_drive(self.cars[number], metres)

    def due(self):
        return library.fleet_due(self.cars, self.size)


def main():
    source = random.Random(8)
    fleet = Fleet(80)
    for year in range(14):
        for _ in range(4000):
            fleet.rent(source.randrange(4_000, 380_000))
        for _ in range(250):
            driven = fleet.courier(41, source.randrange(500_000, 900_000))
        print(year, fleet.due(), driven, flush=True)


main()
