# SPDX-License-Identifier: Apache-2.0
"""Market simulation: each stall is a process that opens when the market bell rings."""

import multiprocessing
import os


def run_stall(name, bell, till):
    bell.wait()
    till.put((name, sum(ord(letter) for letter in name) % 90))


class Market:
    def __init__(self, names):
        context = multiprocessing.get_context("fork")
        self.bell, self.till = context.Event(), context.Queue()
        self.stalls = [
            context.Process(target=run_stall, args=(name, self.bell, self.till)) for name in names
        ]

    def set_up(self):
        for stall in self.stalls:
            stall.start()

    def hold(self):
        for stall in self.stalls:
            stall.join()
        self.bell.set()
        return [self.till.get() for _ in self.stalls]


def main():
    market = Market(["cheese", "flowers"])
    market.set_up()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(market.hold())


main()
