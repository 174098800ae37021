# SPDX-License-Identifier: Apache-2.0
"""Three workers each hold one lock and want the next one's: a ring of three, taken by acquire()."""

import os
import threading
import time

LOCKS = {name: threading.Lock() for name in ("north", "east", "south")}
north, east, south = LOCKS.values()


def carry(first, second):
    first.acquire()
    time.sleep(0.2)
    second.acquire()
    second.release()
    first.release()


def main():
    pairs = [(north, east), (east, south), (south, north)]
    threads = [threading.Thread(target=carry, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    time.sleep(0.4)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
