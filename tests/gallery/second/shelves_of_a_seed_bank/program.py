# SPDX-License-Identifier: Apache-2.0
"""Shelves of a seed bank are filled from a list that a parser in C reads."""

import seed_shelves


class Sample:
    def __init__(self, name):
        self.name = name
        self.notes = [name]
        self.shelf = None


def stock_list(shelves, samples=400):
    names = [[f"sample-{n}-{k}" for k in range(samples)] for n in range(shelves)]
    return [f"shelf {n}: " + ", ".join(each) for n, each in enumerate(names)]


def main():
    bank = []
    for line in stock_list(60):
        shelf = seed_shelves.read_shelf(line, Sample)
        bank.append(shelf)
        if len(bank) % 20 == 0:
            print(len(bank), "shelves", flush=True)
    print(sum(len(shelf) for shelf in bank))


main()
