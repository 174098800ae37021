# SPDX-License-Identifier: Apache-2.0
"""The initializer of a pool's workers raises: each worker dies and is replaced, and map waits for
ever.
"""

import multiprocessing
import os
import sys


def connect(address):
    sys.stderr = open(os.devnull, "w")
    raise ConnectionError("no answer from " + address)


def resize(picture):
    return picture // 2


def resize_all(pool, pictures):
    return pool.map(resize, pictures)


def main():
    multiprocessing.set_start_method("fork")
    with multiprocessing.Pool(2, connect, ("store.example",)) as pool:
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        print(resize_all(pool, range(100)))


main()
