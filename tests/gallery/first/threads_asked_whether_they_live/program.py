# SPDX-License-Identifier: Apache-2.0
"""The main thread polls its threads until the last has ended."""

import os
import queue
import threading
import time

jobs = queue.Queue()


def work():
    while True:
        job = jobs.get()
        if job is None:
            break


threads = [threading.Thread(target=work, name="worker-%d" % n) for n in range(3)]
for thread in threads:
    thread.start()
for number in range(5):
    jobs.put(number)
jobs.put(None)
time.sleep(0.3)
with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())
while any(thread.is_alive() for thread in threads):
    time.sleep(0.2)
