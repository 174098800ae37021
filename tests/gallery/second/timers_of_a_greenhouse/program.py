# SPDX-License-Identifier: Apache-2.0
"""Waters the beds of a greenhouse by the clock of an event loop."""

import functools

import ticker


class Bed:
    def __init__(self, name, every):
        self.name = name
        self.every = every
        self.litres = 0.0

    def water(self, litres):
        self.litres += litres


class Greenhouse:
    def __init__(self, beds):
        self.loop = ticker.Loop()
        self.beds = beds

    def plan(self):
        for bed in self.beds:
            self.loop.call_later(bed.every, functools.partial(bed.water, 1.5))

    def report(self):
        return {bed.name: "%.1f" % bed.litres for bed in self.beds}


def main():
    house = Greenhouse([Bed("bed %d" % n, 60.0 * (n % 5 + 1)) for n in range(40)])
    house.plan()
    log = []
    for minute in range(10):
        log.append([str(minute), house.report()])
        house.loop.advance(60.0)
    print(log[-1])


if __name__ == "__main__":
    main()
