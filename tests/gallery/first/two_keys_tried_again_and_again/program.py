# SPDX-License-Identifier: Apache-2.0
"""Two threads lock two keys crosswise, each with a timeout, in loops that never let go."""

import os
import threading
import time

first, second = threading.Lock(), threading.Lock()


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def open_safe(own, other):
    with own:
        time.sleep(0.2)
        while not other.acquire(timeout=600):
            print("once more")
        other.release()


threads = [
    threading.Thread(target=open_safe, args=pair) for pair in ((first, second), (second, first))
]
for thread in threads:
    thread.start()
time.sleep(0.5)
ready()
for thread in threads:
    thread.join()
