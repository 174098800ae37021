# SPDX-License-Identifier: Apache-2.0
"""A C cache keeps an object without a reference; the memory is used for other data later."""

import ctypes
import os

library = ctypes.PyDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cache.so"))
library.remember.argtypes = [ctypes.py_object]


class Unit:
    __slots__ = ("a", "b", "c", "d", "e", "f")


def last_unit():
    return library.describe()


def main():
    unit = Unit()
    unit.a = 5
    library.remember(unit)
    print(last_unit())
    del unit
    kept = [bytes((n * 7 + m * 13) % 255 + 1 for m in range(38)) for n in range(300)]
    print(len(kept), last_unit())


main()
