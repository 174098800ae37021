# SPDX-License-Identifier: Apache-2.0
"""A multiprocessing.Lock was held by a worker that was killed by SIGKILL; every other process
waits for it.
"""

import multiprocessing
import os
import signal
import time


def crash(lock):
    lock.acquire()
    os.kill(os.getpid(), signal.SIGKILL)


def update_table(lock):
    with lock:
        return 1


def main():
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    child = context.Process(target=crash, args=(lock,))
    child.start()
    child.join()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    update_table(lock)


main()
