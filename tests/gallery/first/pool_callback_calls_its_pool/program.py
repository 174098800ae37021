# SPDX-License-Identifier: Apache-2.0
"""The callback of a pool's result asks the same pool for another result and waits for it: it
runs in the thread that would have to fetch that result.
"""

import multiprocessing
import os
import threading


def render_page(number):
    return f"<page {number}>"


def make_thumbnail(page):
    return page[:4]


class Catalogue:
    def __init__(self, pool):
        self.pool = pool
        self.thumbnails = []

    def store_page(self, page):
        self.thumbnails.append(self.thumbnail_of(page))

    def thumbnail_of(self, page):
        return self.pool.apply(make_thumbnail, (page,))

    def build(self, count):
        jobs = [
            self.pool.apply_async(render_page, (number,), callback=self.store_page)
            for number in range(count)
        ]
        return [job.get() for job in jobs]


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        threading.Timer(0.8, tell).start()
        Catalogue(pool).build(4)


if __name__ == "__main__":
    main()
