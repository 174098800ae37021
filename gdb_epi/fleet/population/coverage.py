# SPDX-License-Identifier: Apache-2.0
"""What the host-hours cover of the crashes, and attributes that both sides spell alike.

A rate needs both its sides from one source. Where the feed of host-hours knows the day of a crash's
host, the crash takes the attributes that the feed has for it (racks are renamed, inventories lag);
where the feed lacks one, the crash has none either, for the questions that count by hours. What the
records themselves have is kept for questions that compare crashes with crashes (case-control).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.population.population import Attribute, ComputedOnceCache, Population
from gdb_epi.fleet.population.value_spans import NEVER, first_and_last_days
from gdb_epi.fleet.statistics.arrays import (
    ABSENT,
    Bools,
    Floats,
    Ints,
    absent_column,
    distinct_rows,
    positions_in,
    row_blocks,
    sum_by_code,
    widen_codes,
)
from gdb_epi.typing_lite import NamedTuple

ROWS = 1 << 20  # crashes that are looked up at a time
NEAR = 7  # days that a feed may stop, or begin late: a host that ran beside them ran on them


class _HostDays(NamedTuple):
    """The distinct (host, day) of the exposure, in order, and its rows of each."""

    key: Ints  # host * days + day - first
    begin: Ints  # of the rows in `order`
    end: Ints
    order: Ints  # rows of the exposure, by (host, day)
    first: int
    days: int

    def places_of(self, host: Ints, day: Ints) -> Ints:
        """Return the place of each (host, day); ABSENT where there is none."""
        inside = (host >= 0) & (day >= self.first) & (day < self.first + self.days)
        code = np.where(inside, widen_codes(host) * self.days + day - self.first, ABSENT)
        return positions_in(self.key, code)


def _host_days(population: Population) -> _HostDays:
    rows = np.flatnonzero((population.exposure_host >= 0) & (population.exposure_hours > 0))
    day, host = population.exposure_day[rows], population.exposure_host[rows]
    first = int(day.min()) if rows.size else 0
    days = int(day.max()) - first + 1 if rows.size else 1
    code = widen_codes(host) * days + day - first
    order = np.argsort(code, kind="stable")
    key, begin = np.unique(code[order], return_index=True)
    end = np.append(begin[1:], order.size)
    return _HostDays(key, begin, end, rows[order], first, days)


def use_attributes_of_exposure_feed(population: Population) -> tuple[Population, dict[str, int]]:
    """Return the population whose crashes have the feed's attributes, and how many had others.

    Of hours without a single value on a day (a host that changed its image) the crash's own value
    stands, if the feed has it on that day. Crashes that the feed covers are marked `in_feed`; one
    of unknown time is where its host is in the feed at all.
    """
    days, size, timed = _host_days(population), population.day.size, population.has_time
    at: Ints = np.zeros(size, dtype=np.int32)
    for part in row_blocks(size, ROWS):
        there = days.places_of(population.host[part], population.day[part])
        at[part] = np.where(timed[part], there, ABSENT)
    ever = np.zeros(len(population.hosts) + 1, dtype=bool)  # the last one: crashes without a host
    ever[days.key // days.days] = True
    in_feed = (at >= 0) | (~timed & ever[population.host])
    attributes, differ = [], {}
    for attribute in population.attributes:
        if not (at >= 0).any() or not attribute.has_hours:
            attributes.append(attribute)
            continue
        of_days = _values_of_host_days(days, attribute)
        crash, other = attribute.crash.copy(), 0
        for part in row_blocks(size, ROWS):
            covered = np.flatnonzero(at[part] >= 0)
            own = attribute.crash[part][covered]
            value = of_days.values_of_crashes(at[part][covered], own)
            other += int(((own >= 0) & (value >= 0) & (own != value)).sum())
            crash[part][covered] = value
        if other:
            differ[attribute.name] = other
        if not np.array_equal(crash, attribute.crash):
            attribute = attribute._replace(crash=crash, reported=attribute.crash)
        attributes.append(attribute)
    return population._replace(attributes=tuple(attributes), in_feed=in_feed), differ


class _ValuesOfDays(NamedTuple):
    """The values of an attribute on each host's days; `pairs` are all of them with their days."""

    single: Bools  # whether one row of host-hours has the day
    first: Ints
    low: Ints
    high: Ints
    pairs: Ints
    size: int

    def values_of_crashes(self, place: Ints, own: Ints) -> Ints:
        """Return the value of each crash, given its place among the days and its own value."""
        value = self.first[place]
        if self.single.all():
            return value
        mine = widen_codes(place) * self.size + own + 1
        places = np.minimum(np.searchsorted(self.pairs, mine), self.pairs.size - 1)
        same = np.where(self.low[place] == self.high[place], value, ABSENT)
        several = np.where(self.pairs[places] == mine, own, same)
        return np.where(self.single[place], value, several)


def _values_of_host_days(days: _HostDays, attribute: Attribute) -> _ValuesOfDays:
    values = attribute.exposure[days.order]
    single = days.end - days.begin == 1
    first, size = values[days.begin], len(attribute.values) + 1
    if single.all():
        return _ValuesOfDays(single, first, first, first, first[:0], size)
    of_row = np.repeat(np.arange(days.key.size), days.end - days.begin)
    pairs = np.unique(of_row * size + values + 1)
    low = np.minimum.reduceat(values, days.begin)
    high = np.maximum.reduceat(values, days.begin)
    return _ValuesOfDays(single, first, low, high, pairs, size)


HOURS_A_DAY = 24.0


def drop_doubled_host_hours(
    named: Ints, host: Ints, day: Ints, hours: Floats
) -> tuple[Floats, list[int]]:
    """Return host-hours of which no host has two lists on one day, and the hosts that had.

    `named` is the row of the name that a feed has, `host` whose name that is: two exporters that
    spell a host in two ways each tell its hours. Of more than a day has the longer list counts.
    """
    of_a_host = np.flatnonzero((host >= 0) & (hours > 0))
    pairs = distinct_rows([host[of_a_host], named[of_a_host]])[0]
    names_of_host = np.bincount(host[of_a_host[pairs]], minlength=1)
    rows = of_a_host[names_of_host[host[of_a_host]] > 1]
    if not rows.size:
        return hours, []
    first, of_list, _ = distinct_rows([host[rows], day[rows], named[rows]])
    lists = rows[first]
    hours_of_list = sum_by_code(of_list, hours[rows], lists.size)
    begin, of_day, many = distinct_rows([host[lists], day[lists]])
    whole = sum_by_code(of_day, hours_of_list, begin.size)
    doubled = (many > 1) & (whole > HOURS_A_DAY)
    longest = np.full(begin.size, ABSENT)
    order = np.argsort(hours_of_list, kind="stable")
    longest[of_day[order]] = order  # the last one stays
    left_out = doubled[of_day] & (longest[of_day] != np.arange(lists.size))
    once = hours.copy()
    once[rows[left_out[of_list]]] = 0.0
    return once, np.unique(host[lists[left_out]]).tolist()


def fill_days_without_host_hours(population: Population) -> tuple[Population, Ints]:
    """Return the population with host-hours on days that the feed lacks, and those days.

    A feed that stops, or comes late, says nothing of those days: a host that ran on the nearest day
    within NEAR is taken to have run as long, and no less than half of the hosts did: a few hours of
    that day, on which it was started or stopped, say nothing of the others. These hours have no
    attributes, as what changed since is not known, and crashes of those days have none that are
    counted by hours.
    """
    feed = np.unique(population.exposure_day[population.exposure_hours > 0])
    timed = population.day[population.has_time]
    if not feed.size or not timed.size:
        return population, feed[:0]
    first, last = int(feed[0]), int(feed[-1])
    wanted = np.arange(
        max(min(int(timed.min()), first), first - NEAR), min(int(timed.max()), last + NEAR) + 1
    )
    missing = np.setdiff1d(wanted, feed)
    if not missing.size:
        return population, missing
    nearest = feed[np.abs(feed[None, :] - missing[:, None]).argmin(axis=1)]
    close = np.abs(nearest - missing) <= NEAR
    missing, nearest = missing[close], nearest[close]
    rows_of = {day: np.flatnonzero(population.exposure_day == day) for day in set(nearest.tolist())}
    hours_of = {day: _hours_raised_to_usual(population, rows) for day, rows in rows_of.items()}
    rows = [rows_of[day] for day in nearest.tolist()]
    source = np.concatenate([*rows, feed[:0]])
    day = np.repeat(missing, [row.size for row in rows])
    unknown = absent_column(source.size)
    inside = np.isin(population.day, missing) & population.has_time

    def filled(attribute: Attribute) -> Attribute:
        return attribute._replace(
            exposure=np.concatenate((attribute.exposure, unknown)),
            crash=np.where(inside, ABSENT, attribute.crash)
            if attribute.has_hours
            else attribute.crash,
        )

    hours = np.concatenate([*(hours_of[day] for day in nearest.tolist()), np.zeros(0)])
    more = population.exposure_host[source], hours
    whole = population.with_each_attribute_changed(filled)._replace(
        exposure_day=np.concatenate((population.exposure_day, day)),
        exposure_host=np.concatenate((population.exposure_host, more[0])),
        exposure_hours=np.concatenate((population.exposure_hours, more[1])),
        memo=None if population.memo is None else ComputedOnceCache(),
    )
    return whole, missing


def _hours_raised_to_usual(population: Population, rows: Ints) -> Floats:
    """Return the hours of the rows of a day, of a host that ran for less than half of them more."""
    host, hours = population.exposure_host[rows], population.exposure_hours[rows]
    of_a_host = host >= 0
    each = sum_by_code(host[of_a_host], hours[of_a_host], len(population.hosts))
    usual = float(np.median(each[each > 0])) if (each > 0).any() else 0.0
    times = np.maximum(usual / np.where(each > 0, each, np.inf), 1.0)
    return np.where(of_a_host, hours * times[host], hours)


def drop_host_hours(population: Population) -> Population:
    """Return the population without host-hours, crashes with the attributes of their records."""
    nothing = np.zeros(0, dtype=np.int64)

    def as_reported(attribute: Attribute) -> Attribute:
        crash = attribute.codes_as_reported
        return attribute._replace(crash=crash, exposure=nothing, reported=None)

    return population.with_each_attribute_changed(as_reported)._replace(
        exposure_day=nothing, exposure_host=nothing, exposure_hours=np.zeros(0)
    )


def has_crashes_without_hours(population: Population) -> bool:
    """Whether crashes have no host-hours, or attributes that the host-hours lack."""
    if not population.has_exposure:
        return False
    lost = (
        bool(((a.crash < 0) & (a.reported >= 0)).any())
        for a in population.attributes
        if a.reported is not None
    )
    return not population.has_host_hours.all() or any(lost)


MIN_ROWS = 1_000  # of host-hours: fewer are counted as quickly as they are
MAX_CUTS = 12  # values on whose first and last days the sums of host-hours are cut


def sum_old_host_hours(population: Population, since: int) -> Population:
    """Return the population with the host-hours before a day summed up by host and attributes.

    What is asked of them is how many there are of each value, and of the others while it ran: no
    sum goes beyond the first or last day of a value that ran for a while. The last day of a sum has
    a row of no hours. Of 5,000 hosts over a year a twelfth of the rows is left.
    """
    columns = (
        population.exposure_host,
        *(attribute.exposure for attribute in population.attributes),
    )
    rows = population.computed_once(
        _sum_old_days, since, population.exposure_day, population.exposure_hours, *columns
    )
    if rows is None:
        return population
    some, last, day, hours = rows
    attributes = tuple(
        a._replace(exposure=population.computed_once(_concatenate_rows, a.exposure, some, last))
        for a in population.attributes
    )
    facts = tuple(a._replace(exposure=absent_column(day.size)) for a in population.facts)
    host = population.computed_once(_concatenate_rows, population.exposure_host, some, last)
    return population._replace(
        attributes=attributes, facts=facts, exposure_day=day, exposure_hours=hours,
        exposure_host=host,
    )  # fmt: skip


def _concatenate_rows(column: Ints, some: Ints, last: Ints) -> Ints:
    return np.concatenate((column[some], column[last]))


def _days_on_which_values_came_or_went(
    days: Ints, hours: Floats, columns: Sequence[Ints], rows: Ints
) -> Ints:
    """Return the days on which values come up or have gone, in order: those of the most hours."""
    cuts: list[tuple[float, int, int]] = []
    begin, end = int(days.min()), int(days.max())
    for codes in (column[rows] for column in columns[1:]):
        size = int(codes.max(initial=-1)) + 1
        first, last = first_and_last_days(codes, days, size)
        of_value = sum_by_code(codes[codes >= 0], hours[codes >= 0], size)
        passing = np.flatnonzero((first < NEVER) & ((first > begin) | (last < end)))
        cuts += [(-of_value[v], int(first[v]), int(last[v]) + 1) for v in passing.tolist()]
    return np.unique([day for cut in heapq.nsmallest(MAX_CUTS, cuts) for day in cut[1:]])


def _sum_old_days(
    since: int, days: Ints, hours: Floats, *columns: Ints
) -> tuple[Ints, Ints, Ints, Floats] | None:
    """Return a row of each sum and those since a day, rows of last days; days and hours of all."""
    old = np.flatnonzero(days < since)
    if old.size < MIN_ROWS:
        return None
    cuts = _days_on_which_values_came_or_went(days[old], hours[old], columns, old)
    of_span = np.searchsorted(cuts, days[old], side="right")
    where, number, _ = distinct_rows([of_span, *(column[old] for column in columns)])
    first = np.full(where.size, since)
    last = np.full(where.size, int(days[old].min()))
    np.minimum.at(first, number, days[old])
    np.maximum.at(last, number, days[old])
    summed = sum_by_code(number, hours[old], where.size)
    recent = np.flatnonzero(days >= since)
    later = last > first
    return (
        np.concatenate((old[where], recent)),
        old[where][later],
        np.concatenate((first, days[recent], last[later])),
        np.concatenate((summed, hours[recent], np.zeros(int(later.sum())))),
    )
