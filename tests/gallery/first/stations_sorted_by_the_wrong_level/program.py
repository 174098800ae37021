# SPDX-License-Identifier: Apache-2.0
"""Stations of a line, in order."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("stations.so"))


def in_order(names):
    table = (ctypes.c_char * 16 * len(names))()
    for number, name in enumerate(names):
        table[number].value = name.encode()
    library.stations_sort(table, len(names))
    return [bytes(entry.value).decode() for entry in table]


def main():
    print(in_order(["Northbridge", "Millfield", "Oldharbour", "Castle Hill"]))


main()
