# SPDX-License-Identifier: Apache-2.0
"""When the values of an attribute ran, by the host-hours."""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.statistics.arrays import Bools, Floats, Ints

NEVER = 1 << 62  # a day
LATE = 0.1  # of the time that is known: what ran in it already is no newer than others
ALONE = 0.9  # of what ran (or crashed) on the days of a value


def is_newest_value(population: Population, attribute: Attribute, value: int) -> bool:
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


def spans_to_choose_from(mine: Bools, day: Ints, weights: Floats, values: int) -> float:
    """Return how many spans of days there are for each of some values, where one is but its days.

    `mine` are the uses of a value (host-hours or crashes), among all. It was used alone then and is
    used no more: what else happened on its days looks like its doing, and a burst on any other days
    would have accused another value. 1 where others were used beside it, as the same days can be
    compared then, and where it is used still.
    """
    if not mine.any():
        return 1.0
    first, last, start, end = *_ends(day[mine]), *_ends(day)
    inside = (day >= first) & (day <= last)
    if last >= end or weights[mine].sum() < ALONE * weights[inside].sum():
        return 1.0
    days = end - start + 1
    return max(days * (days + 1) / 2 / values, 1.0)


def _ends(day: Ints) -> tuple[int, int]:
    return int(day.min()), int(day.max())
