# SPDX-License-Identifier: Apache-2.0
"""Values that came into use, how well some crashes fit each, and those that bring a part of them.

A value with which only a part of the crashes came looks refuted, as too many came without it. Where
the crashes prefer it beside every other value, and more than one is such, there are two causes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gdb_epi.fleet.population.number_ranges import is_own_number_of_crash
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.population.value_spans import first_and_last_days
from gdb_epi.fleet.questions.daily_rates import DailyRates
from gdb_epi.fleet.records.facts import is_process_attribute
from gdb_epi.fleet.screen.attributes import signature_findings
from gdb_epi.fleet.screen.confounded_findings import drop_confounded_findings
from gdb_epi.fleet.screen.programs import crashes_of_same_programs
from gdb_epi.fleet.statistics.arrays import Bools, Floats, widen_codes
from gdb_epi.fleet.statistics.hypothesis_tests import poisson_binomial_tail
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple

SAME = 0.98  # of the crashes with both known have both or neither
MIN_CRASHES = 5
MAX_P = 0.01
RARE, COMMON = 0.05, 0.5  # shares of the host-hours: before, and once rolled out
SOME = 0.1  # of the host-hours, once rolled out to a part of the hosts
MIN_SEEN = 3  # crashes with a value before it counts as new
MAX_LATE = 28  # days from a release to what it brings
SURE_P = 0.001  # that as many crashes are where it was, on the days of its roll-out


class RollOut(NamedTuple):
    """A value that came into use; days are since 1970-01-01, on `half` half of the hours had it."""

    attr: str
    value: str
    first: int
    half: int | None
    fit: float  # log-likelihood of a rate that follows its share, above that of a constant rate
    with_it: int  # crashes on hosts that had it
    expected: float  # of them, by its share of each crash's day
    p: float | None  # on each crash's own day; None when no day had both
    refuted: bool = False  # on those days the crashes came elsewhere too often for it
    went: bool = False  # a value that went out of use; the days are those from which it was gone
    # Each attr=value that the same crashes and hosts have: the same in all but name.
    also: tuple[str, ...] = ()

    @property
    def is_several_values(self) -> bool:
        """Whether it is more than an image and the packages that it holds."""
        names = (self.attr, *(mark.partition("=")[0] for mark in self.also))
        return len(names) > 1 and not all(map(is_process_attribute, names))

    def words(self) -> str:
        """Say which value it is."""
        return " or ".join((f"{self.attr}={self.value}", *self.also))


def join_same_roll_outs(
    population: Population, roll_outs: Sequence[RollOut], mine: Bools
) -> list[RollOut]:
    """Return roll-outs, those that are the same in all but name as one.

    An image and the package that it holds, or a machine's type and its architecture, are no two
    roll-outs that staging could tell apart. The crashes of the programs of `mine` tell it.
    """
    same = crashes_of_same_programs(population, mine)
    joined: list[tuple[RollOut, Attribute, int]] = []
    for r in roll_outs:
        attribute = population.attribute(r.attr)
        if attribute is None:
            continue
        code = attribute.values.index(r.value)
        for at, (other, its_attribute, its_code) in enumerate(joined):
            crashes = attribute.crash, its_attribute.crash, True if same is None else same
            hours = attribute.exposure, its_attribute.exposure, True
            apart = [
                ((own == code) != (its == its_code))[(own >= 0) & (its >= 0) & asked]
                for own, its, asked in (crashes, hours)
            ]
            if (
                r.went == other.went
                and apart[0].size
                and all(not a.size or a.mean() <= 1 - SAME for a in apart)
            ):
                joined[at] = other._replace(also=(*other.also, r.words())), its_attribute, its_code
                break
        else:
            joined.append((r, attribute, code))
    return [r for r, _, _ in joined]


def do_values_stay_in_use(
    population: Population, roll_outs: Sequence[RollOut], mine: Bools
) -> bool:
    """Whether values of one attribute that came one after the other have most of the last day.

    Without host-hours the last crashes of the programs of `mine` tell.
    """
    attribute = population.attribute(roll_outs[0].attr)
    if attribute is None:
        return False
    codes = [attribute.values.index(r.value) for r in roll_outs]
    if attribute.has_hours:
        own = np.isin(attribute.exposure, codes)
        day = population.exposure_day - population.exposure_day.min()
        hours = np.bincount(day, population.exposure_hours * own)
        return bool(hours[-1] >= COMMON * hours.max())
    same = crashes_of_same_programs(population, mine)
    usable = population.has_time & (attribute.crash >= 0) & (True if same is None else same)
    last = attribute.crash[usable][-MIN_CRASHES:]  # in the order of time
    return bool(np.isin(last, codes).mean() >= COMMON)


def days_until_crashes_begin(
    population: Population, days: DailyRates, attribute: Attribute, value: int
) -> int:
    """Return how many days after a value came to a host its crashes begin; 0: it does not show.

    On the day of each crash the hosts that have the value since so long must be few enough.
    """
    has = (attribute.exposure == value) & (population.exposure_day >= days.first)
    since = np.full(len(population.hosts) + 1, days.first + days.hours.size)
    np.minimum.at(since, population.exposure_host[has], population.exposure_day[has])
    mine = days.mine & (attribute.crash == value) & (population.host >= 0)
    if not has.any() or not mine.any():
        return 0
    lag = int((population.day - since[population.host])[mine].min())
    day, hours = population.exposure_day[has] - days.first, population.exposure_hours[has]
    is_old = population.exposure_day[has] - since[population.exposure_host[has]] >= lag
    size = days.hours.size
    old, every = (np.bincount(day, weights=w, minlength=size) for w in (hours * is_old, hours))
    share = (old / np.maximum(every, 1e-12))[population.day[mine] - days.first]
    # The number of days was not asked beforehand.
    return lag if 1 < lag <= MAX_LATE and np.prod(share) * MAX_LATE <= MAX_P else 0


def words_of_partial_causes(
    population: Population, name: str, roll_outs: Sequence[RollOut]
) -> str | None:
    """Say with which values parts of a signature's crashes came; None where one explains all.

    Each must stand out given the others, as for a split.
    """
    proven = {
        (r.attr, r.value): r for r in roll_outs if r.p is not None and r.p <= SURE_P and not r.went
    }
    if len(proven) < 2 or not any(r.refuted for r in proven.values()):
        return None
    free = population.signature >= 0
    kept = drop_confounded_findings(
        population, list(signature_findings(population, free, name)), []
    )
    parts = [proven[f.attr, f.value] for f in kept if (f.attr, f.value) in proven]
    if len(parts) < 2:
        return None
    each = [f"{r.words()} ({r.with_it} of them, from {iso_day(r.first)})" for r in parts]
    return (
        f"the rate rose with {' and with '.join(each)}: each brought a part of the crashes, where "
        "it was; gdb-epi fleet split says which"
    )


def roll_outs_of_attribute(
    population: Population, attribute: Attribute, days: DailyRates, times: float
) -> Iterator[RollOut]:
    """Yield the values of an attribute that came into use, whenever that was."""
    if is_own_number_of_crash(attribute):
        return
    in_range = (attribute.exposure >= 0) & (population.exposure_day >= days.first)
    in_range &= population.exposure_day < days.first + days.hours.size
    if not in_range.any():
        yield from _values_first_seen_late(population, attribute, days, times)
        return
    size, width = len(attribute.values), days.hours.size
    cell = (
        widen_codes(attribute.exposure[in_range]) * width
        + population.exposure_day[in_range]
        - days.first
    )
    weights = population.exposure_hours[in_range]
    table = np.bincount(cell, weights=weights, minlength=size * width).reshape(size, width)
    total = np.maximum(table.sum(axis=0), 1e-12)
    shares = table / total
    came_up = np.where(shares >= RARE, np.arange(width), width).min(axis=1)
    for value in np.flatnonzero((shares[:, 0] < RARE) & (shares.max(axis=1) >= SOME)):
        share = shares[value]
        is_later = came_up > came_up[value]
        older = np.maximum(table[~is_later].sum(axis=0), 1e-12)
        above = np.flatnonzero(share >= RARE)
        half = np.flatnonzero(share >= min(COMMON, float(share.max()) / 2))
        came = RollOut(
            attribute.name,
            attribute.values[value],
            days.first + int(above[0]),
            days.first + int(half[0]) if half.size else None,
            _log_likelihood_of_fit(days, share),
            *_compare_with_chance_on_own_days(
                population,
                attribute,
                int(value),
                days,
                (share, table[value] / older),
                is_later,
                times,
            ),
        )
        # What a part of the hosts got explains a rise where the crashes prefer those hosts.
        if share.max() >= COMMON or (came.p is not None and came.p <= MAX_P):
            yield came


def _values_first_seen_late(
    population: Population, attribute: Attribute, days: DailyRates, times: float
) -> Iterator[RollOut]:
    """Yield the values of an attribute without host-hours that crashes had from some day on.

    What share has it between its first and its last crash is told by the crashes of all other
    signatures: of a version of the process by those of its programs.
    """
    width = days.hours.size
    usable = (attribute.crash >= 0) & population.has_time
    usable &= (population.day >= days.first) & (population.day < days.first + width)
    same = crashes_of_same_programs(population, days.mine) if attribute.is_of_process else None
    if same is not None:
        usable &= same
    codes, day = attribute.crash[usable], population.day[usable] - days.first
    is_other = ~days.mine[usable]
    first, last = first_and_last_days(codes, day, len(attribute.values))
    counts = np.bincount(codes, minlength=first.size)
    for value in np.flatnonzero((counts >= MIN_SEEN) & (first > 0)).tolist():
        since, until = int(first[value]), int(last[value])
        before = int(np.count_nonzero(is_other & (day < since)))
        during = is_other & (day >= since) & (day <= until)
        have = int(np.count_nonzero(during & (codes == value)))
        is_later = first > since
        older = int(np.count_nonzero(during & ~is_later[codes]))
        part = (have + 0.5) / (int(np.count_nonzero(during)) + 1.0)
        at = np.arange(width)
        in_use = (at >= since) & (at <= until)
        share, of_older = (
            np.where(in_use, (have + 0.5) / (size + 1.0), 0.0)
            for size in (int(np.count_nonzero(during)), older)
        )
        came = RollOut(
            attribute.name,
            attribute.values[value],
            days.first + since,
            None,
            _log_likelihood_of_fit(days, share),
            *_compare_with_chance_on_own_days(
                population, attribute, value, days, (share, of_older), is_later, times
            ),
        )
        # A value that came up, and no rare one that chance showed late; of a version on a few hosts
        # that the crashes prefer. Others of the program tell, before it and beside it.
        is_rare = (1 - part) ** before > MAX_P
        is_told = same is not None and min(before, int(np.count_nonzero(during))) >= MIN_CRASHES
        if not is_rare or (is_told and came.p is not None and came.p <= SURE_P):
            yield came


def _log_likelihood_of_fit(days: DailyRates, share: Floats) -> float:
    """Log-likelihood of rate a + b * share (EM for the two parts) above that of a constant rate."""
    n, parts = days.counts, (days.hours * (1 - share), days.hours * share)
    constant = n.sum() / days.hours.sum()
    rates = [constant, constant]
    for _ in range(200):
        mean = np.maximum(rates[0] * parts[0] + rates[1] * parts[1], 1e-300)
        rates = [
            r * (n * p / mean).sum() / max(p.sum(), 1e-12)
            for r, p in zip(rates, parts, strict=True)
        ]
    mean = np.maximum(rates[0] * parts[0] + rates[1] * parts[1], 1e-300)
    flat = np.maximum(constant * days.hours, 1e-300)
    return float((n * np.log(mean / flat)).sum() - (mean - flat).sum())


def _compare_with_chance_on_own_days(
    population: Population,
    attribute: Attribute,
    value: int,
    days: DailyRates,
    shares: tuple[Floats, Floats],
    is_later: Bools,
    times: float,
) -> tuple[int, float, float | None, bool]:
    """Return how many crashes have a value, how many by chance, P of that, and if it is refuted.

    It is where too few (or too many) have it for a value with which `times` as many come. What came
    up later (`is_later`, of each value) may have it from this one: it is no proof against it. The
    second of the `shares` is of those that did not.
    """
    mine = days.mine & (attribute.crash >= 0)
    by_chance = float(shares[0][population.day[mine] - days.first].sum())
    with_it = int((attribute.crash[mine] == value).sum())
    mine &= ~is_later[attribute.crash]
    chance = shares[1][population.day[mine] - days.first]
    # On a day on which all or none of the hosts had it, the crash could not choose.
    open_days = (chance > 0) & (chance < 1)
    if not open_days.any():
        return with_it, by_chance, None, False
    has_it = attribute.crash[mine][open_days] == value
    hits, given = int(has_it.sum()), chance[open_days]
    if_so = times * given / (times * given + 1 - given)
    too = (hits, if_so) if times < 1 else (int((~has_it).sum()), 1 - if_so)
    refuted = poisson_binomial_tail(*too) <= MAX_P
    return with_it, by_chance, poisson_binomial_tail(hits, given), refuted
