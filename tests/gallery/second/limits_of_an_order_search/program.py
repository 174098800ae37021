# SPDX-License-Identifier: Apache-2.0
"""Searches orders between two limits; a native module calls back for every match."""

import ordersearch


class Matches:
    def __init__(self):
        self.found = []

    def take(self, number, amount):
        self.found.append((number, amount))


def orders(count):
    return [(1000 + number, float(number * 37 % 900)) for number in range(count)]


def search(book, low, high):
    matches = Matches()
    ordersearch.between(book, matches.take, low, high)
    return matches.found


def main():
    book = orders(400)
    print(len(search(book, 100, 250)), "orders", flush=True)


main()
