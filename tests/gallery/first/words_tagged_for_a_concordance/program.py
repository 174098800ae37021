# SPDX-License-Identifier: Apache-2.0
"""Prepares the concordance of a book of hymns for the printer."""

import gc
import random

from concordance import Concordance

WORDS = "morning light river stone gate song night harvest bread hill star well".split()


def read_book(concordance, pages, source):
    for page in range(pages):
        for line in range(30):
            concordance.add_line(page, line, " ".join(source.choices(WORDS, k=6)))


def questions(source, count):
    for _ in range(count):
        yield " ".join(source.choices(WORDS, k=source.choice((5, 6))))


def main():
    source = random.Random(77)
    concordance = Concordance()
    read_book(concordance, 60, source)
    found = 0
    for page in range(0, 60, 3):
        concordance.forget(page)
        for phrase in questions(source, 30):
            found += len(concordance.look_up(phrase))
        gc.collect()
    print(found, "places listed")


if __name__ == "__main__":
    main()
