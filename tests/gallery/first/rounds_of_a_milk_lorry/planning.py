# SPDX-License-Identifier: Apache-2.0
"""Shortens rounds by exchanging pairs of legs (2-opt), again and again from new beginnings."""

import math
import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Farm:
    name: str
    east: float
    north: float

    def to(self, other):
        return math.hypot(self.east - other.east, self.north - other.north)


def length(tour):
    return sum(a.to(b) for a, b in zip(tour, tour[1:] + tour[:1]))


def shorten(tour):
    improved = True
    while improved:
        improved = False
        for i in range(1, len(tour) - 1):
            for j in range(i + 1, len(tour)):
                before = tour[i - 1].to(tour[i]) + tour[j - 1].to(tour[j])
                after = tour[i - 1].to(tour[j - 1]) + tour[i].to(tour[j])
                if after < before - 1e-9:
                    tour[i:j] = reversed(tour[i:j])
                    improved = True
    return tour


def best_round(farms, seed, beginnings):
    draw, best = random.Random(seed), None
    for _ in range(beginnings):
        tour = list(farms)
        draw.shuffle(tour)
        shorten(tour)
        if best is None or length(tour) < length(best):
            best = tour
    return best
