"""Appraisal desk of an auction house: silver is compared with scans of the makers' marks."""

import collections
import logging
import sys

import hallmarks

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
log = logging.getLogger("appraisal")

Lot = collections.namedtuple("Lot", "number piece mark")
SIDE = 6000


def lots():
    yield Lot(11, "teapot", "HB")
    yield Lot(12, "candlestick", "PS")
    yield Lot(13, "sugar tongs", "HB")
    yield Lot(14, "salver", "PL")
    yield Lot(15, "mustard pot", "HB")
    yield Lot(16, "coffee pot", "PS")


class Appraiser:
    def __init__(self):
        self.seen = collections.Counter()

    def window(self, scan, row, column, size=8):
        starts = [(row + line) * SIDE + column for line in range(size)]
        return [scan[start : start + size] for start in starts]

    def similarity(self, lot):
        scan = hallmarks.scan(lot.mark)
        patch = self.window(scan, 40 + lot.number, 90)
        return sum(map(sum, patch)) / (64 * 255)

    def appraise(self, lot):
        score = self.similarity(lot)
        self.seen[lot.mark] += 1
        log.info(
            "lot %d, %s: mark %s, %.3f (%d of its kind)",
            lot.number,
            lot.piece,
            lot.mark,
            score,
            self.seen[lot.mark],
        )
        return score


def catalogue(appraiser):
    accepted = []
    for lot in lots():
        if appraiser.appraise(lot) > 0.2:
            accepted.append(lot)
    return accepted


def main():
    appraiser = Appraiser()
    for sale in range(3):
        accepted = catalogue(appraiser)
        log.info("sale %d: %d lots, marks %s", sale, len(accepted), hallmarks.known())


main()
