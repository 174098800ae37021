"""Wallets of a game's players; a trade holds both of its wallets."""

import contextlib
import threading


class Wallet:
    def __init__(self, owner, coins):
        self.owner = owner
        self.coins = coins
        self.lock = threading.Lock()
        self.history = []

    def __repr__(self):
        return "<Wallet of %s: %d>" % (self.owner, self.coins)


class Trade:
    def __init__(self, giver, taker, coins, opened=lambda: None):
        self.giver, self.taker, self.coins = giver, taker, coins
        self.opened = opened

    def settle(self):
        with contextlib.ExitStack() as held:
            held.enter_context(self.giver.lock)
            if self.giver.coins < self.coins:
                raise ValueError("%r is too poor" % self.giver)
            self.opened()
            held.enter_context(self.taker.lock)
            self.giver.coins -= self.coins
            self.taker.coins += self.coins
            for wallet in (self.giver, self.taker):
                wallet.history.append((self.giver.owner, self.taker.owner, self.coins))
