# SPDX-License-Identifier: Apache-2.0
"""Places that were silent for days and came back: no program of theirs crashed, elsewhere many did.

A collector or an upload that failed for some days looks so: a splendid week, and an outbreak at its
end. How often the place is silent otherwise, and how its days scatter, say whether chance does it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from gdb_epi.fleet.population.cached_answers import cached_answer
from gdb_epi.fleet.population.population import Attribute, Population, computed_once_per_population
from gdb_epi.fleet.population.value_spans import (
    GOES_ON,
    first_and_last_days,
    is_kept_by_hosts,
    share_of_usual_hours,
)
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.statistics.arrays import Bools, Ints, count_pairs
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_moment
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MIN_CRASHES = 20  # of a value
MIN_DUE = 8.0  # of them, in the gap
MIN_DAYS = 2.0  # so that a whole one lies in it
TIMES_OTHER_GAPS = 2.0  # of the second longest gap: weekends come again
MAX_LOG_P = float(np.log(0.01))  # paid for all values and gaps
MAX_LOG_P_OF_OTHERS = float(np.log(0.01))  # without the most frequent signature: it may be mended
WEEKS = 14 * int(SECONDS_A_DAY)
MAX_VALUES = 200  # with more they name hosts
MIN_HOSTS = 2
MAX_GROUPS = 4
SAME = 0.5  # of a group's hosts, that a group before it has


class TemporarySilenceOfHosts(NamedTuple):
    """A value whose hosts had no crash between two moments, and have some again."""

    attr: str
    value: str
    begin: int  # the seconds of the last crash before it, and of the first one after it
    end: int
    hosts: Ints
    due: float
    has_hours: bool

    def words(self) -> str:
        """Say it, without a cause."""
        run = (
            "and its host-hours went on"
            if self.has_hours
            else "(no host-hours tell whether it ran)"
        )
        return (
            f"no crash of any program on {self.attr}={self.value} "
            f"({counted(self.hosts.size, 'host')}) from {iso_moment(self.begin)} to "
            f"{iso_moment(self.end)}, where about {self.due:.0f} were due, {run}"
        )

    @property
    def days(self) -> tuple[int, int]:
        """The first and the last day that lie in it whole."""
        return int(self.begin // SECONDS_A_DAY) + 1, int(self.end // SECONDS_A_DAY) - 1


@computed_once_per_population
def find_past_silences(population: Population) -> list[TemporarySilenceOfHosts]:
    """Return what was silent for days, the surest first; no group of hosts twice."""
    if population.second is None or not population.has_time.any():
        return []
    make = partial(_find_silences, population)
    return cached_answer(population, "past-silences", make, TemporarySilenceOfHosts)


def _find_silences(population: Population) -> list[TemporarySilenceOfHosts]:
    counted_once = find_events(population).counted
    attributes = [
        a
        for a in counted_once.attributes
        if 1 < len(a.values) <= MAX_VALUES
        and not (a.is_of_process or a.is_range)
        and is_kept_by_hosts(counted_once.host, a.crash)
    ]
    tests = sum(len(a.values) for a in attributes)
    maybe = [
        gap
        for attribute in attributes
        for gap in _unlikely_gaps(population, counted_once, attribute, tests)
    ]
    kept: list[TemporarySilenceOfHosts] = []
    for _, gap in sorted(maybe, key=lambda pair: pair[0]):
        if not any(np.isin(gap.hosts, other.hosts).mean() >= SAME for other in kept):
            kept.append(gap)
    return kept[:MAX_GROUPS]


def _unlikely_gaps(
    whole: Population, population: Population, attribute: Attribute, tests: int
) -> Iterator[tuple[float, TemporarySilenceOfHosts]]:
    """Yield (log p, gap) of the values whose longest gap chance does not explain."""
    second = population.second
    assert second is not None
    placed = population.has_time & (attribute.crash >= 0) & (population.host >= 0)
    with_gaps = np.append(_values_with_empty_days(population, attribute, placed), False)
    rows = np.flatnonzero(placed & with_gaps[attribute.crash])
    rows = rows[np.argsort(attribute.crash[rows], kind="stable")]
    codes, at = attribute.crash[rows], second[rows].astype(np.int64)
    edges = np.searchsorted(codes, np.arange(len(attribute.values) + 1))
    every = second[population.has_time & (population.host >= 0)]  # what came together counts once
    for value, (low, high) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
        if high - low < MIN_CRASHES:
            continue
        apart = np.diff(at[low:high])
        longest = int(apart.argmax())
        length = int(apart[longest])
        others = int(np.delete(apart, longest).max(initial=0))
        if length < MIN_DAYS * SECONDS_A_DAY or length <= TIMES_OTHER_GAPS * others:
            continue
        begin, end = int(at[low + longest]), int(at[low + longest + 1])
        # Whoever crashes elsewhere in its time tells how much of the fleet's time the gap is.
        first, start, stop, last = np.searchsorted(
            every, [at[low], begin + 1, end, at[high - 1] + 1]
        ).tolist()
        n = high - low
        ratios = [n / max((last - first) - n - (stop - start), 1)]
        # Of the weeks before and after it as well: what rolls out has ever more crashes.
        for left, right in ((begin - WEEKS, begin), (end, end + WEEKS)):
            own, there = (
                int(np.searchsorted(x, right, "right") - np.searchsorted(x, left))
                for x in (at[low:high], every)
            )
            ratios.append(own / max(there - own, 1))
        due = min(ratios) * (stop - start)
        if due < MIN_DUE:
            continue
        excess = _overdispersion(at[low:high], every, (begin, end))
        shrink = float(np.log1p(excess) / excess) if excess > 1e-9 else 1.0
        log_p = -due * shrink + float(np.log(n * tests))
        kinds = np.bincount(population.signature[rows[low:high]] + 1)[1:]
        rest = due * (1 - kinds.max(initial=0) / n)
        if log_p > MAX_LOG_P or -rest * shrink > MAX_LOG_P_OF_OTHERS:
            continue
        hosts = np.unique(population.host[rows[low:high]])
        gap = TemporarySilenceOfHosts(
            attribute.name, attribute.values[value], begin, end, hosts, due, True
        )
        silent = np.zeros(len(whole.hosts) + 1, dtype=bool)
        silent[hosts] = True
        share = share_of_usual_hours(whole, silent, gap.days)
        if hosts.size >= MIN_HOSTS and (share is None or share >= GOES_ON):
            yield log_p, gap._replace(has_hours=share is not None)


def _values_with_empty_days(population: Population, attribute: Attribute, placed: Bools) -> Bools:
    """Return the values that have a day without a crash between their first and their last one."""
    size = len(attribute.values)
    if not placed.any():
        return np.zeros(size, dtype=bool)
    start = int(population.day[int(placed.argmax())])  # they are in the order of time
    codes, days, _ = count_pairs(attribute.crash, population.day - start, among=placed)
    first, last = first_and_last_days(codes, days, size)
    return np.asarray(np.bincount(codes, minlength=size) < last - first + 1)


def _overdispersion(mine: Ints, every: Ints, gap: tuple[int, int]) -> float:
    """Return how much more than Poisson's the days of some crashes scatter about the others' days.

    Days that touch the gap do not count.
    """
    start, day = int(mine[0]), int(SECONDS_A_DAY)
    size = (int(mine[-1]) - start) // day + 1
    inside = every[(every >= start) & (every < start + size * day)]
    own, whole = (
        np.bincount((some - start) // day, minlength=size).astype(float) for some in (mine, inside)
    )
    begins = start + np.arange(size) * day
    usual = (begins + day <= gap[0]) | (begins >= gap[1])
    own, others = own[usual], (whole - own)[usual]
    ratio = float(own.sum()) / max(float(others.sum()), 1.0)
    due = ratio * others
    if np.count_nonzero(due) < 2:
        return 0.0
    chi = float(((own - due)[due > 0] ** 2 / (due[due > 0] * (1 + ratio))).sum())
    return max(chi / (int(np.count_nonzero(due)) - 1) - 1, 0.0)


def drop_past_silences(
    population: Population, silences: list[TemporarySilenceOfHosts], signature: int | None = None
) -> Population:
    """Return the population without the host-hours of silent places while they were silent.

    Without host-hours, the hosts of those that have crashes of a `signature` are left out.
    """
    if population.has_exposure:
        for gap in silences:
            population = population.without_hours(gap.hosts, *gap.days)
    elif signature is not None and silences:
        population = population.without_hosts(np.concatenate([gap.hosts for gap in silences]))
    return population
