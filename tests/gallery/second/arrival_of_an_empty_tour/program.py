# SPDX-License-Identifier: Apache-2.0
"""The planner of a parcel service asks a native library when each tour is back."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
planner = ctypes.CDLL(os.path.join(HERE, "tours.so"))
planner.tour_new.restype = ctypes.c_void_p
planner.tour_stop.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
planner.tour_arrival.argtypes = [ctypes.c_void_p]


class Tour:
    def __init__(self, van, stops):
        self.van = van
        self.handle = planner.tour_new()
        for minute, zone in stops:
            planner.tour_stop(self.handle, minute, zone)

    def back_at(self):
        return planner.tour_arrival(self.handle)


def plan_day(orders):
    tours = [Tour(van, stops) for van, stops in orders.items()]
    return {tour.van: tour.back_at() for tour in tours}


def main():
    print(plan_day({"van 1": [(480, 3), (510, 4)], "van 2": [], "van 3": [(495, 9)]}))


main()
