# SPDX-License-Identifier: Apache-2.0
"""Compares two revisions of a statute book, paragraph by paragraph, for the gazette."""

import difflib
import logging
import os
import queue
import random
import threading
import time
from dataclasses import dataclass, field

log = logging.getLogger("gazette")
WORDS = "the court may order any person who holds land under a lease to pay rent by day".split()


@dataclass
class Act:
    number: int
    old: list
    new: list
    changes: list = field(default_factory=list)


class StatuteBook:
    """The acts, old and new; here they are drawn, with some of their words amended."""

    def __init__(self, acts, length):
        self.chance = random.Random(1066)
        self.acts = [self.draw(number, length) for number in range(acts)]

    def draw(self, number, length):
        old = [self.chance.choice(WORDS) for _ in range(length)]
        new = list(old)
        for _ in range(length // 3):
            place = self.chance.randrange(len(new))
            if self.chance.random() < 0.5:
                new[place] = self.chance.choice(WORDS)
            else:
                new.insert(place, self.chance.choice(WORDS))
        return Act(number, old, new)


class Comparison(threading.Thread):
    """Finds what was amended in each act, one after the other."""

    def __init__(self, acts, results):
        super().__init__(name="comparison")
        self.acts = acts
        self.results = results
        self.done = 0

    def compare(self, act):
        matcher = difflib.SequenceMatcher(None, act.old, act.new, autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag != "equal":
                act.changes.append((tag, act.old[i1:i2], act.new[j1:j2]))
        return act

    def run(self):
        for act in self.acts:
            self.results.put(self.compare(act))
            self.done += 1


class Typesetter(threading.Thread):
    """Writes the amendments of an act as they come."""

    def __init__(self, results):
        super().__init__(name="typesetter", daemon=True)
        self.results = results

    def run(self):
        with open("gazette.txt", "w", encoding="utf-8") as gazette:
            while True:
                act = self.results.get()
                for tag, old, new in act.changes:
                    gazette.write(f"{act.number} {tag} {' '.join(old)} -> {' '.join(new)}\n")


class Progress(threading.Thread):
    def __init__(self, comparison):
        super().__init__(name="progress", daemon=True)
        self.comparison = comparison

    def run(self):
        while True:
            time.sleep(2)
            log.info("%d of %d acts", self.comparison.done, len(self.comparison.acts))


def main():
    logging.basicConfig(level=logging.INFO)
    book = StatuteBook(acts=400, length=1800)
    results = queue.Queue()
    comparison = Comparison(book.acts, results)
    Typesetter(results).start()
    Progress(comparison).start()
    comparison.start()
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    comparison.join()
    log.info("compared %d acts", comparison.done)


if __name__ == "__main__":
    main()
