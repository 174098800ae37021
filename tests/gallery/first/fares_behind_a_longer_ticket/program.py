# SPDX-License-Identifier: Apache-2.0
"""One library writes past the end of its block; another one checks the block behind it."""

import ctypes
import os

tickets = ctypes.CDLL(os.path.abspath("tickets.so"))
fares = ctypes.CDLL(os.path.abspath("fares.so"))


def open_day():
    tickets.open_roll(6000)
    fares.open_table()


def sell():
    tickets.print_all(6100)
    return fares.check()


open_day()
print(sell())
