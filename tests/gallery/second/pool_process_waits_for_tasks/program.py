# SPDX-License-Identifier: Apache-2.0
"""An idle worker process of multiprocessing.Pool, which waits for its next task; the core is of
the worker.
"""

import multiprocessing
import os
import time


def square(number):
    return number * number


def main():
    context = multiprocessing.get_context("fork")
    pool = context.Pool(1)
    print(pool.map(square, range(10)))
    time.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % pool._pool[0].pid)
    while True:
        time.sleep(100)


main()
