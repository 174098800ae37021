# SPDX-License-Identifier: Apache-2.0
"""Greenlets hand thumbnails to gevent's pool of threads, and one of them takes its time."""

import os

from gevent import monkey

monkey.patch_all()

from gevent.threadpool import ThreadPool  # noqa: E402

SIDE = 1 << 20


def thumbnail(seed):
    value = seed
    for _ in range(SIDE):
        for _ in range(SIDE):
            value = (value * 1103515245 + 12345) & 0x7FFFFFFF
    return value


def main():
    pool = ThreadPool(2)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(pool.apply(thumbnail, (7,)))


main()
