# SPDX-License-Identifier: Apache-2.0
"""A program opens a FIFO that nobody writes to yet."""

import os
import threading

os.mkfifo("announcements")


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def announced():
    with open("announcements") as fifo:
        return fifo.readline()


threading.Timer(0.3, ready).start()
print(announced())
