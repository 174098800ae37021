# SPDX-License-Identifier: Apache-2.0
"""Church registers: who married whom, and in which parish; the persons are of an extension."""

import gc

import kinship


class Parish:
    __slots__ = ("name", "county")

    def __init__(self, number):
        self.name = "St. Nicholas %d" % number
        self.county = "county %d" % (number % 7)


def marry(parish, one, other):
    left, right = kinship.Person(one, parish), kinship.Person(other, parish)
    left.spouse, right.spouse = right, left
    return left


def page_of_register(parishes, year):
    couples = [marry(parish, "Hans %d" % year, "Grete %d" % year) for parish in parishes]
    return sum(len(couple.name) for couple in couples)


def load_scans(pages):
    return [b"\xb5" * (16 + page % 48) for page in range(pages)]


def describe(parishes):
    return ["%s (%s)" % (parish.name, parish.county) for parish in parishes]


def main():
    parishes = [Parish(number) for number in range(90)]
    letters = sum(page_of_register(parishes, 1780 + year) for year in range(4))
    gc.collect()
    scans = load_scans(9000)
    print(letters, len(scans), len(describe(parishes)))


main()
