# SPDX-License-Identifier: Apache-2.0
"""Leaflets are rendered by a pool of processes; the parent collects the pages as they come."""

import concurrent.futures
import multiprocessing
import os
import zlib


def render(number, pages):
    """Render one leaflet; big ones take some time."""
    ink = b"leaflet %d" % number
    for page in range(pages):
        ink = zlib.compress(ink * 40 + b"%d" % page, 9)[:4000]
    return number, len(ink)


class Press:
    def __init__(self, pool):
        self.pool = pool
        self.done = {}

    def print_all(self, orders):
        jobs = [self.pool.submit(render, number, pages) for number, pages in orders]
        for job in concurrent.futures.as_completed(jobs):
            number, size = job.result()
            self.done[number] = size
            print("leaflet", number, size, flush=True)
            if len(self.done) == 2:
                with open("ready", "w") as file:
                    file.write("%d\n" % os.getpid())


def main():
    context = multiprocessing.get_context("fork")
    orders = [(1, 20), (2, 30)] + [(number, 4000000) for number in range(3, 9)]
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        Press(pool).print_all(orders)


main()
