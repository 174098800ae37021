# SPDX-License-Identifier: Apache-2.0
"""A hydrographic office keeps scanned charts in memory and answers what depths they show."""

import logging

import soundings

log = logging.getLogger("charts")
CHART = 8 << 20


class Shelf:
    """Scanned charts by number."""

    def __init__(self):
        self.charts = {}
        self.edition = {}

    def store(self, number, data, edition):
        self.charts[number] = data
        self.edition[number] = edition

    def deepest(self, number):
        return soundings.deepest(self.charts[number])

    def mean(self, number):
        return soundings.mean(self.charts[number])

    def pixel(self, number, row, column):
        return self.charts[number][row * 4096 + column]


def scan(seed):
    """What the scanner gives: one large block of grey values."""
    return bytes([seed]) * CHART


class Office:
    def __init__(self, shelf):
        self.shelf = shelf
        self.answered = 0

    def answer(self, question):
        kind, number, *rest = question
        self.answered += 1
        return getattr(self.shelf, kind)(number, *rest)


QUESTIONS = [
    ("mean", 87),
    ("pixel", 87, 12, 900),
    ("deepest", 44),
    ("mean", 87),
    ("pixel", 44, 300, 1200),
    ("deepest", 87),
]


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    shelf = Shelf()
    shelf.store(44, scan(61), "2019-04")
    shelf.store(87, scan(112), "2022-11")
    office = Office(shelf)
    for question in QUESTIONS:
        log.info("%s: %s", question, office.answer(question))
    log.info("%d answered", office.answered)


if __name__ == "__main__":
    main()
