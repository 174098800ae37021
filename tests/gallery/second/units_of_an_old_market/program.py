# SPDX-License-Identifier: Apache-2.0
"""Old measures of a corn market, converted to litres by a library that knows their chain."""

import ctypes
import os

LIBRARY = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "measures.so"))
LIBRARY.in_litres.restype = ctypes.c_double
LIBRARY.in_litres.argtypes = [ctypes.c_char_p]
LIBRARY.define.argtypes = [ctypes.c_char_p, ctypes.c_double, ctypes.c_char_p]

CITIES = {
    "Hamburg": "litre=1 litre; fass=54.9 litre; wispel=20 fass",
    "Luebeck": "litre=1 litre; scheffel=34.7 litre; drompt=12 scheffel; last=8 drompt",
    "Danzig": "litre=1 litre; scheffel=0.0166 last; last=3 winspel; winspel=20 scheffel",
}


def load(table):
    names = []
    for line in table.split(";"):
        name, rule = line.strip().split("=")
        factor, base = rule.split()
        LIBRARY.define(name.encode(), float(factor), base.encode())
        names.append(name)
    return names


def main():
    for city, table in CITIES.items():
        LIBRARY.forget_all()
        for name in load(table):
            print(city, name, "%.2f" % LIBRARY.in_litres(name.encode()))


main()
