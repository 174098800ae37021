# SPDX-License-Identifier: Apache-2.0
"""A permit of a semaphore comes back by a timer."""

import os
import threading

permits = threading.Semaphore(1)


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def lend():
    permits.acquire()
    timer = threading.Timer(3600, permits.release)
    timer.daemon = True
    timer.start()


lend()
ready()
permits.acquire()
print("open")
