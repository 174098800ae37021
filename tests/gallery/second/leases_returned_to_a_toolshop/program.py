# SPDX-License-Identifier: Apache-2.0
"""A year at a shop that lends tools to its members."""

import os

from leases import Lease, Member
from ledger import Ledger

TOOLS = ["chisel", "plane", "mortiser", "spokeshave", "bow saw"]


class Shop:
    def __init__(self):
        self.ledger = Ledger()

    def season(self, members):
        """Lend to members; every tenth of them is never seen again."""
        for number in range(members):
            member = Member(f"member {number}")
            lease = Lease(self.ledger, TOOLS[number % len(TOOLS)], member)
            if number % 10:
                lease.give_back()


def main():
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    shop = Shop()
    for _ in range(40):
        shop.season(500)
    shop.ledger.open()
    shop.ledger.close()
    print(len(shop.ledger.lines), "entries of the year")


if __name__ == "__main__":
    main()
