# SPDX-License-Identifier: Apache-2.0
"""Searches a tide almanac: readers give patterns, a library in C++ finds the lines."""

import configparser
import ctypes
import logging
import os

log = logging.getLogger("almanac")
HERE = os.path.dirname(os.path.abspath(__file__))

SAVED_SEARCHES = """
[morning highs]
pattern = 0[4-9]:[0-9]{2} +high
station = Dagebuell

[spring tides]
pattern = high +4[.][0-9]+
station = Husum

[lows of the shoal]
pattern = low +(-0[.][0-9]+|0[.][0-4]
station = Dagebuell
"""


def lines_of(station, days):
    for day in range(days):
        for n in range(4):
            minutes = (day * 50 + n * 372) % 1440
            kind = "high" if n % 2 == 0 else "low"
            height = (3.2 if kind == "high" else 0.2) + (day % 14) / 10
            yield "%s %03d %02d:%02d %s %.1f" % (
                station, day, minutes // 60, minutes % 60, kind, height,
            )  # fmt: skip


class Almanac:
    def __init__(self, stations, days):
        self.library = ctypes.CDLL(os.path.join(HERE, "almanac.so"))
        self.library.almanac_add.argtypes = [ctypes.c_char_p]
        self.library.almanac_search.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
        for station in stations:
            for line in lines_of(station, days):
                self.library.almanac_add(line.encode())

    def search(self, station, pattern):
        return self.library.almanac_search(station.encode(), pattern.encode())


def run_saved_searches(almanac, text):
    searches = configparser.ConfigParser(interpolation=None)
    searches.read_string(text)
    for name in searches.sections():
        section = searches[name]
        found = almanac.search(section["station"], section["pattern"])
        log.info("%s: %d lines", name, found)


def main():
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    almanac = Almanac(["Dagebuell", "Husum"], days=28)
    run_saved_searches(almanac, SAVED_SEARCHES)


main()
