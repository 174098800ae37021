# SPDX-License-Identifier: Apache-2.0
"""An extension gives back a reference to a list item that it had only borrowed."""

import registry


class Entry:
    __slots__ = ("name", "tags")

    def __init__(self, number):
        self.name = "entry-%d" % number
        self.tags = [number, str(number)]


def report(entries):
    return sum(len(entry.tags) + len(entry.name) for entry in entries)


def main():
    entries = [Entry(number) for number in range(64)]
    for number in range(0, 64, 2):
        registry.touch(entries, number)
    fillers = [{"k%d" % n: float(n)} for n in range(500)]
    noise = [b"\xa5" * (24 + n % 32) for n in range(4000)]
    print(report(entries), len(fillers), len(noise))


main()
