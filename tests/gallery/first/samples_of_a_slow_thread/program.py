# SPDX-License-Identifier: Apache-2.0
"""A consumer waits for samples that a thread puts into a queue now and then."""

import os
import queue
import threading
import time

samples = queue.Queue()


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def sample():
    while True:
        time.sleep(3600)
        samples.put(1)


threading.Thread(target=sample, daemon=True).start()
ready()
while True:
    print(samples.get())
