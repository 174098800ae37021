# SPDX-License-Identifier: Apache-2.0
"""Compare two editions of a statute book, paragraph by paragraph."""

import difflib
import os
import random

WORDS = """court shall appoint a guardian where the minor has no parent who may act and the
interest of the estate requires that notice be given to every creditor within thirty days""".split()


def edition(year, paragraphs=400):
    source = random.Random(year)
    return [" ".join(source.choices(WORDS, k=60)) for _ in range(paragraphs)]


def amend(paragraphs, source):
    """Return the next edition: some words of each paragraph changed."""
    changed = []
    for text in paragraphs:
        words = text.split()
        for _ in range(source.randrange(8)):
            words[source.randrange(len(words))] = source.choice(WORDS)
        changed.append(" ".join(words))
    return changed


def closest(text, others):
    best, place = 0.0, None
    for number, other in enumerate(others):
        ratio = difflib.SequenceMatcher(None, text, other, autojunk=False).ratio()
        if ratio > best:
            best, place = ratio, number
    return place, best


def compare(old, new):
    table = []
    for number, text in enumerate(old):
        place, ratio = closest(text, new)
        table.append((number, place, round(ratio, 3)))
        print(*table[-1], flush=True)
    return table


def main():
    old = edition(1998)
    new = amend(old, random.Random(2026))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(len(compare(old, new)))


main()
