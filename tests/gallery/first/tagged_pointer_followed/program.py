# SPDX-License-Identifier: Apache-2.0
"""A C library marks entries of its table by bit 62 of the pointer; one of its functions forgets to
take the mark off.
"""

import ctypes
import os

NAMES = ["main", "usage", "_start", "open_log", "_init", "close_log", "_fini", "version"]


def index_by_letter(library, numbers):
    return [chr(library.symbols_first_letter(number)) for number in numbers]


def main():
    library = ctypes.CDLL(os.path.abspath("symbols.so"))
    numbers = [
        library.symbols_add(name.encode(), int(not name.startswith("_"))) for name in NAMES * 8
    ]
    print([library.symbols_length(number) for number in numbers])
    print(index_by_letter(library, numbers[2:]))


main()
