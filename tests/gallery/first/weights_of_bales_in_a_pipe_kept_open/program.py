# SPDX-License-Identifier: Apache-2.0
"""Bales are weighed by forked children, which write the weights into one pipe."""

import os


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def weigh(number):
    return 40 + number * number % 17


def weigh_all(bales):
    reading, writing = os.pipe()
    for number in range(bales):
        if os.fork() == 0:
            os.close(reading)
            os.write(writing, b"%d %d\n" % (number, weigh(number)))
            os._exit(0)
    with os.fdopen(reading) as scale:
        if bales > 2:
            ready()
        lines = scale.read().splitlines()
    return dict(map(int, line.split()) for line in lines)


print(weigh_all(4))
