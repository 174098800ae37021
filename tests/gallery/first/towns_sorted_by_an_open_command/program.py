# SPDX-License-Identifier: Apache-2.0
"""The towns of a timetable are sorted by the command sort."""

import os
import subprocess
import threading


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Sorter:
    def __init__(self, *options):
        self.process = subprocess.Popen(
            ["sort", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def feed(self, lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def sorted_lines(self):
        return [line.rstrip("\n") for line in self.process.stdout]


def main():
    threading.Timer(0.5, ready).start()
    sorter = Sorter("-u")
    sorter.feed(["Oslo", "Bergen", "Oslo", "Hamar"])
    print(sorter.sorted_lines())


main()
