# SPDX-License-Identifier: Apache-2.0
"""Charts the depths of a harbour from the lines that a survey boat has sailed."""

import array
import logging
import random

import echosounder

log = logging.getLogger("survey")
SAMPLES = 512


class Line:
    def __init__(self, number, pings=120):
        self.number = number
        dice = random.Random(number)
        echoes = bytearray()
        for ping in range(pings):
            trace = bytearray(dice.randrange(40) for _ in range(SAMPLES))
            if not (number == 17 and ping == 91):  # the boat crossed the wake of a ferry
                trace[100 + (ping * number) % 200] = 180 + dice.randrange(60)
            echoes += trace
        self.echoes = bytes(echoes)

    def profile(self, threshold):
        found = array.array("f")
        found.frombytes(echosounder.depths(self.echoes, SAMPLES, threshold))
        return found


class Chart:
    """The soundings so far, and the lines that have to be sailed again."""

    def __init__(self, threshold=90):
        self.threshold = threshold
        self.soundings = {}
        self.again = []

    def add(self, line):
        try:
            profile = line.profile(self.threshold)
        except ValueError as reason:
            log.warning("line %d: %s", line.number, reason)
            self.again.append(line.number)
            return
        self.soundings[line.number] = (min(profile), max(profile))
        log.info("line %d: %.1f to %.1f", line.number, *self.soundings[line.number])


def main():
    logging.basicConfig(level=logging.INFO)
    chart = Chart()
    for number in range(1, 25):
        chart.add(Line(number))
    print(len(chart.soundings), "lines,", chart.again, "again")


if __name__ == "__main__":
    main()
