# SPDX-License-Identifier: Apache-2.0
"""Parts of a machine are made and dropped."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("machine.so"))
library.engine_new.restype = ctypes.c_void_p
library.engine_drop.argtypes = [ctypes.c_void_p]


def drop(part):
    library.engine_drop(part)


def main():
    parts = [library.engine_new() for _ in range(3)]
    for part in parts:
        drop(part)


main()
