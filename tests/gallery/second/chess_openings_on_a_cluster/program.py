# SPDX-License-Identifier: Apache-2.0
"""Count the openings of a small chess variant, as a job of a cluster's queue."""

import os


def moves(position, depth):
    """Count the positions after some moves, with a cheap rule for what may follow."""
    if depth == 0:
        return 1
    total = 0
    for step in range(1 + position % 5, 6):
        total += moves(position * 5 + step & 0xFFFFF, depth - 1)
    return total


def search():
    known = {}
    depth = 3
    while True:
        for start in range(40):
            known[start, depth] = moves(start, depth)
        depth += 1


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    search()


main()
