# SPDX-License-Identifier: Apache-2.0
"""A surveyor's tables: angles are turned into slopes by the C library's functions."""

import ctypes
import json
import os

libm = ctypes.CDLL("libm.so.6")


def bind(name):
    function = libm[name]
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_double]
    return function


FUNCTIONS = {name: bind(name) for name in ("sin", "cos", "tan", "atan", "sinh", "cosh", "exp")}


class Table:
    def __init__(self, name, steps):
        self.name, self.steps = name, steps

    def rows(self):
        function = FUNCTIONS[self.name]
        return [function(n / self.steps) for n in range(self.steps)]


def print_tables(tables):
    return {table.name: round(sum(table.rows()), 6) for table in tables}


def main():
    tables = [Table(name, 90) for name in FUNCTIONS]
    print(print_tables(tables), flush=True)
    place = ctypes.addressof(FUNCTIONS["atan"])
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 38]]}) + "\n")
    input()
    for _ in range(3):
        print(print_tables(tables), flush=True)


main()
