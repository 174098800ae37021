# SPDX-License-Identifier: Apache-2.0
"""Cleans a list of addresses with a chain of stages that grows with every rule learnt."""

import random


def squeeze(text):
    return " ".join(text.split())


class Cleaner:
    def __init__(self, source):
        self.stream = iter(source)
        self.stages = 0

    def add(self, function):
        self.stream = map(function, self.stream)
        self.stages += 1
        return self

    def results(self):
        return list(self.stream)


def learn(cleaner, rules):
    for kind in rules:
        cleaner.add(str.strip if kind else squeeze)
    return cleaner


def main():
    chance = random.Random(7)
    addresses = ["  Main   street 4 ", "Mill  lane 12", " Quay 1"]
    print(learn(Cleaner(addresses), [1, 0, 1]).results())
    rules = [1] * 400_000
    rules[chance.randrange(1000)] = 0
    print(learn(Cleaner(addresses), rules).results())


main()
