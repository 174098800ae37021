# SPDX-License-Identifier: Apache-2.0
"""Draw the codes of the vouchers that a fair hands out, and write them to a sheet."""

import os
import random

LETTERS = "ACDEFHKMNPRTWXY"


class VoucherBook:
    def __init__(self, seed, length):
        self.random = random.Random(seed)
        self.length = length
        self.issued = set()

    def draw_code(self):
        while True:
            code = "".join(self.random.choice(LETTERS) for _ in range(self.length))
            if code not in self.issued:
                self.issued.add(code)
                return code


def print_vouchers(book, guests, sheet):
    for number in range(guests):
        sheet.write("%04d %s\n" % (number, book.draw_code()))
    sheet.flush()


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    book = VoucherBook(seed=2024, length=2)
    with open("vouchers.txt", "w") as sheet:
        print_vouchers(book, 300, sheet)


main()
