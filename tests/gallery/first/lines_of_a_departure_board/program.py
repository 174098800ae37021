# SPDX-License-Identifier: Apache-2.0
"""Departures of a station: each train has its small board of six lines, filled by a helper in C."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("board.so"))
COLUMNS, ROWS = 10, 6


class Board:
    __slots__ = ("track", "cells")

    def __init__(self, track):
        self.track = track
        self.cells = bytearray(COLUMNS * ROWS)

    def show(self, *lines):
        cells = (ctypes.c_char * len(self.cells)).from_buffer(self.cells)
        library.board_blank(cells, COLUMNS, ROWS)
        for row, line in enumerate(lines):
            library.board_put(cells, COLUMNS, row, line.encode())

    def text(self):
        return [bytes(self.cells[n : n + COLUMNS]).decode() for n in range(0, COLUMNS * 2, COLUMNS)]


class Train:
    __slots__ = ("number", "leaves", "goal", "late")

    def __init__(self, number):
        self.number = 2000 + number
        self.leaves = f"{6 + number // 60:02d}:{number % 60:02d}"
        self.goal = ("Basel", "Chur", "Brig", "Olten")[number % 4]
        self.late = 0


def main():
    station = [(Board(n % 16), Train(n)) for n in range(600)]
    for board, train in station[::40]:
        board.show(train.leaves, train.goal)
    for board, train in station:
        train.late += train.number % 7 == 0
    print(sum(train.late for _, train in station))
    print(station[40][0].text(), flush=True)


main()
