# SPDX-License-Identifier: Apache-2.0
"""A web shop keeps its sessions in an ordered table that forgets what is too old."""

import itertools
from collections import OrderedDict, namedtuple

Session = namedtuple("Session", "visitor started basket")


class Clock:
    def __init__(self):
        self.now = 0.0

    def advance(self, seconds):
        self.now += seconds


class SessionTable(OrderedDict):
    """Sessions by their token; one that is looked at after its time takes all older ones along."""

    def __init__(self, clock=None, lifetime=900.0):
        super().__init__()
        self.clock = clock
        self.lifetime = lifetime
        self.forgotten = []  # when, in milliseconds

    def __getitem__(self, token):
        session = super().__getitem__(token)
        if self.clock is not None and self.clock.now - session.started > self.lifetime:
            self.forget_older(session.started)
        return session

    def forget_older(self, started):
        limit = max(started, self.clock.now - self.lifetime)
        for token in reversed(list(self)):
            if super().__getitem__(token).started <= limit:
                del self[token]
                self.forgotten.append(int(self.clock.now * 1000))


class Shop:
    def __init__(self):
        self.clock = Clock()
        self.sessions = SessionTable(self.clock)
        self.tokens = itertools.count(1)

    def visit(self, visitor):
        token = f"{next(self.tokens):06x}-{visitor % 97:02}"
        basket = {f"article {visitor * n % 31}": n for n in range(1, 2 + visitor % 4)}
        self.sessions[token] = Session(visitor, self.clock.now, basket)
        self.clock.advance(0.9)
        return token

    def buy(self, token):
        return sum(self.sessions[token].basket.values())

    def report(self):
        """Work on a copy: visitors come and go meanwhile."""
        sessions = self.sessions.copy()
        return len(sessions), sum(len(session.basket) for session in sessions.values())


def main():
    shop = Shop()
    sold = 0
    for visitor in range(900):
        token = shop.visit(visitor)
        if visitor % 5 == 0:
            sold += shop.buy(token)
    print("sold", sold, shop.report(), flush=True)
    shop.clock.advance(400)
    for visitor in range(900, 1000):
        shop.visit(visitor)
    print("later", shop.report())


main()
