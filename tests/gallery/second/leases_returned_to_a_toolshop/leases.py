# SPDX-License-Identifier: Apache-2.0
"""Leases of tools: a lease that nobody holds any more is written off."""

import itertools

clock = itertools.count(100)


class Lease:
    def __init__(self, ledger, tool, member):
        self.ledger = ledger
        self.tool = tool
        self.member = member
        self.returned = False
        ledger.record(next(clock), f"{tool} to {member.name}")
        member.leases.append(self)

    def give_back(self):
        self.returned = True
        self.member.leases.remove(self)
        self.ledger.record(next(clock), f"{self.tool} is back")

    def __del__(self):
        if not self.returned:
            self.ledger.record(next(clock), f"{self.tool} is missing")


class Member:
    def __init__(self, name):
        self.name = name
        self.leases = []
