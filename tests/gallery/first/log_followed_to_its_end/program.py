# SPDX-License-Identifier: Apache-2.0
"""A program follows a growing log as tail -f does."""

import os
import time

with open("log", "w") as file:
    file.write("begun\n")


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def follow(path):
    with open(path) as log:
        while True:
            line = log.readline()
            if line:
                yield line
            else:
                time.sleep(0.5)


lines = follow("log")
print(next(lines))
ready()
for line in lines:
    print(line)
