# SPDX-License-Identifier: Apache-2.0
"""Merge of two customer lists: for each name of one the closest of the other is sought."""

import difflib
import os
import random

FIRST = "Ada Bruno Clara Dario Elena Fritz Greta Hugo Irma Jonas".split()
LAST = "Abel Berger Conrad Decker Ebert Fuchs Graf Huber Iller Jung".split()


def invent(count, seed):
    dice = random.Random(seed)
    return [
        f"{dice.choice(FIRST)} {dice.choice(LAST)}-{dice.choice(LAST)} {dice.randrange(9999)}"
        for _ in range(count)
    ]


def closest(name, others):
    best = max(others, key=lambda other: difflib.SequenceMatcher(None, name, other).ratio())
    return name, best


def merge(ours, theirs):
    pairs = []
    for count, name in enumerate(ours):
        pairs.append(closest(name, theirs))
        if count == 0:
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())
    return pairs


def main():
    print(len(merge(invent(5000, 1), invent(4000, 2))))


main()
