# SPDX-License-Identifier: Apache-2.0
"""Plays meter readings from packed arrays; a reader can be set back to a bookmark."""

from array import array


class Reader:
    """Reads the values of one day, from a bookmark on."""

    def __init__(self, values):
        self.cursor = iter(values)
        self.bookmark = 0
        self.done = 0

    def take(self, count):
        taken = []
        for value in self.cursor:
            taken.append(value)
            if len(taken) == count:
                break
        self.done += len(taken)
        return taken

    def mark(self):
        self.bookmark = self.done

    def back(self):
        self.cursor.__setstate__(self.bookmark)
        self.done = self.bookmark


class Bill:
    def __init__(self, days):
        self.readers = [Reader(day) for day in days]

    def total(self):
        sums = []
        for reader in self.readers:
            reader.take(6)
            reader.mark()
            quarter = reader.take(24)
            if sum(quarter) > 900:
                reader.back()
                quarter = reader.take(24)[::2]
            sums.append(sum(quarter))
        return sums


def main():
    days = [array("H", ((hour * day) % 43 for hour in range(96))) for day in range(20)]
    days.append(array("H", range(40, 64)))
    print(Bill(days).total())


main()
