# SPDX-License-Identifier: Apache-2.0
"""What remains of a signature whose rate fell: often a part that was there before, untouched.

A fix that ends one of two bugs with one signature looks like half a fix. The part that goes on has
a mark that nearly all later crashes have, and came as often before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.questions.daily_rates import DailyRates
from gdb_epi.fleet.screen.finding import HOST_HOURS
from gdb_epi.fleet.statistics.arrays import Bools
from gdb_epi.fleet.statistics.hypothesis_tests import relative_risk
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MIN_LEFT = 10  # crashes since then
NEARLY_ALL = 0.9  # of these have the mark
MOST_BEFORE = 0.75  # of those before, that have it: with more it tells nothing
MAX_FALL = 0.5  # of the crashes without it, that go on
MAX_CHANGE = 2.0  # times, of the rate of those with it, that its interval must exclude
ALIKE = 1.25  # times, that it must not


class _RemainingPart(NamedTuple):
    words: str
    before: int
    after: int
    share_before: float


def remaining_part_sentence(population: Population, days: DailyRates, since: int) -> str | None:
    """Say which part of some crashes goes on after a day as before it; None where none is known."""
    cut = since - days.first
    hours = float(days.hours[:cut].sum()), float(days.hours[cut:].sum())
    late = population.day >= since
    totals = [int(np.count_nonzero(days.mine & when)) for when in (~late, late)]
    if min(hours) <= 0 or totals[1] < MIN_LEFT:
        return None
    parts = (
        _remaining_part_of(attribute, days, late, totals)
        for attribute in (*population.attributes, *population.facts)
        if not attribute.is_range
    )
    best: _RemainingPart | None = None
    for part in filter(None, parts):
        _, low, high = relative_risk(part.after, hours[1], part.before, hours[0])
        is_alike = 1 / MAX_CHANGE < low <= ALIKE and 1 / ALIKE <= high < MAX_CHANGE
        rest = (totals[1] - part.after) / hours[1], (totals[0] - part.before) / hours[0]
        narrower = best is None or part.share_before < best.share_before
        if is_alike and rest[0] <= MAX_FALL * rest[1] and narrower:
            best = part
    if best is None:
        return None
    unit, scale = ("per 1,000 host-hours", 1000) if days.source == HOST_HOURS else ("a day", 1)
    rates = [scale * n / h for n, h in zip((best.before, best.after), hours, strict=True)]
    left = counted(totals[1], "crash")
    return (
        f"what remains since {iso_day(since)} is another population, which was there before and is "
        f"not touched: {best.after} of {left} have {best.words}, {rates[1]:.3g} {unit} and "
        f"{rates[0]:.3g} before; of the others {totals[1] - best.after} came since, "
        f"{totals[0] - best.before} before"
    )


def _remaining_part_of(
    attribute: Attribute, days: DailyRates, late: Bools, totals: Sequence[int]
) -> _RemainingPart | None:
    """Return the part with the value that nearly all later crashes have, if few had it before."""
    codes = attribute.crash
    later = codes[days.mine & late & (codes >= 0)]
    if later.size < NEARLY_ALL * totals[1]:
        return None
    counts = np.bincount(later)
    value = int(counts.argmax())
    before = int(np.count_nonzero(days.mine & ~late & (codes == value)))
    after, share = int(counts[value]), before / max(totals[0], 1)
    if after < NEARLY_ALL * totals[1] or not 0 < share <= MOST_BEFORE:
        return None
    return _RemainingPart(attribute.mark_of_value(value), before, after, share)
