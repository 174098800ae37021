# SPDX-License-Identifier: Apache-2.0
"""Seals the entries of a customs ledger before they are sent."""

import gc

import seals


class Entry:
    __slots__ = ("record", "goods")

    def __init__(self, number, goods):
        self.goods = goods
        self.record = bytearray(b"%06d %-39s" % (number, goods.encode()))


class Ledger:
    def __init__(self):
        self.entries = []
        self.checks = set()

    def enter(self, goods):
        entry = Entry(len(self.entries), goods)
        self.entries.append(entry)
        return entry

    def seal(self):
        for entry in self.entries:
            self.checks.add(seals.seal_entry(entry.record))


def main():
    ledger = Ledger()
    for number in range(600):
        ledger.enter("crates of oranges, lot %d" % number)
        ledger.enter("bales of wool, lot %d" % number)
    ledger.seal()
    print(len(ledger.checks), "checks")
    ledger.entries = ledger.entries[::2]
    gc.collect()
    print(len(ledger.entries), "entries left")


if __name__ == "__main__":
    main()
