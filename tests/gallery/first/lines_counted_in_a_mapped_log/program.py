# SPDX-License-Identifier: Apache-2.0
"""Counts the long lines of a log that is mapped into memory, byte by byte."""

import mmap
import os

NEWLINE = 10


class Log:
    def __init__(self, path):
        with open(path, "r+b") as file:
            self.data = mmap.mmap(file.fileno(), 0)
        self.size = len(self.data)

    def end_of_line(self, at):
        while at < self.size and self.data[at] != NEWLINE:
            at += 1
        return at

    def long_lines(self, limit):
        at = count = 0
        while at < self.size:
            end = self.end_of_line(at)
            count += end - at > limit
            at = end + 1
        return count


def main():
    with open("day.log", "wb") as file:
        for number in range(400):
            file.write(b"x" * 70_000 + b"%d\n" % number)
    log = Log("day.log")
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(sum(log.long_lines(limit) for limit in range(60_000, 80_000, 500)))


main()
