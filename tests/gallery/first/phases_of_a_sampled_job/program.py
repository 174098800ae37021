# SPDX-License-Identifier: Apache-2.0
"""Estimates the length of tours for couriers, with the time of each phase sampled."""

import contextlib
import ctypes
import itertools
import math
import pathlib

sampler = ctypes.CDLL(str(pathlib.Path(__file__).resolve().parent / "sampler.so"))
sampler.sampler_start.argtypes = [ctypes.c_long]
phase = ctypes.c_int.in_dll(sampler, "sampler_phase")
report = {}


@contextlib.contextmanager
def sampled(number, name):
    phase.value = number
    sampler.sampler_start(1000)
    try:
        yield
    finally:
        report[name] = sampler.sampler_stop(number)


def distances(stops):
    return {
        (left, right): math.dist(stops[left], stops[right])
        for left, right in itertools.permutations(range(len(stops)), 2)
    }


def shortest(stops, table):
    best = math.inf
    for order in itertools.permutations(range(1, len(stops))):
        tour = (0, *order, 0)
        best = min(best, sum(table[leg] for leg in zip(tour, tour[1:])))
    return best


def main():
    stops = [(number * 37 % 90, number * 53 % 70) for number in range(9)]
    with sampled(1, "distances"):
        for _ in range(100):
            table = distances(stops)
    with sampled(2, "tours"):
        length = shortest(stops, table)
    print("%.1f" % length, report)


main()
