# SPDX-License-Identifier: Apache-2.0
"""The days that plots show, and the crashes of each signature along them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.report.text_formatting import day_text
from gdb_epi.fleet.statistics.arrays import Bools, Ints

TAIL = 0.002  # of the crashes on either side whose time may be nonsense
STRETCH = 3  # more than this times the span of the others, and they are left out of plots
STEPS = ((1, 100), (7, 100), (30, 125), (365, 1000))  # days in a step, most steps


class DayAxis(NamedTuple):
    """Days first..last in `steps` steps; `outside` crashes lie before or after."""

    first: int
    last: int
    step: int
    steps: int
    outside: int

    def steps_of_days(self, day: Ints) -> Ints:
        """Return the step of each day; below 0 or >= steps when it lies outside."""
        return (day - self.first) // self.step

    def first_day_of_step(self, place: int) -> str:
        """Return the first day of a step."""
        return day_text(self.first + place * self.step)


def choose_day_axis(population: Population) -> DayAxis | None:
    """Return the days to show; a clock that is off by years does not squeeze the others.

    None when no crash has a time.
    """
    day = population.day[population.has_time]
    if not day.size:
        return None
    first, last = int(day.min()), int(day.max())
    low, high = (int(np.quantile(day, q, method="nearest")) for q in (TAIL, 1 - TAIL))
    if last - first > STRETCH * (high - low + 1) + 30:
        first, last = max(first, low - (high - low) - 1), min(last, high + (high - low) + 1)
        inside = day[(day >= first) & (day <= last)]
        first, last = int(inside.min()), int(inside.max())
    span = last - first + 1
    step = next((days for days, most in STEPS if span <= days * most), span // 100 + 1)
    outside = int(((day < first) | (day > last)).sum())
    return DayAxis(first, last, step, -(-span // step), outside)


class CrashCountsBySignature:
    """The crashes of each signature: which they are, and how many in each step."""

    def __init__(self, population: Population, axis: DayAxis | None) -> None:
        self._order = np.argsort(population.signature, kind="stable")
        sizes = np.arange(len(population.signatures) + 1)
        self._starts = np.searchsorted(population.signature[self._order], sizes)
        self._population = population
        self.axis = axis

    def crashes_of_signature(self, code: int) -> Ints:
        """Return the crashes of a signature in the order of their days."""
        if code < 0:
            return np.flatnonzero(self._population.signature < 0)
        return self._order[self._starts[code] : self._starts[code + 1]]

    def counts_by_step(self, members: Ints | Bools) -> tuple[int, ...]:
        """Return how many of these crashes fall in each step."""
        if self.axis is None:
            return ()
        places = self.axis.steps_of_days(self._population.known_day[members])
        inside = places[(places >= 0) & (places < self.axis.steps)]
        return tuple(np.bincount(inside, minlength=self.axis.steps).tolist())
