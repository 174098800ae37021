# SPDX-License-Identifier: Apache-2.0
"""A connection pool guarded by a semaphore: error paths never release, and after four errors
each worker waits for a free connection.
"""

import os
import threading
import time

SLOTS = threading.BoundedSemaphore(4)


def checkout():
    SLOTS.acquire()
    return object()


def query(number):
    connection = checkout()
    if number % 2:
        raise ValueError("bad row")
    SLOTS.release()
    return connection


def worker():
    for number in range(100):
        try:
            query(number)
        except ValueError:
            pass


def main():
    threads = [threading.Thread(target=worker) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
