# SPDX-License-Identifier: Apache-2.0
"""Hours of a month from payroll sheets, summed by a library in C++."""

import ctypes
import os
from functools import partial


def open_library(name):
    library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), name))
    library.sum_hours.restype = ctypes.c_double
    library.sum_hours.argtypes = [ctypes.c_char_p, ctypes.c_int]
    return library


SHEETS = {
    "store": ["Anna;8;8;7.5;8;8", "Bert;6;6;6;6;0"],
    "kitchen": ["Carla;9;9;0;9;9", "Dora;8;sick;sick;8;8", "Emil;4;4;4;4;4"],
}


def hours(library, row, rate):
    name, _, _ = row.partition(";")
    return name, rate * library.sum_hours(row.encode(), 1)


def main():
    pay = partial(hours, open_library("payroll.so"), rate=17.5)
    for place, rows in SHEETS.items():
        print(place, dict(map(pay, rows)))


main()
