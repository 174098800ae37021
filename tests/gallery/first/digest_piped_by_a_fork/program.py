# SPDX-License-Identifier: Apache-2.0
"""A parent reads from a pipe what its forked child computes."""

import os
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def digest():
    reading, writing = os.pipe()
    if os.fork() == 0:
        time.sleep(3600)
        os.write(writing, b"abc")
        os._exit(0)
    ready()
    return os.read(reading, 100)


print(digest())
