# SPDX-License-Identifier: Apache-2.0
"""When the values of an attribute and hosts ran, by the host-hours, and whether hosts keep one."""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.statistics.arrays import (
    Bools,
    Floats,
    Ints,
    distinct_pairs,
    sum_by_code,
    widen_codes,
)
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_p

NEVER = 1 << 62  # a day
LATE = 0.1  # of the time that is known: what ran in it already is no newer than others
ALONE = 0.9  # of what ran (or crashed) on the days of a value
MAX_REFUTED_P = 0.01  # that so few have a value with which so many more come
MAX_MOVED = 0.1  # of the hosts, that change their value of what belongs to a place
GOES_ON = 0.5  # of the host-hours a day that hosts had


def is_newest_value(population: Population, attribute: Attribute, value: int) -> bool:
    """Whether the value came up while others went: then time itself is the other explanation.

    Not where others have most of the host-hours of its days: what came then came there, too.
    """
    size = len(attribute.values)
    spans = population.computed_once(
        first_and_last_days, attribute.exposure, population.exposure_day, size
    )
    if not started_late_and_outlasted_others(spans, value):
        return False
    since = (population.exposure_day >= spans[0][value]) & (attribute.exposure >= 0)
    hours, own = population.exposure_hours, attribute.exposure == value
    return bool(hours[own].sum() >= GOES_ON * hours[since].sum())


def p_by_hours_while_value_ran(
    population: Population, exposure: Ints, crashes: Ints, codes: Ints, value: int
) -> float:
    """Return P that of some crashes so many have a value, while it ran, by the host-hours.

    `codes` are the values of these crashes. Where hosts with others lack them, time is no cause.
    """
    return binomial_p(*_crashes_and_share_of_its_days(population, exposure, crashes, codes, value))


def is_value_refuted_while_it_ran(
    population: Population, exposure: Ints, crashes: Ints, codes: Ints, value: int, times: float
) -> bool:
    """Whether so few of some crashes have a value while it ran that it brings no `times` as many.

    A release that came when the load rose has more than what ran before it, and no more than what
    ran beside it. Where hardly any host had another value then, days tell it and not hosts.
    """
    hits, n, share = _crashes_and_share_of_its_days(population, exposure, crashes, codes, value)
    if_so = times * share / (times * share + 1 - share)
    return share < ALONE and binomial_p(n - hits, n, 1 - if_so) <= MAX_REFUTED_P


def _crashes_and_share_of_its_days(
    population: Population, exposure: Ints, crashes: Ints, codes: Ints, value: int
) -> tuple[int, int, float]:
    """Return how many of some crashes have a value, of all while it ran, and its hours' share."""
    during = _days_while_value_ran(population, exposure, value, population.exposure_day)
    hours = np.where(during & (exposure >= 0), population.exposure_hours, 0.0)
    share = float(hours[exposure == value].sum() / max(hours.sum(), 1e-9))
    then = _days_while_value_ran(population, exposure, value, population.day[crashes])
    then_codes = codes[(codes >= 0) & then]
    return int(np.count_nonzero(then_codes == value)), then_codes.size, share


def value_ran_alone(population: Population, exposure: Ints, value: int) -> bool:
    """Whether hardly any host had another value in the time of one, and all others before or after.

    Days alone tell it from the others then.
    """
    hours = np.where(exposure >= 0, population.exposure_hours, 0.0)
    during = _days_while_value_ran(population, exposure, value, population.exposure_day)
    return bool(
        hours[~during].sum() > 0 and hours[exposure == value].sum() >= ALONE * hours[during].sum()
    )


def _days_while_value_ran(population: Population, exposure: Ints, value: int, days: Ints) -> Bools:
    """Return which of some days lie between the first and the last of a value."""
    own = population.exposure_day[exposure == value]
    if not own.size:
        return np.zeros(days.size, dtype=bool)
    return np.asarray((days >= own.min()) & (days <= own.max()))


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
    codes, days = (exposure, day) if has_value.all() else (exposure[has_value], day[has_value])
    if (days[1:] < days[:-1]).any():  # crashes are in order, as a rule
        order = np.argsort(days, kind="stable")
        codes, days = codes[order], days[order]
    first, last = np.full(size, NEVER, np.int64), np.full(size, -NEVER, np.int64)
    # The last one assigned stays: a tenth of the time of `minimum.at`.
    first[codes[::-1]] = days[::-1]
    last[codes] = days
    return first, last


def is_kept_by_hosts(host: Ints, values: Ints) -> bool:
    """Whether hosts keep their value of an attribute, as that of a place.

    Versions come to all of them in turn, and tell when something ran rather than where.
    """
    has_both = (host >= 0) & (values >= 0)
    hosts = distinct_pairs(host, values, has_both)[0]
    return hosts.size <= (1 + MAX_MOVED) * np.unique(hosts).size


def share_of_usual_hours(
    population: Population, hosts: Bools, days: tuple[int, int], since: int | None = None
) -> float | None:
    """Return by how much some hosts ran on from one day to another, 1.0 being as usual.

    As many host-hours a day are usual as they had on all other days that have some, or on all days
    from `since` up to the first one. None where they had none: it is not known. `hosts` is a
    mask with a last place for rows without a host; GOES_ON tells what is enough.
    """
    first, last = days
    rows = np.flatnonzero(hosts[population.exposure_host] & (population.exposure_hours > 0))
    day, hours = population.exposure_day[rows], population.exposure_hours[rows]
    during = (day >= first) & (day <= last)
    other = ~during if since is None else day < first
    days_before = np.unique(day[other]).size if since is None else first - since
    usual = float(hours[other].sum()) / max(days_before, 1)
    if not usual:
        return None
    return float(hours[during].sum()) / (last - first + 1) / usual


class DaysOfUseByValue:
    """On which days each value of an attribute was used, by host-hours or by crashes."""

    def __init__(self, codes: Ints, day: Ints, weights: Floats, size: int) -> None:
        has_value = codes >= 0
        codes, day, weights = codes[has_value], widen_codes(day[has_value]), weights[has_value]
        self._first, self._last = first_and_last_days(codes, day, size)
        self._uses = sum_by_code(codes, weights, size)
        self._start = int(day.min(initial=NEVER))
        by_day = sum_by_code(day - self._start, weights, 1)
        self._before = np.append(0.0, np.cumsum(by_day))  # each day
        self._values = int(np.count_nonzero(self._uses))

    def spans_to_choose_from(self, value: int) -> float:
        """Return how many spans of days there are for each value, where one is but its days.

        It was used alone then and is used no more: what else happened on its days looks like its
        doing, and a burst on any other days would have accused another value. 1 where others were
        used beside it, as the same days can be compared then, and where it is used still.
        """
        days = self._before.size - 1
        first, last = (int(ends[value]) - self._start for ends in (self._first, self._last))
        if not self._uses[value] or last + 1 >= days:
            return 1.0
        if self._uses[value] < ALONE * (self._before[last + 1] - self._before[first]):
            return 1.0
        return max(days * (days + 1) / 2 / self._values, 1.0)
