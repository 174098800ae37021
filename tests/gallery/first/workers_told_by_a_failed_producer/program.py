# SPDX-License-Identifier: Apache-2.0
"""Workers end when their queue is empty and the producer has said that it is done."""

import os
import queue
import threading
import time

rows = queue.Queue()
done = threading.Event()


def produce():
    for number in range(3):
        rows.put(number)
    raise OSError("the disk is full")
    done.set()


def work():
    while True:
        try:
            rows.get(timeout=0.2)
        except queue.Empty:
            if done.is_set():
                break


def main():
    workers = [threading.Thread(target=work, name="worker-%d" % n) for n in range(2)]
    for worker in workers:
        worker.start()
    threading.Thread(target=produce).start()
    time.sleep(0.5)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for worker in workers:
        worker.join()


main()
