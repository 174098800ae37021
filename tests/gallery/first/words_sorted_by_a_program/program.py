# SPDX-License-Identifier: Apache-2.0
"""Has words sorted by another program."""

import os
import subprocess


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Sorter:
    def __init__(self):
        self.process = subprocess.Popen(
            ["sort"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def sorted(self, words):
        for word in words:
            self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return self.process.stdout.read().split()


def main():
    sorter = Sorter()
    tell()
    print(sorter.sorted(["pear", "apple", "plum"]))


main()
