# SPDX-License-Identifier: Apache-2.0
"""Hears the telegrams of the gates at level crossings."""

from serial_line import Framing

OPEN, CLOSED, BREAK = 0x10, 0x11, 0x7F


def telegram(kind, text):
    return bytes([len(text), kind]) + text + bytes([sum(text) % 256])


class Crossing:
    def __init__(self, name):
        self.name, self.state, self.changes = name, None, 0

    def hear(self, kind):
        self.state = "open" if kind == OPEN else "closed"
        self.changes += 1


class Keeper:
    def __init__(self):
        self.framing = Framing()
        self.crossings = {}

    def hear(self, data):
        for kind, name in self.framing.feed(data):
            if kind == BREAK:
                print("the line was broken", flush=True)
                continue
            crossing = self.crossings.setdefault(name, Crossing(name.decode()))
            crossing.hear(kind)


def main():
    keeper = Keeper()
    names = [f"crossing at kilometre {n}".encode() for n in range(40)]
    for turn in range(30):
        for name in names:
            keeper.hear(telegram(OPEN if turn % 2 else CLOSED, name))
    print(len(keeper.crossings), "crossings", flush=True)
    keeper.hear(telegram(BREAK, b"line 3 was cut off here")[:9])
    keeper.hear(telegram(OPEN, names[0]))
    print(keeper.crossings[names[0]].changes)


if __name__ == "__main__":
    main()
