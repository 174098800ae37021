# SPDX-License-Identifier: Apache-2.0
"""Measures the routes of delivery vans with a small C library, through cffi."""

import pathlib
import random

from cffi import FFI

ffi = FFI()
ffi.cdef(
    """
    struct stop { double x, y; struct stop *next; };
    struct route { struct stop *first; int stops; };
    double route_length(const struct route *route);
    """
)
routing = ffi.dlopen(str(pathlib.Path(__file__).resolve().with_name("routing.so")))


class Planner:
    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.routes = []

    def add(self, addresses):
        route = ffi.new("struct route *")
        for _ in range(addresses):
            stop = ffi.new("struct stop *")
            stop.x, stop.y = self.dice.uniform(-9, 9), self.dice.uniform(-9, 9)
            stop.next = route.first
            route.first = stop
            route.stops += 1
        self.routes.append(route)

    def lengths(self):
        labels = [("van %d" % n).encode() * 3 for n in range(4000)]
        return [routing.route_length(route) for route in self.routes], labels


def main():
    planner = Planner(4)
    for van in range(40):
        planner.add(30 + van)
    lengths, labels = planner.lengths()
    print(len(labels), sum(lengths))


if __name__ == "__main__":
    main()
