# SPDX-License-Identifier: Apache-2.0
"""A watchdog looks every minute whether a file changed; main reads commands."""

import os
import sys
import threading

stop = threading.Event()


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def watch():
    while not stop.wait(60):
        os.stat(".")


threading.Thread(target=watch, name="watchdog").start()
ready()
for line in sys.stdin:
    print(line)
stop.set()
