# SPDX-License-Identifier: Apache-2.0
"""The only thread that would put into the queue died of an exception; the consumer, the main
thread, waits in Queue.get for ever.
"""

import os
import queue
import threading
import time

WORK = queue.Queue()


def produce():
    for number in range(3):
        WORK.put(number)
    raise ValueError("no more input")


def consume():
    total = 0
    while total < 100:
        total += WORK.get()
    return total


def main():
    threading.excepthook = lambda *_: None
    threading.Thread(target=produce).start()
    time.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(consume())


main()
