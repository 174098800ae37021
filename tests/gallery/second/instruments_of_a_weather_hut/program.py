# SPDX-License-Identifier: Apache-2.0
"""Reads the instruments of a weather hut; some of them retire in the middle of a round."""

import weakref

from hut import Instrument, poll


class Logbook:
    def __init__(self):
        self.instruments = {}
        self.rows = []

    def install(self, name, samples):
        self.instruments[name] = Instrument(name, samples)
        return weakref.ref(self.instruments[name])

    def note(self, name, mean):
        self.rows.append((name, round(mean, 3)))
        if mean > 90.0:
            self.retire(name)

    def retire(self, name):
        self.rows.append((name, "out of order"))
        self.instruments.pop(name, None)


def main():
    logbook = Logbook()
    watched = [
        logbook.install("thermometer", [11.0, 11.5, 12.5]),
        logbook.install("anemometer", [3.0, 4.5, 2.5, 6.0]),
        logbook.install("hygrometer", [64.0, 66.0]),
        logbook.install("barometer", [98.0, 99.5, 101.0, 99.0, 97.0]),
    ]
    for _ in range(3):
        drift = poll(watched, logbook.note)
        print("drift", round(drift, 3), logbook.rows[-2:], flush=True)


if __name__ == "__main__":
    main()
