# SPDX-License-Identifier: Apache-2.0
"""A program does a round whenever SIGUSR1 comes."""

import os
import signal
import threading

begun = threading.Event()


def begin(number, frame):
    begun.set()


signal.signal(signal.SIGUSR1, begin)


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


ready()
while True:
    begun.wait()
    begun.clear()
    print("a round")
