# SPDX-License-Identifier: Apache-2.0
"""The producer puts into a full queue while it holds the lock that the consumer needs before it
can take anything.
"""

import os
import queue
import threading
import time

STATE = threading.Lock()
ITEMS = queue.Queue(maxsize=2)


def produce():
    with STATE:
        for number in range(10):
            ITEMS.put(number)


def consume():
    time.sleep(0.1)
    while True:
        with STATE:
            pass
        ITEMS.get()


def main():
    threads = [threading.Thread(target=produce), threading.Thread(target=consume)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
