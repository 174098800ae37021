# SPDX-License-Identifier: Apache-2.0
"""Settles the payments of a day in groups; what failed is reported in one go."""

import random


class Declined(Exception):
    pass


class Unreachable(Exception):
    pass


class SettlementFailures(ExceptionGroup):
    def __new__(cls, message, failures, day):
        group = super().__new__(cls, message, failures)
        group.day = day
        return group

    def derive(self, failures):
        return SettlementFailures(self.message, failures, self.day)

    def split(self, condition):
        wanted = [e for e in self.exceptions if isinstance(e, condition)]
        others = [e for e in self.exceptions if not isinstance(e, condition)]
        return [self.derive(part) if part else None for part in (wanted, others)]


def settle(payment, chance):
    if payment % 17 == 3:
        raise Declined(f"payment {payment}")
    if chance.random() < 0.05:
        raise Unreachable(f"bank of payment {payment}")
    return payment


def settle_day(day, chance):
    failures = []
    for payment in range(200):
        try:
            settle(payment, chance)
        except (Declined, Unreachable) as failure:
            failures.append(failure)
    if failures:
        raise SettlementFailures("not settled", failures, day)


def main():
    chance = random.Random(5)
    declined = []
    for day in range(5):
        try:
            settle_day(day, chance)
        except* Declined as group:
            declined += group.exceptions
        except* Unreachable as group:
            print("asked again tomorrow:", len(group.exceptions))
    print(len(declined), "declined")


if __name__ == "__main__":
    main()
