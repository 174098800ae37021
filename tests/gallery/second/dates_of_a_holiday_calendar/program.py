# SPDX-License-Identifier: Apache-2.0
"""Working days: an extension counts the days between two dates that are no holidays."""

import datetime

import workdays

HOLIDAYS = frozenset([datetime.date(2024, 5, 1), datetime.date(2024, 5, 9)])


def due_date(ordered, days):
    due = ordered
    while workdays.between(ordered, due) < days:
        due += datetime.timedelta(days=1)
        if due in HOLIDAYS:
            days += 1
    return due


def main():
    ordered = datetime.date(2024, 4, 29)
    print("ordered", ordered, flush=True)
    print("due", due_date(ordered, 10))


main()
