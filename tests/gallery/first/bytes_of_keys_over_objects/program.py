# SPDX-License-Identifier: Apache-2.0
"""A key is expanded into a buffer that is too small; the objects behind it are overwritten."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cipher.so"))
library.expand.argtypes = [ctypes.c_void_p, ctypes.c_long]


class Key:
    __slots__ = ("name", "uses")

    def __init__(self, name):
        self.name, self.uses = name, 0


def total(keys):
    return sum(len(key.name) for key in keys)


def main():
    keys = [Key(f"key {n}") for n in range(600)]
    print(total(keys))
    library.expand(id(keys[300]), 240)
    print(total(keys))


main()
