# SPDX-License-Identifier: Apache-2.0
"""A parent locks the catalogue's file and waits for the process that is to write into it."""

import fcntl
import multiprocessing
import os
import time


def index(path):
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("indexed\n")


def main():
    file = open("catalogue", "w")
    fcntl.flock(file, fcntl.LOCK_EX)
    indexer = multiprocessing.get_context("fork").Process(target=index, args=("catalogue",))
    indexer.start()
    time.sleep(0.4)
    with open("ready", "w") as ready:
        ready.write("%d\n" % os.getpid())
    indexer.join()
    fcntl.flock(file, fcntl.LOCK_UN)


main()
