# SPDX-License-Identifier: Apache-2.0
"""A town hall stamps its forms: sheets of 64 characters, filled by an old library."""

import ctypes
import os

COLUMNS = 64


class Stamper:
    def __init__(self):
        self.library = ctypes.CDLL(os.path.abspath("stamper.so"))
        self.library.stamp_sheet.argtypes = [
            ctypes.c_char_p,
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.c_int,
        ]

    def stamp(self, sheet, text, copies):
        return self.library.stamp_sheet(sheet, COLUMNS, text.encode(), copies)


class Form:
    def __init__(self, number):
        self.number = number
        self.sheet = b"." * (COLUMNS - 6) + b"%06d" % number
        self.copies = 4

    def text(self):
        return "PAID"


class Receipt(Form):
    pass


class Refusal(Form):
    """The law asks for more copies of these."""

    def __init__(self, number):
        super().__init__(number)
        self.copies = 96

    def text(self):
        return "REFUSED 3/7"


class Office:
    def __init__(self, stamper):
        self.stamper = stamper
        self.forms = []

    def take_in(self, number):
        for n in range(number):
            self.forms.append(Receipt(n))

    def refuse(self, place):
        number = self.forms[place].number
        refusal = Refusal(number)
        refusal.sheet = self.forms[place].sheet
        self.forms[place] = refusal

    def stamp_all(self):
        return sum(self.stamper.stamp(form.sheet, form.text(), form.copies) for form in self.forms)

    def archive(self):
        digest = 0
        for form in self.forms:
            digest = hash((digest, form.sheet.upper()))
        return digest


def main():
    office = Office(Stamper())
    office.take_in(600)
    print("%d characters stamped" % office.stamp_all(), flush=True)
    office.refuse(311)
    print("%d characters stamped" % office.stamp_all(), flush=True)
    office.archive()
    print("archived")


main()
