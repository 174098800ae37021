# SPDX-License-Identifier: Apache-2.0
"""A cooperative pays out what its wind turbines earned, turbine by turbine."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date, timedelta

import shares


@dataclass
class Member:
    number: int
    name: str
    balance: int = 0


@dataclass
class Turbine:
    name: str
    holdings: dict = field(default_factory=dict)  # member number -> (parts, until)

    def subscribe(self, member, parts, until):
        self.holdings[member.number] = (parts, until)

    def parts_on(self, day):
        return {
            number: parts if until >= day else 0 for number, (parts, until) in self.holdings.items()
        }


class Cooperative:
    def __init__(self, count):
        self.members = {number: Member(number, f"member {number}") for number in range(count)}
        self.turbines = []

    def build(self, name, every, parts, until):
        turbine = Turbine(name)
        for number, member in self.members.items():
            if number % every == 0:
                end = until - timedelta(days=number % 40)
                turbine.subscribe(member, parts + number % 3, end)
        self.turbines.append(turbine)

    def pay(self, turbine, day, cents):
        parts = turbine.parts_on(day)
        paid = shares.distribute_among(list(parts.values()), cents)
        for number, amount in zip(parts, paid):
            self.members[number].balance += amount
        return sum(paid)

    def quarter(self, day):
        def one(numbered):
            index, turbine = numbered
            return self.pay(turbine, day, 1_250_000 + 3517 * index)

        with ThreadPoolExecutor(2, thread_name_prefix="payout") as pool:
            return sum(pool.map(one, enumerate(self.turbines)))


def main():
    cooperative = Cooperative(500)
    start = date(2019, 3, 31)
    for number in range(9):
        until = start + timedelta(days=900 + 150 * number)
        cooperative.build(f"WEA {number}", 2 + number % 4, 5, until)
    for quarter in range(16):
        day = start + timedelta(days=91 * quarter)
        print(day, cooperative.quarter(day), flush=True)


main()
