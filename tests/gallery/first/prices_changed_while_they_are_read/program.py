# SPDX-License-Identifier: Apache-2.0
"""Prices are announced one by one; a sale ends meanwhile."""

import prices


class Price:
    def __init__(self, amount):
        self.amount = amount
        self.history = [amount] * 50


def announce(table, sale_ends):
    said = []

    def tell(name):
        said.append(name)
        if len(said) == sale_ends:
            table.clear()
            said.extend(bytes([n % 256]) * 40 for n in range(2000))

    return prices.prices_walk(table, tell)


def main():
    print(announce({f"boat {n}": Price(1000 + n) for n in range(10)}, 100), flush=True)
    print(announce({f"boat {n}": Price(1000 + n) for n in range(10)}, 3))


main()
