# SPDX-License-Identifier: Apache-2.0
"""A program with many objects is busy in the garbage collector; nothing is wrong."""

import gc
import os


def build(count):
    return [{"number": number, "next": [number + 1]} for number in range(count)]


def compact(cache, rounds):
    freed = 0
    for _ in range(rounds):
        freed += gc.collect()
    return freed + len(cache)


def main():
    cache = build(150_000)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(compact(cache, 1_000_000))


main()
