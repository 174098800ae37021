# SPDX-License-Identifier: Apache-2.0
"""A program waits by lockf() for a record that another one edits."""

import fcntl
import os
import time

with open("records", "w") as file:
    file.write("0" * 100)
reading, writing = os.pipe()
if os.fork() == 0:
    own = open("records", "r+")
    fcntl.lockf(own, fcntl.LOCK_EX, 10, 20)
    os.write(writing, b"x")
    time.sleep(3600)
    os._exit(0)
os.read(reading, 1)


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def edit(number):
    with open("records", "r+") as file:
        ready()
        fcntl.lockf(file, fcntl.LOCK_EX, 10, 10 * number)
        file.seek(10 * number)
        file.write("1" * 10)


edit(2)
