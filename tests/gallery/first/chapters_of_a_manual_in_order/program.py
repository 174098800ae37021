# SPDX-License-Identifier: Apache-2.0
"""The chapters of a manual are built, each after those that it quotes."""

import collections
import os

QUOTES = {
    "preface": [],
    "safety": ["preface"],
    "assembly": ["safety"],
    "hydraulics": ["assembly", "oil-table"],
    "service": ["hydraulics"],
    "index": ["assembly", "service"],
}


class Manual:
    def __init__(self, quotes):
        self.quotes = quotes
        self.built = []

    def can_build(self, chapter):
        return all(quoted in self.built for quoted in self.quotes[chapter])

    def build_chapter(self, chapter):
        self.built.append(chapter)

    def build_all(self):
        waiting = collections.deque(sorted(self.quotes))
        while waiting:
            chapter = waiting.popleft()
            if self.can_build(chapter):
                self.build_chapter(chapter)
            else:
                waiting.append(chapter)
        return self.built


def main():
    manual = Manual(QUOTES)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(manual.build_all())


main()
