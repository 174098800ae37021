# SPDX-License-Identifier: Apache-2.0
"""Two threads wait for each other's condition, each with a timeout."""

import os
import threading
import time

early, late = threading.Condition(), threading.Condition()


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def hand_over(own, other):
    with own:
        time.sleep(0.2)
        with other:
            other.wait(3600)
        own.notify_all()


threads = [threading.Thread(target=hand_over, args=(early, late), daemon=True)]
threads[0].start()
time.sleep(0.4)
ready()
with late:
    late.wait(3600)
