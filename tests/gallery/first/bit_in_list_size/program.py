# SPDX-License-Identifier: Apache-2.0
"""A high bit of a list's length was flipped from outside; iteration runs far beyond its items."""

import json
import os


def largest(samples):
    best = 0
    for sample in samples:
        if sample > best:
            best = sample
    return best


def main():
    samples = [n * 17 % 1009 for n in range(2000)]
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(samples) + 16, 34]]}) + "\n")
    input()
    print(largest(samples))


main()
