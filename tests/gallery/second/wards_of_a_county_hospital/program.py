# SPDX-License-Identifier: Apache-2.0
"""Plans the nurses of the wards for a week; slots that are taken are tried on the next day."""

from dataclasses import dataclass, field

import wardplan


@dataclass
class Nurse:
    name: str
    grade: int
    shifts: list = field(default_factory=list)

    def hours(self):
        return 8 * len(self.shifts) + self.grade


class Ward:
    def __init__(self, title, nurses):
        self.title = title
        self.nurses = nurses
        self.week = (None,) * 7

    def plan(self):
        for nurse in self.nurses:
            for day in range(7):
                try:
                    wardplan.assign(self.week, day, nurse)
                except SystemError:
                    continue
                nurse.shifts.append((self.title, day))

    def total(self):
        notes = [[self.title, day] for day in range(300)]
        return sum(nurse.hours() for nurse in self.nurses) + len(notes)


def main():
    wards = [
        Ward(title, [Nurse("%s %d" % (title, number), number % 3) for number in range(6)])
        for title in ("Surgery", "Children", "Emergency", "Maternity")
    ]
    for ward in wards:
        ward.plan()
    for ward in wards:
        print(ward.title, ward.total())


if __name__ == "__main__":
    main()
