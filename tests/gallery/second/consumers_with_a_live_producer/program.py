# SPDX-License-Identifier: Apache-2.0
"""Consumers wait for a queue whose producer sleeps until its next timer tick; the service idles."""

import os
import queue
import threading
import time

JOBS = queue.Queue()


def consume():
    while True:
        JOBS.get()


def produce():
    while True:
        JOBS.put(time.time())
        time.sleep(60)


def main():
    for _ in range(3):
        threading.Thread(target=consume, daemon=True).start()
    threading.Thread(target=produce, daemon=True).start()
    time.sleep(0.2)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    while True:
        time.sleep(3600)


main()
