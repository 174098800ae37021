# SPDX-License-Identifier: Apache-2.0
"""A till books payments by the card terminal's library and tells the cashier what went wrong."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))


class Terminal:
    def __init__(self):
        self.library = ctypes.CDLL(os.path.join(HERE, "cardterm.so"))
        self.library.card_charge.argtypes = [ctypes.c_char_p, ctypes.c_long]
        self.library.card_last_problem.restype = ctypes.c_char_p

    def charge(self, card, cents):
        if self.library.card_charge(card.encode(), cents) == 0:
            return "paid"
        return self.library.card_last_problem().decode()


def main():
    terminal = Terminal()
    payments = [("4000123412341234", 1999), ("40001234", 500), ("4000999912341234", -5)]
    for card, cents in payments:
        print(card[-4:], cents, terminal.charge(card, cents), flush=True)


main()
