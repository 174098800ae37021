# SPDX-License-Identifier: Apache-2.0
"""A card game settles the debts of a round: each player pays the neighbour on the left."""

import os
import queue
import threading

from wallets import Trade, Wallet

PLAYERS = ["ada", "ben", "cleo"]


class Banker(threading.Thread):
    """Settles the trades that are given to it; one banker per seat."""

    def __init__(self, seat):
        super().__init__(name="banker-%d" % seat)
        self.trades = queue.Queue()
        self.settled = 0
        self.refused = []

    def run(self):
        while True:
            trade = self.trades.get()
            if trade is None:
                return
            try:
                trade.settle()
                self.settled += 1
            except ValueError as error:
                self.refused.append(str(error))
            finally:
                self.trades.task_done()


class Table:
    def __init__(self):
        self.wallets = [Wallet(name, 100) for name in PLAYERS]
        self.bankers = [Banker(seat) for seat in range(len(PLAYERS))]
        for banker in self.bankers:
            banker.start()

    def left_of(self, seat):
        return self.wallets[(seat + 1) % len(self.wallets)]

    def first_round(self):
        self.bankers[0].trades.put(Trade(self.wallets[0], self.wallets[1], 5))
        self.bankers[0].trades.put(Trade(self.wallets[2], self.wallets[1], 500))
        self.bankers[0].trades.join()

    def pay_left(self, coins):
        together = threading.Barrier(len(PLAYERS))
        for seat, banker in enumerate(self.bankers):
            banker.trades.put(Trade(self.wallets[seat], self.left_of(seat), coins, together.wait))

    def close(self):
        for banker in self.bankers:
            banker.trades.put(None)
        for banker in self.bankers:
            banker.join()
        return sum(banker.settled for banker in self.bankers)


def main():
    table = Table()
    table.first_round()
    table.pay_left(10)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print("%d trades settled: %r" % (table.close(), table.wallets))


main()
