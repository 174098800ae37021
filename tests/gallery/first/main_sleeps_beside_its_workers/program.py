# SPDX-License-Identifier: Apache-2.0
"""The main thread sleeps in a loop while daemon threads work."""

import os
import threading
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def work():
    while True:
        time.sleep(1)


for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
ready()
while True:
    time.sleep(60)
