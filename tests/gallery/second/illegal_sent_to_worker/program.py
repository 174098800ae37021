# SPDX-License-Identifier: Apache-2.0
"""A supervisor sent SIGILL to a worker that waited for its next task; no illegal instruction was
executed.
"""

import os
import queue

TASKS = queue.Queue()


def next_task():
    return TASKS.get(timeout=1000)


with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())
next_task()
