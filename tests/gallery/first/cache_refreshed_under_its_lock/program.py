# SPDX-License-Identifier: Apache-2.0
"""A request waits for a lock under which a thread refreshes the cache."""

import os
import threading
import time

lock = threading.Lock()


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def refresh():
    with lock:
        total = 0
        for number in range(10**12):
            total += number
        return total


def get():
    ready()
    with lock:
        return 1


threading.Thread(target=refresh, name="refresher", daemon=True).start()
time.sleep(0.2)
get()
