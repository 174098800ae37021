# SPDX-License-Identifier: Apache-2.0
"""A gallery takes thumbnails from a queue that a child fills slowly."""

import multiprocessing as mp
import os
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def shrink(thumbnails):
    time.sleep(3600)
    thumbnails.put(b"jpeg")


if __name__ == "__main__":
    mp.set_start_method("fork")
    thumbnails = mp.Queue()
    mp.Process(target=shrink, args=(thumbnails,), daemon=True).start()
    ready()
    print(thumbnails.get())
