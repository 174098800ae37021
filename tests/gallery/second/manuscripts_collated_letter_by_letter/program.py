"""Collation of manuscripts: every witness is aligned with every other, then grouped into a tree."""

import itertools
import logging
import os
import random
import sys
import threading

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(message)s")
log = logging.getLogger("collation")

LETTERS = "abcdefghilmnopqrstuv  "
SUBSTITUTIONS = {("i", "e"): 0.4, ("u", "v"): 0.1, ("n", "m"): 0.6, ("t", "c"): 0.3}


def cost(a, b):
    if a == b:
        return 0.0
    return SUBSTITUTIONS.get((a, b), SUBSTITUTIONS.get((b, a), 1.0))


def distance(left, right):
    """Weighted edit distance; memory of one row only."""
    row = [float(number) for number in range(len(right) + 1)]
    for number, a in enumerate(left, 1):
        above, row[0] = row[0], float(number)
        for place, b in enumerate(right, 1):
            here = min(row[place] + 0.8, row[place - 1] + 0.8, above + cost(a, b))
            above, row[place] = row[place], here
    return row[-1]


class Witness:
    def __init__(self, siglum, text):
        self.siglum = siglum
        self.text = text

    def copy(self, siglum, errors, scribe):
        letters = list(self.text)
        for _ in range(errors):
            place = scribe.randrange(len(letters))
            letters[place] = scribe.choice(LETTERS)
        return Witness(siglum, "".join(letters))


class Collation:
    def __init__(self, witnesses):
        self.witnesses = witnesses
        self.table = {}
        self.pairs = len(witnesses) * (len(witnesses) - 1) // 2

    def run(self):
        for one, other in itertools.combinations(self.witnesses, 2):
            self.table[one.siglum, other.siglum] = distance(one.text, other.text)
            log.info("%s:%s %.1f", one.siglum, other.siglum, self.table[one.siglum, other.siglum])

    def nearest(self):
        return min(self.table, key=self.table.get)


def progress(collation, stop):
    while not stop.wait(300):
        log.info("%d of %d pairs", len(collation.table), collation.pairs)


def tradition(scribe, length):
    archetype = Witness("X", "".join(scribe.choice(LETTERS) for _ in range(length)))
    witnesses = [archetype]
    for siglum in "ABCDEFGHKLM":
        witnesses.append(scribe.choice(witnesses).copy(siglum, length // 40, scribe))
    return witnesses[1:]


def main():
    collation = Collation(tradition(random.Random(1475), 60_000))
    stop = threading.Event()
    threading.Thread(target=progress, args=(collation, stop), name="progress", daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    collation.run()
    stop.set()
    log.info("nearest: %s", collation.nearest())


main()
