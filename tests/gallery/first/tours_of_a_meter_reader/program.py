# SPDX-License-Identifier: Apache-2.0
"""Finds the shortest tour of a meter reader through the houses of a village."""

import itertools
import math
import os

HOUSES = {
    "mill": (3, 9), "forge": (7, 2), "school": (5, 5), "inn": (1, 4), "chapel": (8, 8),
    "farm": (12, 3), "dairy": (10, 10), "post": (6, 7), "bakery": (4, 1), "well": (9, 5),
    "station": (14, 9), "sawmill": (2, 12), "vicarage": (7, 9), "tannery": (11, 6),
    "brewery": (13, 1), "weir": (0, 7), "quarry": (15, 13), "lodge": (5, 14), "kiln": (9, 13),
}  # fmt: skip


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def length_of(tour):
    places = [HOUSES[name] for name in tour]
    return sum(math.dist(one, other) for one, other in zip(places, places[1:]))


def shortest_tour(houses):
    best, shortest = None, math.inf
    for tour in itertools.permutations(sorted(houses)):
        length = length_of(tour)
        if length < shortest:
            best, shortest = tour, length
    return best, shortest


tell()
print(shortest_tour(HOUSES))
