# SPDX-License-Identifier: Apache-2.0
"""Boards of a tram: each shows the stations of its line on one line of text."""

import ctypes
import os

BOARDS = ctypes.CDLL(os.path.abspath("boards.so"))
BOARDS.add_board.restype = ctypes.c_void_p
BOARDS.add_station.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]

LINES = {
    1: ["Harbour", "Town Hall", "Museum"],
    2: ["Harbour", "Fish Market", "Observatory", "Botanical Garden", "University Hospital",
        "Old Brewery", "Stadium", "Exhibition Grounds", "Airport Terminal 1", "Airport Terminal 2"],
    3: ["Museum", "Lake"],
}  # fmt: skip


def fill_boards():
    for number, stations in LINES.items():
        board = BOARDS.add_board()
        for minutes, station in enumerate(stations):
            BOARDS.add_station(board, station.encode(), 3 * minutes)


def main():
    fill_boards()
    print("longest board:", BOARDS.longest_board())


main()
