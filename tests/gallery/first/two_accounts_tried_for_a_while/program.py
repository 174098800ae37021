# SPDX-License-Identifier: Apache-2.0
"""Two transfers lock two accounts crosswise, and give up after a while."""

import os
import threading
import time

first, second = threading.Lock(), threading.Lock()


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def transfer(source, target):
    with source:
        time.sleep(0.2)
        if target.acquire(timeout=3600):
            target.release()
        else:
            print("gave up")


threads = [
    threading.Thread(target=transfer, args=pair) for pair in ((first, second), (second, first))
]
for thread in threads:
    thread.start()
time.sleep(0.5)
ready()
for thread in threads:
    thread.join()
