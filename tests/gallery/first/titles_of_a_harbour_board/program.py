# SPDX-License-Identifier: Apache-2.0
"""The board of a harbour: a notice on top, below it the hours of the ships at their quays."""

import board

NOTICE = "Notice to all masters of ships: " + "mind the ferry at the northern mole; " * 5
CALM = "All ships at anchor: " + "the harbour is closed in the fog; " * 5


class Harbour:
    def __init__(self):
        self.board = board.Board()
        self.calls = []

    def open(self):
        self.board.title(NOTICE[:200])

    def arrive(self, ships):
        """Note the hours at which each ship will call at the twenty quays."""
        for ship in range(ships):
            self.calls.append(tuple([ship % 24 + quay for quay in range(20)]))

    def close(self):
        self.board.title(CALM[:190])

    def hours(self):
        total = 0
        for hours in self.calls:
            total += sum(hours)
        return total


def main():
    harbour = Harbour()
    harbour.arrive(100)
    harbour.open()
    harbour.arrive(4000)
    print(harbour.hours())
    harbour.close()
    departures = ["departure %d" % number for number in range(100)]
    print(len(departures))
    print(harbour.hours())


main()
