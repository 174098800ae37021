# SPDX-License-Identifier: Apache-2.0
"""A pool of processes renders pages, each of which takes long."""

import multiprocessing as mp
import os
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def render(number):
    time.sleep(3600)
    return number


if __name__ == "__main__":
    mp.set_start_method("fork")
    with mp.Pool(2) as pool:
        waiting = pool.map_async(render, range(4))
        ready()
        print(waiting.get())
