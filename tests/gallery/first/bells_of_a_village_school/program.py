# SPDX-License-Identifier: Apache-2.0
"""A scheduler waits until the next bell is due."""

import os
import sched
import time

bells = sched.scheduler(time.monotonic, time.sleep)
bells.enter(3600, 1, print, ("ring",))


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


ready()
bells.run()
