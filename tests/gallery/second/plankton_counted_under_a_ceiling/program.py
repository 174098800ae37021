# SPDX-License-Identifier: Apache-2.0
"""Counts plankton on microscope pictures; the batch system of the institute limits each job."""

import ctypes
import logging
import os
import resource

log = logging.getLogger("plankton")
HERE = os.path.dirname(os.path.abspath(__file__))
CEILING = 700 << 20  # of address space, as the queue "short" has it
PICTURE = 24 << 20
RESERVE = 16 << 20  # for what else the job needs


class Cache:
    """Pictures that have been read; when there is no room for one more, it is read again."""

    def __init__(self):
        self.pictures = {}
        self.refused = 0

    def get(self, name):
        if name in self.pictures:
            return self.pictures[name]
        try:
            self.pictures[name] = picture = read_picture(name)
            return picture
        except MemoryError:
            self.refused += 1
            return None


def read_picture(name):
    return (b"%c" % (len(name) % 200)) * PICTURE


class Counter:
    def __init__(self):
        self.library = ctypes.CDLL(os.path.join(HERE, "counting.so"))
        self.library.count_cells.argtypes = [ctypes.c_char_p, ctypes.c_long]
        self.cells = 0

    def count(self, picture):
        self.cells += self.library.count_cells(picture, len(picture))


def limit():
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (CEILING, hard))


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    counter = Counter()
    limit()
    cache = Cache()
    names = ["station-%02d/slide-%d" % (n // 4, n % 4) for n in range(120)]
    spare = bytes(RESERVE)
    kept = [name for name in names if cache.get(name) is not None]
    del spare
    log.info("%d of %d slides kept in memory", len(kept), len(names))
    for name in kept:
        counter.count(cache.get(name))
    log.info("%d cells", counter.cells)


if __name__ == "__main__":
    main()
