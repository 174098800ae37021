# SPDX-License-Identifier: Apache-2.0
"""A parent has written under a lock, and waits for an export that takes it too."""

import fcntl
import multiprocessing
import os
import time


def export(path):
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        time.sleep(3600)


def main():
    with open("archive", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("begun\n")
    exporter = multiprocessing.get_context("fork").Process(target=export, args=("archive",))
    exporter.start()
    time.sleep(0.4)
    with open("ready", "w") as ready:
        ready.write("%d\n" % os.getpid())
    exporter.join()


main()
