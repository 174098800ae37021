# SPDX-License-Identifier: Apache-2.0
"""When the values of an attribute ran, by the host-hours."""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.statistics.arrays import Ints

NEVER = 1 << 62  # a day
LATE = 0.1  # of the time that is known: what ran in it already is no newer than others


def is_newest(population: Population, attribute: Attribute, value: int) -> bool:
    """Whether the value came up while others went: then time itself is the other explanation."""
    size = len(attribute.values)
    spans = population.once(first_and_last_days, attribute.exposure, population.exposure_day, size)
    return started_late_and_outlasted_others(spans, value)


def started_late_and_outlasted_others(spans: tuple[Ints, Ints], value: int) -> bool:
    """Whether a value came up while others went, by the first and the last day of each."""
    first, last = spans
    others = np.arange(first.size) != value
    start = first[others].min(initial=NEVER)
    if first[value] >= NEVER or start >= NEVER:
        return False
    end = last[others].max()
    return bool(first[value] > start + LATE * (end - start) and last[value] >= end)


def first_and_last_days(exposure: Ints, day: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the first and the last day of each value; NEVER and -NEVER of one that never ran."""
    has_value = exposure >= 0
    first, last = np.full(size, NEVER, np.int64), np.full(size, -NEVER, np.int64)
    np.minimum.at(first, exposure[has_value], day[has_value])
    np.maximum.at(last, exposure[has_value], day[has_value])
    return first, last
