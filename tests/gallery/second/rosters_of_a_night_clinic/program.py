# SPDX-License-Identifier: Apache-2.0
"""Finds how many rosters a clinic could choose from: every night two of ten nurses."""

import itertools
import os
from collections import Counter
from dataclasses import dataclass, field

NURSES = tuple("Ada Bo Cleo Dan Eva Finn Gil Hana Ivo Jo".split())


@dataclass(frozen=True)
class Rules:
    nights: int = 5
    most: int = 2
    apart: frozenset = frozenset({("Ada", "Bo"), ("Eva", "Jo")})


@dataclass
class Search:
    rules: Rules
    load: Counter = field(default_factory=Counter)
    chosen: list = field(default_factory=list)
    found: int = 0

    def pairs(self):
        last = self.chosen[-1] if self.chosen else ()
        for pair in itertools.combinations(NURSES, 2):
            if pair in self.rules.apart or set(pair) & set(last):
                continue
            if all(self.load[nurse] < self.rules.most for nurse in pair):
                yield pair

    def extend(self):
        if len(self.chosen) == self.rules.nights:
            self.found += 1
            return
        for pair in self.pairs():
            self.load.update(pair)
            self.chosen.append(pair)
            self.extend()
            self.chosen.pop()
            self.load.subtract(pair)


def main():
    search = Search(Rules())
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    search.extend()
    print(search.found, "rosters")


if __name__ == "__main__":
    main()
