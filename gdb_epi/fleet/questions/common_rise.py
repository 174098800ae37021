# SPDX-License-Identifier: Apache-2.0
"""A rise of all crashes at once: more load, a bad day of the network, or another shared cause.

A rise everywhere is not the fault of one signature, version or host, whatever was new on that day.
But one bug alone can raise the total, so the signatures that rose most are left out.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.daily_rates import (
    DailyRates,
    daily_rates,
    p_value_of_change,
    scan_for_change,
)
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.programs import program_of_each_crash
from gdb_epi.fleet.statistics.arrays import Bools, Floats, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import relative_risk
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple

COMMON_CAUSE = "load, or something that all have in common; no host and no version is accused by it"
MIN_CRASHES = 5
SURE_P = 0.001  # for all crashes together, about which nobody asked
LEFT_OUT = 2  # of the signatures: those that rose most
MIN_RISE = 1.3  # of the others, by the lower end of its interval
MIN_OF_PROGRAM = 8  # crashes of a program that counts
MIN_SHARE_OF_PROGRAMS = 0.75  # that rose too


class CommonRise(NamedTuple):
    """How much more often crashes came after a day, the signatures that rose most left out."""

    ratio: float
    rising_programs: int
    counted: int  # programs in all; 0: unknown

    def words(self) -> str:
        """Say how much, and in how many programs."""
        where = f" in {self.rising_programs} of {self.counted} programs" if self.counted else ""
        return f"{self.ratio:.2g} times as often{where}"


def find_common_rise(
    population: Population, crashes: Bools, day: int, hours: tuple[float, float]
) -> CommonRise | None:
    """Return the rise of some crashes from `day` on, if most signatures and programs share it.

    `hours` are those before and after, or days; None where only a few of them rose.
    """
    late = population.day >= day
    signature = population.signature[crashes & (population.signature >= 0)]
    if not signature.size:
        return None
    before, after = _counts(population.signature, crashes, late, len(population.signatures))
    rise = after - before * hours[1] / hours[0]
    rest = np.argsort(rise, kind="stable")[:-LEFT_OUT]
    a, b = float(after[rest].sum()), float(before[rest].sum())
    if not a or not b:
        return None
    if relative_risk(a, hours[1], b, hours[0])[1] < MIN_RISE:
        return None
    ratio = relative_risk(float(after.sum()), hours[1], float(before.sum()), hours[0])[0]
    programs = program_of_each_crash(population)
    if programs is None:
        return CommonRise(ratio, 0, 0)
    before, after = _counts(programs.crash, crashes, late, len(programs.values))
    counted = before + after >= MIN_OF_PROGRAM
    rose = counted & (after * hours[0] >= MIN_RISE * before * hours[1])
    some, every = int(rose.sum()), int(counted.sum())
    return (
        CommonRise(ratio, some, every)
        if every > 1 and some >= MIN_SHARE_OF_PROGRAMS * every
        else None
    )


def _counts(codes: Ints, crashes: Bools, late: Bools, size: int) -> tuple[Floats, Floats]:
    has_value = crashes & (codes >= 0)
    before, after = (
        np.bincount(codes[has_value & when], minlength=size).astype(float) for when in (~late, late)
    )
    return before, after


def fleet_wide_rise_words(population: Population) -> str | None:
    """Say since when crashes of all kinds are more frequent; None where they are not."""
    events = find_events(population)
    days = daily_rates(population, (events.counted.signature >= 0) & (population.day >= 0))
    if days.counts.size < 3 or days.counts.sum() < MIN_CRASHES:
        return None
    scan, spread = scan_for_change(days.counts, days.hours)
    cut = int(np.argmax(scan)) + 1
    hours = float(days.hours[:cut].sum()), float(days.hours[cut:].sum())
    rise = find_common_rise(events.counted, days.mine, days.first + cut, hours)
    if rise is None or p_value_of_change(days, float(scan[cut - 1]) / spread) > SURE_P:
        return None
    gain, times = _steady_rise(days)
    if gain >= scan[cut - 1]:
        where = rise.words().partition(" in ")[2]
        words = f"{times:.2g} times from the first day to the last{f', in {where}' * bool(where)}"
        return f"all crashes rise steadily ({words}): {COMMON_CAUSE}"
    return f"all crashes rose on {iso_day(days.first + cut)} ({rise.words()}): {COMMON_CAUSE}"


def _steady_rise(days: DailyRates) -> tuple[float, float]:
    """Return the log-likelihood ratio of a rate that grows evenly, and how many times it grows."""
    has_hours = days.hours > 0
    n, h = days.counts[has_hours], days.hours[has_hours]
    when = np.linspace(0.0, 1.0, days.hours.size)[has_hours]
    slope = 0.0
    for _ in range(25):  # Newton; the likelihood is concave
        weights = h * np.exp(slope * when)
        weights /= weights.sum()
        middle = float((weights * when).sum())
        spread = float((weights * when**2).sum()) - middle**2
        slope += (float((n * when).sum()) / float(n.sum()) - middle) / max(spread, 1e-9)
    grown = float((h * np.exp(slope * when)).sum()) / float(h.sum())
    return slope * float((n * when).sum()) - float(n.sum()) * float(np.log(grown)), np.exp(slope)
