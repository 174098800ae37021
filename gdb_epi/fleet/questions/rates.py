# SPDX-License-Identifier: Apache-2.0
"""Crashes per host-hour by the values of an attribute: is a kernel, a release, a canary ring worse?

A rate alone misleads: a canary ring has more crashes because of what is tried on it, a new kernel
because the load grew. So each value is held against the other ones twice: on the same days (other
hosts, the same load of the week), and on the same hosts (other days, the same work and hardware).
Both are rate ratios of Mantel and Haenszel for person-time, their variance as Greenland and Robins
have it (Biometrics 41, 1985), widened by how far hosts or days scatter.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.silent_hosts import find_silent_days
from gdb_epi.fleet.statistics.arrays import Bools, Floats, Ints, widen_codes
from gdb_epi.fleet.statistics.hypothesis_tests import relative_risk
from gdb_epi.typing_lite import NamedTuple

Z = 1.959964
MIN_HIGH = 1.2  # an upper end of an interval that is worth a word
MIN_IN_EXCESS = 4  # crashes of what an excess is made of
MAX_ELSEWHERE = 0.2  # of these crashes on the hosts of the value, on others
MAX_ALIAS = 0.9  # of the crashes of the value: more is another name for it
MAX_VALUES = 2_000  # of an attribute that is looked at for an excess


class Risk(NamedTuple):
    """A rate ratio and its 95 % interval."""

    ratio: float
    low: float
    high: float

    def words(self) -> str:
        """Say how many times as often."""
        return f"{self.ratio:.2g} times (95 %: {self.low:.2g} to {self.high:.2g})"


class ValueRate(NamedTuple):
    """The crashes of one value of an attribute, and how they compare."""

    value: str
    crashes: int  # an event or a crash loop counts once
    hosts: int
    hours: float
    per_1000_hours: float | None  # None: no host-hours have the value
    same_days: Risk | None  # beside hosts with other values; None: no day has both
    same_hosts: Risk | None  # beside other days of its hosts; None: they never had another value
    answer: str


class Rates(NamedTuple):
    """The rates of all values of an attribute, the most host-hours first."""

    attribute: str
    rows: list[ValueRate]
    not_covered: int  # crashes that no host-hours tell of


class _Cells(NamedTuple):
    """Crashes and host-hours of one attribute, as columns."""

    codes: tuple[Ints, Ints]  # of the crashes, of the host-hours
    days: tuple[Ints, Ints]  # from the first one of the host-hours
    hosts: tuple[Ints, Ints]
    hours: Floats
    crashes: Ints  # which ones of the population
    feed: Ints  # which host-hours of the population


def rates_of_values(
    population: Population, attribute: Attribute, mine: Bools, *, explain: bool = True
) -> Rates:
    """Return the rates of some crashes by the values of an attribute.

    Without `explain` no answer says what else explains a difference: that takes the longest.
    An attribute of processes alone has no host-hours: its rows have crashes and no rate.
    """
    counted = find_events(population).counted
    mine = mine & (counted.signature >= 0)
    cells = _cells(population, attribute, mine & population.covered & population.timed)
    rows = [
        _rate_of(population, attribute, code, cells, mine, explain=explain)
        for code in range(len(attribute.values))
        if (cells.codes[1] == code).any() or (mine & (attribute.crash == code)).any()
    ]
    rows.sort(key=lambda row: (-row.hours, -row.crashes, row.value))
    return Rates(attribute.name, rows, int((mine & ~population.covered).sum()))


def _cells(population: Population, attribute: Attribute, mine: Bools) -> _Cells:
    """Return the crashes and host-hours that have a value, on days that count."""
    feed = (attribute.exposure >= 0) & (population.exposure_host >= 0)
    if (gap := find_silent_days(population)) is not None:
        feed &= (population.exposure_day < gap.first) | (population.exposure_day > gap.last)
        mine = mine & ((population.day < gap.first) | (population.day > gap.last))
    days_of_feed = np.unique(population.exposure_day[feed])
    crashes = np.flatnonzero(
        mine & (attribute.crash >= 0) & (population.host >= 0)
        & np.isin(population.day, days_of_feed)
    )  # fmt: skip
    first = int(days_of_feed[0]) if days_of_feed.size else 0
    return _Cells(
        (attribute.crash[crashes], attribute.exposure[feed]),
        (population.day[crashes] - first, population.exposure_day[feed] - first),
        (population.host[crashes], population.exposure_host[feed]),
        population.exposure_hours[feed],
        crashes,
        np.flatnonzero(feed),
    )


def _rate_of(
    population: Population,
    attribute: Attribute,
    code: int,
    cells: _Cells,
    mine: Bools,
    *,
    explain: bool,
) -> ValueRate:
    value, has_hours = attribute.values[code], cells.codes[1] == code
    hours = float(cells.hours[has_hours].sum())
    crashes = int((cells.codes[0] == code).sum())
    if hours <= 0:
        members = mine & (attribute.crash == code)
        hosts = np.unique(population.host[members & (population.host >= 0)]).size
        answer = "no host-hours are known of it"
        return ValueRate(value, int(members.sum()), hosts, 0.0, None, None, None, answer)
    same_days, same_hosts = _risk(code, cells, cells.days), _risk(code, cells, cells.hosts)
    answer = _compare(same_days, same_hosts)
    if explain and same_days is not None and same_days.low > 1:
        answer += _what_explains_it(
            population, attribute, code, cells, same_days
        ) or _what_the_excess_is(population, attribute, code, cells)
    hosts = np.unique(cells.hosts[1][has_hours]).size
    rate = 1000 * crashes / hours
    return ValueRate(value, crashes, hosts, hours, rate, same_days, same_hosts, answer)


def _risk(code: int, cells: _Cells, strata: tuple[Ints, Ints]) -> Risk | None:
    """Return how many times as often a value has crashes as the others of the same strata.

    Strata are numbers from 0 on: days, hosts.
    """
    size = 1 + max(int(side.max(initial=-1)) for side in strata)
    crashes, hours = (
        [np.bincount(at[has], weight[has], size) for has in (codes == code, codes != code)]
        for at, codes, weight in (
            (strata[0], cells.codes[0], np.ones(strata[0].size)),
            (strata[1], cells.codes[1], cells.hours),
        )
    )
    both = (hours[0] > 0) & (hours[1] > 0)
    if not both.any():
        return None
    (n1, n0), (h1, h0) = ([x[both] for x in pair] for pair in (crashes, hours))
    total = h1 + h0
    more, fewer = float((n1 * h0 / total).sum()), float((n0 * h1 / total).sum())
    due = float(((n1 + n0) * h1 / total).sum())
    if more <= 0 or fewer <= 0:
        return Risk(*relative_risk(n1.sum(), due, n0.sum(), max((n1 + n0).sum() - due, 1e-9)))
    variance = float(((n1 + n0) * h1 * h0 / total**2).sum()) / (more * fewer)
    half = Z * float(np.sqrt(variance * _scatter(code, cells, strata)))
    ratio = more / fewer
    return Risk(ratio, ratio * float(np.exp(-half)), ratio * float(np.exp(half)))


def _scatter(code: int, cells: _Cells, strata: tuple[Ints, Ints]) -> float:
    """Return how much more the crashes scatter than by chance, from host to host or day to day."""
    across = cells.hosts if strata is cells.days else cells.days
    size = 1 + max(int(side.max(initial=-1)) for side in across)
    chi, free = 0.0, -2
    for has_crash, has_hours in (
        (cells.codes[0] == code, cells.codes[1] == code),
        (cells.codes[0] != code, cells.codes[1] != code),
    ):
        n = np.bincount(across[0][has_crash], minlength=size)
        h = np.bincount(across[1][has_hours], cells.hours[has_hours], size)
        due = h * n.sum() / max(h.sum(), 1e-12)
        chi += float(((n - due)[due > 0] ** 2 / due[due > 0]).sum())
        free += int((due > 0).sum())
    return max(1.0, chi / free) if free > 0 else 1.0


def _compare(days: Risk | None, hosts: Risk | None) -> str:
    """Say what the two comparisons tell together."""
    if days is None and hosts is None:
        return "cannot tell: there is nothing to compare it with"
    here = "" if days is None else f"{days.words()} the crashes of others on the same days"
    before = "" if hosts is None else f"{hosts.words()} those of the same hosts with other values"
    if hosts is None:
        assert days is not None
        if days.low > 1:
            return f"{here}; its hosts never had another value: it, or these hosts, or their work"
        return _no_more(days, here)
    if days is None:
        if hosts.low > 1:
            return f"{before}; all had it at once: whatever else changed then fits as well"
        return _no_more(hosts, before)
    if days.low > 1 and hosts.low > 1:
        return f"more crashes with it: {here}, {before}"
    if days.low > 1:
        may_be = f"; up to {hosts.high:.2g} times as many would not show yet"
        words = f"its hosts crash more, with it or without it: {here}, and {before}"
        return words + may_be * (hosts.high > MIN_HIGH)
    if hosts.low > 1:
        return f"all hosts have more since then, not those with it: {here}, {before}"
    return _no_more(max(days, hosts, key=lambda risk: -risk.high), f"{here}, {before}")


def _no_more(risk: Risk, words: str) -> str:
    less = "fewer" if risk.high < 1 else "no more"
    may_be = f"; up to {risk.high:.2g} times as many would not show yet"
    return f"{less} crashes with it: {words}" + may_be * (risk.high > MIN_HIGH)


def _what_explains_it(
    population: Population, attribute: Attribute, code: int, cells: _Cells, risk: Risk
) -> str:
    """Name another attribute of the hosts at whose same value the value has no more than others."""
    best: tuple[float, str] | None = None
    for other in population.attributes:
        codes = other.crash[cells.crashes], other.exposure[cells.feed]
        if other.name == attribute.name or not 1 < len(other.values) <= MAX_VALUES:
            continue
        if (codes[1] < 0).all():
            continue
        width = len(other.values) + 1
        of_crash, of_hours = (
            widen_codes(day) * width + of_other + 1
            for day, of_other in zip(cells.days, codes, strict=True)
        )
        days = of_crash, of_hours
        within = _risk(code, cells._replace(days=days), days)
        # As near to 1 as before, or too wide to tell, explains nothing.
        if within is None or within.low > 1 or within.high >= risk.ratio:
            continue
        distance = abs(float(np.log(max(within.ratio, 1e-9))))
        if best is None or distance < best[0]:
            best = (
                distance,
                f"; {other.name} explains it: at the same {other.name} {within.words()}",
            )
    return "" if best is None else best[1]


def _what_the_excess_is(
    population: Population, attribute: Attribute, code: int, cells: _Cells
) -> str:
    """Name the crashes without which the value has no more than others; "" when none are such."""
    has_value = cells.codes[0] == code
    its_hosts = np.isin(cells.hosts[0], cells.hosts[1][cells.codes[1] == code])
    changed = np.isin(cells.hosts[1], cells.hosts[1][cells.codes[1] == code])
    changed &= cells.codes[1] != code
    best: tuple[float, str] | None = None
    for other in population.attributes:
        if other.name == attribute.name or len(other.values) > MAX_VALUES:
            continue
        codes = other.crash[cells.crashes]
        with_value, elsewhere, before = (
            np.bincount(codes[some & (codes >= 0)], minlength=len(other.values))
            for some in (has_value, ~its_hosts, its_hosts & ~has_value)
        )
        likely = (with_value >= MIN_IN_EXCESS) & (with_value <= MAX_ALIAS * has_value.sum())
        likely &= elsewhere <= MAX_ELSEWHERE * (with_value + before)
        if changed.any():  # what its hosts never had without the value came with it
            likely &= before >= MIN_IN_EXCESS
        for index in np.flatnonzero(likely).tolist():
            rest = codes != index
            kept = cells._replace(
                codes=(cells.codes[0][rest], cells.codes[1]),
                days=(cells.days[0][rest], cells.days[1]),
                hosts=(cells.hosts[0][rest], cells.hosts[1]),
                crashes=cells.crashes[rest],
            )
            risk = _risk(code, kept, kept.days)
            if risk is None or risk.low > 1:
                continue
            distance = abs(float(np.log(max(risk.ratio, 1e-9))))
            share = f"{with_value[index]} of its {has_value.sum()} crashes"
            mark = f"{other.name}={other.values[index]}"
            words = f"; what it has more is {mark} ({share}): without these {risk.words()}"
            if best is None or distance < best[0]:
                best = distance, words
    return "" if best is None else best[1]
