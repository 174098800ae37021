# SPDX-License-Identifier: Apache-2.0
"""The gate of a festival: gate.so keeps a card for each guest inside, Python the day's visits."""

import gate

NAMES = ["Ada", "Bo", "Cleo", "Dag", "Eli", "Fay", "Gus", "Hal"]


def let_in(names):
    return {name: gate.enter(name) for name in names}


def passes_the_bar(cards, name):
    gate.seen(cards[name])


def visits_of(names, days):
    return [[name, day] for day in range(days) for name in names]


def main():
    cards = let_in(NAMES)
    for name in NAMES:
        passes_the_bar(cards, name)
    for name in NAMES[:6]:
        gate.leave(cards[name])
    visits = visits_of(NAMES, 40)
    for name in NAMES:
        passes_the_bar(cards, name)
    total = 0
    for visit in visits:
        total += len(visit[0]) * visit[1]
    print(total, "points")


main()
