# SPDX-License-Identifier: Apache-2.0
"""Works out the heated area of buildings from their rooms."""

import gc

from building import Building


class Certificate:
    def __init__(self, number):
        self.number = number
        self.notes = []

    def __repr__(self):
        return f"certificate {self.number}: {self.notes}"


def survey(number):
    building = Building()
    for storey in range(4):
        for room in range(6):
            building.add_room(12.5 + storey + room * 3)
    certificate = Certificate(number)
    certificate.notes.append(("gross", round(building.area(), 1)))
    if number % 10 == 9:
        gc.collect()
    certificate.notes.append(("net", round(building.area() * 0.87, 1)))
    return certificate


def main():
    for number in range(30):
        print(survey(number), flush=True)


if __name__ == "__main__":
    main()
