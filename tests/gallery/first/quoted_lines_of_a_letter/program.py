# SPDX-License-Identifier: Apache-2.0
"""Quoted lines are counted in letters."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("quotes.so"))
library.quotes_in.argtypes = [ctypes.c_char_p]


def quoted(letter):
    return library.quotes_in(letter.encode())


def main():
    print(quoted('"short" one'), flush=True)
    print(quoted('"' + "a very long line of a letter " * 20000 + '" end'))


main()
