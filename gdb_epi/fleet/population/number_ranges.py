# SPDX-License-Identifier: Apache-2.0
"""Ranges of attributes that are numbers: days of uptime, temperatures, load.

A leak comes with long uptimes, and each single number of days has too few crashes to say so. The
ranges are an attribute beside the numbers, as many host-days in each.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

import numpy as np

from gdb_epi.fleet.population.population import RANGE, Attribute
from gdb_epi.fleet.statistics.arrays import ABSENT, Ints, narrow_codes

TO = " to "
MIN_NUMBERS, HALVES = 4, 2  # values; up to MAX_HALVED of them make a lower and an upper half
MAX_HALVED = 8
RANGES, FINE = 6, 24
LEAST, MOST = " >= ", " <= "


def number_or_low_end(text: str) -> float | None:
    """Return the number that a value is, or that a range begins with; None for other texts."""
    try:
        number = float(text.partition(TO)[0])
    except ValueError:
        return None
    return number if isfinite(number) else None


def is_own_number_of_crash(attribute: Attribute) -> bool:
    """Whether an attribute is a number that each crash has of its own, as the size of its core.

    No host-hours tell it, and it has many values with fractions: a single one means nothing, and
    none of them is rolled out. Its ranges may mean something.
    """
    if attribute.has_hours:
        return False
    name = attribute.name.removesuffix(RANGE)
    numbers = [number_or_low_end(value) for value in attribute.values]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or not any(number % 1 for number in known):
        return False
    return attribute.name != name or len(known) > FINE


def without_own_numbers(attributes: Iterable[Attribute]) -> list[Attribute]:
    """Return the attributes whose single values may mean something."""
    return [a for a in attributes if a.is_range or not is_own_number_of_crash(a)]


def describe_limit(name: str, sign: str, value: str) -> str:
    """Return "uptime_days >= 12" for a range of it from 12 on, and for a plain number."""
    low, _, high = value.partition(TO)
    return f"{name.removesuffix(RANGE)}{sign}{(high or low) if sign == MOST else low}"


def group_into_ranges(attribute: Attribute, ranges: int | None = None) -> Attribute | None:
    """Return the ranges of an attribute; None where it has few values, or some are no numbers.

    A race of machines with 64 CPUs and more is twice too weak in each of 64 and 128.
    """
    numbers = [number_or_low_end(value) for value in attribute.values]
    if len(numbers) < MIN_NUMBERS or None in numbers:
        return None
    ranges = ranges or (HALVES if len(numbers) <= MAX_HALVED else RANGES)
    order = np.argsort(np.array(numbers, dtype=float), kind="stable")
    side = attribute.codes_in_fleet
    counts = np.bincount(side[side >= 0], minlength=order.size)[order]
    middle = np.cumsum(counts) - counts / 2
    part = (middle * ranges / max(int(counts.sum()), 1)).astype(np.int64)
    _, part = np.unique(part, return_inverse=True)
    values = []
    for number in range(int(part.max()) + 1):
        first, last = (
            attribute.values[order[at]] for at in np.flatnonzero(part == number)[[0, -1]]
        )
        values.append(first if first == last else f"{first}{TO}{last}")
    table = np.full(order.size + 1, ABSENT, dtype=np.int64)
    table[order] = part
    codes = narrow_codes(table)

    def range_codes(column: Ints) -> Ints:
        return np.asarray(codes[column])  # ABSENT is -1: the last place

    return Attribute(
        attribute.name + RANGE,
        values,
        range_codes(attribute.crash),
        range_codes(attribute.exposure),
    )
