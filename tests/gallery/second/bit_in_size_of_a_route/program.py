# SPDX-License-Identifier: Apache-2.0
"""Lengths of the routes of a delivery service."""

import json
import os


class Stop:
    __slots__ = ("east", "north")

    def __init__(self, east, north):
        self.east, self.north = east, north


def length(route):
    total, before = 0.0, route[0]
    for stop in route:
        total += abs(stop.east - before.east) + abs(stop.north - before.north)
        before = stop
    return total


def main():
    routes = [tuple(Stop(n * k % 97, n + k) for k in range(9 + n % 5)) for n in range(200)]
    print(sum(map(length, routes)), flush=True)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(routes[133]) + 16, 33]]}) + "\n")
    input()
    for day in range(3):
        print(day, sum(map(length, routes)), flush=True)


main()
