# SPDX-License-Identifier: Apache-2.0
"""Workers poll a queue that a slow producer fills until it is told to end."""

import os
import queue
import threading
import time

orders = queue.Queue()
done = threading.Event()


def produce():
    number = 0
    while not done.is_set():
        orders.put(number)
        number += 1
        time.sleep(0.7)


def work():
    while True:
        try:
            orders.get(timeout=0.2)
        except queue.Empty:
            if done.is_set():
                break


workers = [threading.Thread(target=work, name="worker-%d" % n) for n in range(2)]
for worker in workers:
    worker.start()
threading.Thread(target=produce).start()
with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())
for worker in workers:
    worker.join()
