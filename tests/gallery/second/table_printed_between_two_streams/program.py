# SPDX-License-Identifier: Apache-2.0
"""A solver in C prints its own lines between Python's; both go to the same terminal."""

import ctypes
import os
import sys

libc = ctypes.CDLL(None)


class Report:
    def __init__(self, stream):
        self.stream = stream
        self.rows = 0

    def heading(self, text):
        self.in_order()
        print(text, file=self.stream)
        print("-" * len(text), file=self.stream)

    def row(self, name, value):
        libc.printf(b"%-12s %8ld\n", name.encode(), ctypes.c_long(value))
        self.rows += 1

    def in_order(self):
        """Let out what either side still holds back."""
        if self.rows:
            libc.fflush(self.stream.fileno())
        self.stream.flush()


def main():
    report = Report(sys.stdout)
    for depot in ("north", "south"):
        report.heading(f"depot {depot} of process {os.getpid()}")
        for number in range(5):
            report.row(f"lorry {number}", len(depot) * 1000 + number * 37)
    report.in_order()


main()
