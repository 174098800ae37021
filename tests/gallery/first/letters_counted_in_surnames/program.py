# SPDX-License-Identifier: Apache-2.0
"""Letter frequencies of the surnames in each register; the registers' rows are kept as tuples."""

import ctypes
import os

SURNAMES = ["Abel", "Benes", "Cerny", "Doukas", "Ekman", "Faure", "Gruber"]
LATER = ["Sébire", "Lefèvre", "Begué", "Müller", "Peña"]


def rows_of(register, count):
    return [
        (register * 1.5 + n, "row", n, n + 1, "north", register, None, True, n * 0.25)
        for n in range(count)
    ]


class Letters:
    def __init__(self, library):
        self.library = library
        self.counts = (ctypes.c_int * 26)()

    def count(self, surnames):
        for surname in surnames:
            self.library.count_letters(surname.encode(), self.counts)
        return sum(self.counts)


def main():
    library = ctypes.CDLL(os.path.abspath("letters.so"))
    registers, letters = [], []
    for register in range(9):
        registers.append(rows_of(register, 150))
        letters.append(Letters(library))
    print([each.count(SURNAMES) for each in letters])
    print([each.count(LATER) for each in letters])
    print(sum(row[0] + row[8] for rows in registers for row in rows))


main()
