# SPDX-License-Identifier: Apache-2.0
"""A town archive recognises its scanned pages with a pool of processes."""

import collections
import multiprocessing
import os
import time

import recognise

Page = collections.namedtuple("Page", "name width height")


def pages_of_the_day():
    for number in range(40):
        yield Page("deed-%03d.tif" % number, 2480, 3508)
    yield Page("cadastre-map.tif", 19866, 28087)


class Archive:
    def __init__(self, pool):
        self.pool = pool
        self.texts = {}
        self.late = 0

    def submit(self):
        return [
            (page, self.pool.apply_async(recognise.recognise, (page,)))
            for page in pages_of_the_day()
        ]

    def keep(self, page, outcome):
        name, text = outcome
        assert name == page.name
        self.texts[name] = text

    def announce(self):
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    def run(self):
        began = time.monotonic()
        jobs = self.submit()
        for page, job in jobs:
            if not job.ready():
                self.late += 1
            if len(self.texts) == len(jobs) - 1:
                print(
                    "%d pages in %.1f s, one to come" % (len(self.texts), time.monotonic() - began),
                    flush=True,
                )
                self.announce()
            self.keep(page, job.get())
        return len(self.texts)


def main():
    context = multiprocessing.get_context("spawn")
    with context.Pool(2, recognise.initialise) as pool:
        number = Archive(pool).run()
    print("%d pages recognised" % number)


if __name__ == "__main__":
    main()
