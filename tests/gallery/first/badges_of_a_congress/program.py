# SPDX-License-Identifier: Apache-2.0
"""The badges of a congress are laid out company by company, then looked up at the desk."""

import ctypes
import os

COMPANIES = ["Albers", "Brandt & Co", "Cordes", "Dornier", "Evers", "Fabian", "Gerber", "Hagen"]
FIRST = ["Ada", "Bo", "Cem", "Dora", "Eva", "Finn", "Gesa", "Hugo", "Ida", "Jan", "Kim", "Lea"]


class Badge(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char * 24),
        ("row", ctypes.c_int32),
        ("column", ctypes.c_int32),
    ]


library = ctypes.CDLL(os.path.abspath("badges.so"))
library.badges_lay_out.argtypes = [
    ctypes.POINTER(Badge), ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int,
]  # fmt: skip


class Delegation:
    """The people that one company sends, and the sheet with their badges."""

    def __init__(self, company, people):
        self.company = company
        self.people = people
        self.sheet = (Badge * len(people))()
        self.places = {}
        for number, person in enumerate(people):
            self.places[person] = (company, number)

    def lay_out(self, columns=4):
        names = (ctypes.c_char_p * len(self.people))(*(p.encode() for p in self.people))
        return library.badges_lay_out(self.sheet, names, len(self.people), columns)

    def place(self, person):
        badge = self.sheet[self.places[person][1]]
        return badge.row, badge.column


class Desk:
    def __init__(self):
        self.delegations = {}
        self.handed_out = []

    def register(self, company, people):
        self.delegations[company] = Delegation(company, people)

    def print_sheets(self):
        return {name: each.lay_out() for name, each in self.delegations.items()}

    def hand_out(self, company, person):
        delegation = self.delegations[company]
        self.handed_out.append((delegation.places[person], delegation.place(person)))


def people_of(company):
    return [f"{first} {company[:3]}{n}" for n in range(4) for first in FIRST]


def main():
    desk = Desk()
    names = [f"{company} {branch}" for branch in range(5) for company in COMPANIES]
    for company in names:
        desk.register(company, people_of(company))
    sheets = desk.print_sheets()
    print(sum(sheets.values()), "rows printed")
    for company in names:
        for person in people_of(company):
            desk.hand_out(company, person)
    late = {f"late {number}": list(range(number % 90)) for number in range(2000)}
    print(len(desk.handed_out), len(late))


main()
