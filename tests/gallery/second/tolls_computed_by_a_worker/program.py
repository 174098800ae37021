# SPDX-License-Identifier: Apache-2.0
"""A spawned worker computes the tolls of a year's journeys."""

import multiprocessing
import os


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def toll_of(journey):
    axles, kilometres = journey % 5 + 2, journey % 733
    return axles * kilometres * 19 // 10


def tolls_of_the_year(first, last, result):
    tell()
    total = 0
    for journey in range(first, last):
        total += toll_of(journey)
    result.put(total)


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    result = context.SimpleQueue()
    worker = context.Process(target=tolls_of_the_year, args=(1, 900_000_000, result), name="tolls")
    worker.start()
    worker.join()
    if not result.empty():
        print(result.get())
