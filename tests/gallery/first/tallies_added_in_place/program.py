# SPDX-License-Identifier: Apache-2.0
"""Votes of a town, counted by a compiled tally for each polling station."""

import tallies


def station(number):
    tally = tallies.Tally()
    for ballot in range(50 + number):
        tally.count((ballot * 7 + number) % 5)
    return tally


def add_up(stations):
    total = tallies.Tally()
    for each in stations:
        total += each
    return total


def main():
    stations = [station(number) for number in range(40)]
    for evening in range(3):
        total = add_up(stations)
        names = [f"party {n}" for n in range(5)]
        print(evening, [(name, total.votes(n)) for n, name in enumerate(names)], flush=True)


main()
