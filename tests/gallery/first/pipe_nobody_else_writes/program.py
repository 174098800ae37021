# SPDX-License-Identifier: Apache-2.0
"""A program without children reads its own pipe."""

import os


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def take():
    reading, writing = os.pipe()
    ready()
    return os.read(reading, 100)


print(take())
