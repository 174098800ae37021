# SPDX-License-Identifier: Apache-2.0
"""Letters and the machine that franks them."""

import itertools
from dataclasses import dataclass

_numbers = itertools.count(1)


@dataclass
class Letter:
    to: str
    grams: int


class Machine:
    def __init__(self):
        self.number = next(_numbers)
        self.used = 0

    def stamp(self, letter):
        cents = 95 if letter.grams <= 20 else 110 if letter.grams <= 50 else 180
        self.used += cents
        return f"{self.number}-{cents}"
