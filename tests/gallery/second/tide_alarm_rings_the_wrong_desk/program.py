# SPDX-License-Identifier: Apache-2.0
"""The storm-flood watch of a coast: desks ask to be called when a gauge is above its limit, and each
district's journal takes down what comes in."""  # noqa: E501

import collections
import datetime
import logging
import sys

import tidegauge

log = logging.getLogger("flood-watch")
DISTRICTS = (
    "Leer",
    "Aurich",
    "Wittmund",
    "Friesland",
    "Wesermarsch",
    "Cuxhaven",
    "Stade",
    "Harburg",
)
GAUGES = ("Borkum", "Emden", "Norderney", "Wilhelmshaven", "Bremerhaven", "Hamburg")


class Desk:
    def __init__(self, name):
        self.name = name
        self.calls = []

    def called(self, gauge, centimetres):
        self.calls.append((GAUGES[gauge], centimetres))
        log.warning("%s: %s at %d cm", self.name, GAUGES[gauge], centimetres)


class Journal:
    """What came in, in a district."""

    def __init__(self, district):
        self.district = district
        self.lines = collections.deque(maxlen=500)

    def take_down(self, line):
        self.lines.append((datetime.datetime.now(), line.decode()))
        return len(self.lines)


def tide(hour, gauge):
    """Return centimetres above mean sea level in the night of a storm."""
    return 160 + 18 * hour + 7 * gauge - (hour % 6) * 9


class Watch:
    def __init__(self):
        self.desks = [Desk("dyke master"), Desk("fire brigade")]
        self.journals = [Journal(district) for district in DISTRICTS]

    def set_up(self):
        for desk in self.desks:
            tidegauge.call(desk.called)
        for journal in self.journals:
            tidegauge.write(journal.take_down)

    def night(self, hours):
        for hour in range(hours):
            for gauge in range(len(GAUGES)):
                tidegauge.reading(gauge, tide(hour, gauge))
            log.info("hour %d: %d lines", hour, len(self.journals[0].lines))


def main():
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    watch = Watch()
    watch.set_up()
    tidegauge.limit(5, 420)
    watch.night(16)
    log.info("%d calls", sum(len(desk.calls) for desk in watch.desks))
    return 0


if __name__ == "__main__":
    sys.exit(main())
