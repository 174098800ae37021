# SPDX-License-Identifier: Apache-2.0
"""Merges the articles of newsgroups into one lazy stream, group by group."""

from dataclasses import dataclass
from itertools import chain


@dataclass(frozen=True)
class Article:
    group: str
    number: int


class Newsreader:
    def __init__(self):
        self.unread = iter(())
        self.groups = 0

    def subscribe(self, group, first, last):
        articles = [Article(group, number) for number in range(first, last)]
        self.unread = chain(self.unread, articles)
        self.groups += 1

    def poll(self, rounds):
        for number in range(rounds):
            group = "alt.binaries.%d" % (number % 700)
            self.subscribe(group, number, number + 1)


def main():
    reader = Newsreader()
    reader.poll(50)
    print(next(reader.unread))
    reader.poll(500_000)
    print(next(reader.unread))


if __name__ == "__main__":
    main()
