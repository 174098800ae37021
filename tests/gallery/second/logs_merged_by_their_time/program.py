# SPDX-License-Identifier: Apache-2.0
"""Merge the logs of several machines into one, in the order of time."""

import datetime
import heapq
import os

START = datetime.datetime(2024, 2, 1)
MACHINES = ["alder", "birch", "cedar", "elm", "fir", "larch"]


def lines_of(machine, seed, count):
    """Yield the lines of a machine's log, oldest first."""
    second = state = seed
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2147483648
        second += state % 7
        moment = START + datetime.timedelta(seconds=second)
        yield moment.isoformat(), machine, "GET /page/%d %d" % (state % 97, 200 + state % 3)


def write_merged(logs, file):
    written = 0
    for moment, machine, text in heapq.merge(*logs):
        file.write("%s %s %s\n" % (moment, machine, text))
        written += 1
    return written


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    logs = [lines_of(name, seed, 30_000_000) for seed, name in enumerate(MACHINES)]
    with open(os.devnull, "w") as file:
        print(write_merged(logs, file), "lines")


main()
