# SPDX-License-Identifier: Apache-2.0
"""A CSV importer lets a C function find the columns of each line; -1 ends the list of columns."""

import ctypes
import gc
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "columns.so"))
library.find_columns.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_long]
library.find_columns.restype = ctypes.c_long
ROOM = 6


class Row:
    __slots__ = ("line", "starts")

    def __init__(self, line, starts):
        self.line, self.starts = line, starts


def prepare(lines):
    return [Row(line, (ctypes.c_long * ROOM)()) for line in lines]


def split(row):
    used = library.find_columns(row.line, row.starts, ROOM)
    return [row.line[row.starts[n] :] for n in range(used)]


def import_lines(lines):
    rows = prepare(lines)
    width = max(len(split(row)) for row in rows)
    return width, rows


def main():
    short = [b"%d;apple;1;2" % n for n in range(300)]
    wide = [b"%d;pear;3;4;5;6" % n for n in range(300)]
    print(import_lines(short)[0])
    width, rows = import_lines(wide)
    print(width, gc.collect(), len(rows))


main()
