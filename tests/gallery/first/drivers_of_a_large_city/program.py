# SPDX-License-Identifier: Apache-2.0
"""Gives each call of a taxi rank to the next driver who is free."""

import itertools
import os


class Driver:
    def __init__(self, name):
        self.name = name
        self.fare = None
        self.passed_over = 0

    def free(self):
        if self.fare is not None:
            self.passed_over += 1
        return self.fare is None


class Rank:
    def __init__(self, names):
        self.drivers = [Driver(name) for name in names]
        self.turn = None

    def give(self, call):
        driver = next(driver for driver in self.drivers if driver.free())
        driver.fare = call
        return driver


def main():
    rank = Rank([f"driver {n}" for n in range(9000)])
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for call in range(9000):
        print(call, rank.give(call).name)


main()
