# SPDX-License-Identifier: Apache-2.0
"""Tickets of a help desk are listed in two places."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("tickets.so"))
library.ticket_open.argtypes = [ctypes.c_char_p]


def answer(names):
    for name in names:
        library.ticket_open(name.encode())
    return library.ticket_close()


def main():
    print(answer(["printer does not print", "screen is dark"]))


main()
