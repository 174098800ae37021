# SPDX-License-Identifier: Apache-2.0
"""Shows the texts of a ticket machine in the language of its traveller."""

import configparser
import itertools
import logging
import time

import catalog

log = logging.getLogger("machine")

TEXTS = """
[en]
fare = To %s: %d cents
thanks = Good journey to %s! You paid %d cents.
[de]
fare = Nach %s: %d Cent
thanks = Gute Fahrt nach %s! Bezahlt: %d Cent.
[fr]
fare = Pour %s : %d centimes
thanks = Bon voyage vers %s ! %d centimes.
[it]
fare = Per %s: %d centesimi
thanks = Buon viaggio a %s!%n%d centesimi.
"""
# The Italian texts came from the agency that also translates our Java terminals.

FARES = {"Brig": 480, "Visp": 360, "Domodossola": 2100, "Spiez": 2900, "Sion": 1880}


class Display:
    def __init__(self, lines=4):
        self.lines = lines
        self.shown = []

    def show(self, text):
        self.shown.append(text)
        del self.shown[: -self.lines]
        log.info("%s", text)


class Machine:
    def __init__(self, texts):
        self.texts = configparser.ConfigParser(interpolation=None)
        self.texts.read_string(texts)
        self.display = Display()
        self.takings = 0

    def text(self, language, key, station):
        return catalog.render(self.texts[language][key], station, FARES[station])

    def sell(self, language, station):
        self.display.show(self.text(language, "fare", station))
        self.takings += FARES[station]
        time.sleep(0.01)
        self.display.show(self.text(language, "thanks", station))


def travellers():
    languages = itertools.cycle(["de", "de", "fr", "en", "de", "it", "fr"])
    stations = itertools.cycle(FARES)
    return zip(languages, stations)


def main():
    logging.basicConfig(level=logging.INFO)
    machine = Machine(TEXTS)
    for language, station in itertools.islice(travellers(), 60):
        machine.sell(language, station)
    print(machine.takings)


if __name__ == "__main__":
    main()
