# SPDX-License-Identifier: Apache-2.0
"""A search waits for the lock of an index that another process builds."""

import fcntl
import os
import time

lock = open("index.lock", "w")
reading, writing = os.pipe()
if os.fork() == 0:
    own = open("index.lock", "w")
    fcntl.flock(own, fcntl.LOCK_EX)
    os.write(writing, b"x")
    time.sleep(3600)
    os._exit(0)
os.read(reading, 1)


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def search():
    ready()
    fcntl.flock(lock, fcntl.LOCK_EX)
    return "found"


print(search())
