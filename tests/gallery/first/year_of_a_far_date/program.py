# SPDX-License-Identifier: Apache-2.0
"""Years of dates that a file holds."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("years.so"))
library.year_of.argtypes = [ctypes.c_longlong]


def year(seconds):
    return library.year_of(seconds)


def main():
    for seconds in (0, 1_700_000_000, 1 << 60):
        print(year(seconds), flush=True)


main()
