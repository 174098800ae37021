# SPDX-License-Identifier: Apache-2.0
"""An address list is checked before it is printed: each name must begin with capitals."""

import csv
import ctypes
import io
import os

library = ctypes.CDLL(os.path.abspath("names.so"))

LIST = """name,town
Ida Marie Berg,Bergen
Pavel Novak,Brno
   Giulia de Santis,Siena
Noor van Dijk ,Delft
"""


class Checker:
    def __init__(self):
        self.wrong = []

    def check(self, row):
        initials = library.name_initials(row["name"].encode())
        if initials < 2:
            self.wrong.append(row["name"])
        return initials


def main():
    checker = Checker()
    for row in csv.DictReader(io.StringIO(LIST)):
        print(row["town"], checker.check(row), flush=True)
    print(checker.wrong)


main()
