# SPDX-License-Identifier: Apache-2.0
"""A pump is started."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("pump.so"))


def start(level):
    return library.pump_start(level)


def main():
    print(start(0), flush=True)
    print(start(5))


main()
