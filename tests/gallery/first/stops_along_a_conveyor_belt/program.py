# SPDX-License-Identifier: Apache-2.0
"""How many stops a conveyor belt makes between two gates, by the maker's library."""

import ctypes
import os
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
belt = ctypes.CDLL(os.path.join(HERE, "belt.so"))
belt.belt_stops.argtypes = [ctypes.c_float] * 3
belt.belt_stops.restype = ctypes.c_long

ORDERS = [
    ("packing", 0.0, 2.0, 0.25),
    ("sorting", 1.0, 4.0, 0.5),
    ("weighing", 0.0, 1.0, 0.1),
    ("loading", 2.0, 8.0, 1.5),
]


def plan(orders):
    stops = {}
    for gate, start, end, step in orders:
        stops[gate] = belt.belt_stops(start, end, step)
        print(gate, stops[gate], flush=True)
    return stops


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threading.Timer(0.5, tell).start()
    print(sum(plan(ORDERS).values()), "stops")


main()
