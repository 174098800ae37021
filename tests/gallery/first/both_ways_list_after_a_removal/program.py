# SPDX-License-Identifier: Apache-2.0
"""A traffic model keeps cars in a XOR-linked list; after a car has left, the lane is measured."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "lanes.so"))
library.new_car.argtypes = [ctypes.c_long, ctypes.c_long]
library.new_car.restype = ctypes.c_void_p
library.join_cars.argtypes = [ctypes.c_void_p, ctypes.c_long]
library.remove_car.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
library.length_of_lane.argtypes = [ctypes.c_void_p]
library.length_of_lane.restype = ctypes.c_long


class Road:
    def __init__(self, lanes):
        library.open_lanes()
        self.cars = [library.new_car(lane, n + 1) for n, lane in enumerate(lanes)]
        library.join_cars((ctypes.c_void_p * len(lanes))(*self.cars), len(lanes))

    def leave(self, place):
        library.remove_car(self.cars[place - 1], self.cars[place])

    def length(self):
        return library.length_of_lane(self.cars[0])


def simulate(road, leaving):
    print(road.length())
    for place in leaving:
        road.leave(place)
    return road.length()


def main():
    print(simulate(Road([8, 0, 1, 2, 4]), [2]))


main()
