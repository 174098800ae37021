# SPDX-License-Identifier: Apache-2.0
"""A process waits for a permit that its child gives back later."""

import multiprocessing as mp
import os
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def use(permits, begun):
    permits.acquire()
    begun.release()
    time.sleep(3600)
    permits.release()


if __name__ == "__main__":
    mp.set_start_method("fork")
    permits, begun = mp.Semaphore(1), mp.Semaphore(0)
    mp.Process(target=use, args=(permits, begun), daemon=True).start()
    begun.acquire()
    ready()
    permits.acquire()
    print("mine")
