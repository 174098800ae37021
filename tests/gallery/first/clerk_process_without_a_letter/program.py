# SPDX-License-Identifier: Apache-2.0
"""A worker process waits in Queue.get() for one letter of its parent."""

import multiprocessing as mp
import os
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def clerk(letters):
    ready()
    print(letters.get())


if __name__ == "__main__":
    mp.set_start_method("fork")
    letters = mp.Queue()
    process = mp.Process(target=clerk, args=(letters,))
    process.start()
    time.sleep(3600)
    letters.put("letter")
    process.join()
