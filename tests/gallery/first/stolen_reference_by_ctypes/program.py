# SPDX-License-Identifier: Apache-2.0
"""PyList_SetItem steals the reference it is given; called by ctypes with a plain object, each
call takes one reference too many, and the object is freed in use.
"""

import ctypes

set_item = ctypes.pythonapi.PyList_SetItem
set_item.argtypes = [ctypes.py_object, ctypes.c_ssize_t, ctypes.py_object]


class Cell:
    __slots__ = ("value", "notes")

    def __init__(self, value):
        self.value = value
        self.notes = [value]


def fill(row, cells):
    for at, cell in enumerate(cells):
        set_item(row, at, cell)


def report(cells):
    return sum(cell.value + len(cell.notes) for cell in cells)


def main():
    cells = [Cell(n) for n in range(50)]
    for _ in range(2):
        row = [None] * 50
        fill(row, cells)
        del row
    noise = [b"\xc3" * n for n in range(8, 40) for _ in range(100)]
    print(report(cells), len(noise))


main()
