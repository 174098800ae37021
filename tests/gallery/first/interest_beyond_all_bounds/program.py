# SPDX-License-Identifier: Apache-2.0
"""What a deposit grows to, with a library that rounds strictly."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("strict_rounding.so"))
library.round_cents.restype = ctypes.c_double
library.round_cents.argtypes = [ctypes.c_double]


def grow(deposit, rate, years):
    for _ in range(years):
        deposit = deposit * rate
    return deposit


def main():
    library.rounding_start()
    for deposit, rate, years in [(100.0, 1.03, 20), (1e6, 1.5, 100), (1e12, 12.5, 900)]:
        print(library.round_cents(min(grow(deposit, rate, years), 1e15)), flush=True)


main()
