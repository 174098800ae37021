# SPDX-License-Identifier: Apache-2.0
"""Converter of a data feed: a field's converter is a partial; one bit of the pointer to the
function in it is flipped from outside.
"""

import functools
import json
import os


def scale(factor, offset, text):
    return float(text) * factor + offset


CONVERTERS = {
    "temperature": functools.partial(scale, 0.1, -40.0),
    "pressure": functools.partial(scale, 0.5, 900.0),
    "humidity": functools.partial(scale, 0.4, 0.0),
}


def convert(line):
    names = ("temperature", "pressure", "humidity")
    return {name: CONVERTERS[name](text) for name, text in zip(names, line.split(","))}


def main():
    lines = [f"{n % 600},{n % 300},{n % 250}" for n in range(1000)]
    rows = [convert(line) for line in lines]
    victim = id(CONVERTERS["pressure"]) + 16
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[victim, 37]]}) + "\n")
    input()
    rows += [convert(line) for line in lines]
    print(len(rows))


main()
