# SPDX-License-Identifier: Apache-2.0
"""Bales of wool and their lines of text."""

import random
from typing import NamedTuple


class Bale(NamedTuple):
    mark: str
    micron: float
    kilos: int


def sample(prefix, number):
    return [
        Bale(f"{prefix}{i:03}", round(random.uniform(15, 34), 1), random.randint(110, 204))
        for i in range(number)
    ]


def as_line(bale):
    return f"{bale.mark}\t{bale.micron}\t{bale.kilos}"


def from_line(line):
    mark, micron, kilos = line.split("\t")
    return Bale(mark, float(micron), int(kilos))
