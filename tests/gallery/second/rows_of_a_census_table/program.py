# SPDX-License-Identifier: Apache-2.0
"""Counts the persons of a census by groups of age and by occupation."""

import array
import collections

import census

Household = collections.namedtuple("Household", "street number ages")


class District:
    def __init__(self, name, rows):
        self.name = name
        self.table = array.array("l", bytes(8 * 8 * rows))
        self.households = []

    def register(self, household):
        self.households.append(household)

    def recount(self):
        for household in self.households:
            for age in household.ages:
                census.restart_row(self.table, age)
        for household in self.households:
            for age in household.ages:
                census.count_person(self.table, age, age % 8)

    def publish(self):
        total = sum(self.table)
        self.table = None
        return "%s: %d persons in %d households" % (self.name, total, len(self.households))


def main():
    districts = []
    for number in range(60):
        district = District("district %d" % number, 13)
        for house in range(12):
            ages = [15 + (house * 7 + n * 11) % 30 for n in range(3)]
            if number == 37 and house == 9:
                ages.append(9)
            district.register(Household("Elm Street", house, tuple(ages)))
        districts.append(district)
    for district in districts:
        district.recount()
    while districts:
        print(districts.pop().publish())


if __name__ == "__main__":
    main()
