# SPDX-License-Identifier: Apache-2.0
"""Planning of an inland port: which of the waiting lots go on the next barge, by branch and
bound; one level of the search for each lot. The deadline of the planner is not yet reached."""

import os
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Lot:
    name: str
    tons: int
    fee: int


class Planner:
    def __init__(self, lots, seconds):
        self.lots = sorted(lots, key=lambda lot: lot.fee / lot.tons, reverse=True)
        self.deadline = time.monotonic() + seconds
        self.best_fee = 0
        self.visited = 0

    def bound(self, position, room):
        fee = 0.0
        for lot in self.lots[position:]:
            if lot.tons > room:
                return fee + lot.fee * room / lot.tons
            fee, room = fee + lot.fee, room - lot.tons
        return fee

    def choose(self, position, room, fee):
        self.visited += 1
        if fee > self.best_fee:
            self.best_fee = fee
        if position == len(self.lots) or time.monotonic() > self.deadline:
            return
        if fee + self.bound(position, room) <= self.best_fee:
            return
        lot = self.lots[position]
        if lot.tons <= room:
            self.choose(position + 1, room - lot.tons, fee + lot.fee)
        self.choose(position + 1, room, fee)


def waiting_lots(count):
    return [Lot("lot-%d" % n, 97 + n * 7919 % 211, 97 + n * 7919 % 211 + 40) for n in range(count)]


def main():
    sys.setrecursionlimit(6000)
    planner = Planner(waiting_lots(1400), seconds=90)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    planner.choose(0, 150_001, 0)
    print(planner.best_fee, planner.visited)


main()
