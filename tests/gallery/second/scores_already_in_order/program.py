# SPDX-License-Identifier: Apache-2.0
"""Ranks the results of a marathon with a compiled sort."""

import ctypes
import os

lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ranking.so"))


class Result(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_int), ("number", ctypes.c_int), ("name", ctypes.c_char * 184)]


lib.ranking_sort.argtypes = [ctypes.POINTER(Result), ctypes.c_long, ctypes.c_long]


def rank(seconds):
    results = (Result * len(seconds))()
    for number, each in enumerate(seconds):
        results[number].seconds = each
        results[number].number = number
    lib.ranking_sort(results, 0, len(seconds) - 1)
    return [results[n].number for n in range(3)]


def main():
    runners = 30_000
    print(rank([n * 7919 % runners for n in range(runners)]), flush=True)
    print(rank(list(range(9000, 9000 + runners))))


main()
