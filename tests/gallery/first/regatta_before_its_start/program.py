# SPDX-License-Identifier: Apache-2.0
"""Three threads wait at a barrier for a fourth, which comes late."""

import os
import threading
import time

start = threading.Barrier(4)


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def sail(delay):
    time.sleep(delay)
    start.wait()


for delay in (0, 0, 3600):
    threading.Thread(target=sail, args=(delay,), daemon=True).start()
ready()
sail(0)
