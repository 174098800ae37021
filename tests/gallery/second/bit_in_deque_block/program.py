# SPDX-License-Identifier: Apache-2.0
"""A bit of a deque's pointer to its first block was flipped from outside; the next walk through
the deque follows it.
"""

import collections
import json
import os


def mean(readings):
    return sum(readings) / len(readings)


def main():
    readings = collections.deque((n * 7 % 1000 for n in range(5000)), maxlen=5000)
    print(mean(readings))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(readings) + 24, 41]]}) + "\n")
    input()
    print(mean(readings))


main()
