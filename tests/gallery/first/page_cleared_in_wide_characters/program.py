# SPDX-License-Identifier: Apache-2.0
"""Clears the lines of a departure display, which a C library keeps as text."""

import ctypes
from pathlib import Path

LIBRARY = ctypes.CDLL(str(Path(__file__).with_name("display.so")))
LIBRARY.blank.argtypes = [ctypes.c_char_p, ctypes.c_int]


class Line:
    def __init__(self, columns):
        self.text = ctypes.create_string_buffer(b"." * columns, columns)
        self.columns = columns

    def blank(self):
        LIBRARY.blank(self.text, self.columns)


class Display:
    def __init__(self, rows, columns):
        self.lines = []
        self.trains = []
        for row in range(rows):
            self.lines.append(Line(columns))
            self.trains.append({"track": row + 300, "minutes": [row * 7.5 + i for i in range(6)]})

    def minutes(self):
        return sum(sum(train["minutes"]) for train in self.trains)


def main():
    display = Display(24, 80)
    print(display.minutes())
    display.lines[5].blank()
    for _ in range(50):
        copy = [dict(train, minutes=list(train["minutes"])) for train in display.trains]
        display.trains = copy
        display.minutes()
    for line in display.lines:
        line.blank()
    print(display.minutes())


main()
