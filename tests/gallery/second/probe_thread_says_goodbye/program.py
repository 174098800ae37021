# SPDX-License-Identifier: Apache-2.0
"""A greenhouse: probes of the driver report their measure from a thread of their own."""

import threading

import probes


class Bed:
    def __init__(self, name, wanted):
        self.name, self.wanted = name, wanted
        self.seen = []
        self.dry = threading.Event()

    def measured(self, moisture):
        self.seen.append(moisture)
        if moisture < self.wanted:
            self.dry.set()


def water(beds):
    for bed in beds:
        probes.measure(bed.measured, 40 - len(bed.name))
    return [bed.name for bed in beds if bed.dry.is_set()]


def main():
    beds = [Bed("tomatoes", 35), Bed("lettuce", 30), Bed("cucumbers", 38)]
    print(water(beds))


main()
