# SPDX-License-Identifier: Apache-2.0
"""A collector that takes so many records a day, or of a host, and no more.

What comes first on a day is seen whole, and what comes late is hardly seen: a region whose morning
is early seems to crash more, and a release of the afternoon seems to be sound. Such a limit shows
twice: many days have exactly the highest number, and on these nothing comes after some hour. Where
the first core of each host is kept, all hosts have one, and the rate falls as fewer hosts are left.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.number_ranges import is_own_number_of_crash, number_or_low_end
from gdb_epi.fleet.population.population import Population, computed_once_per_population
from gdb_epi.fleet.population.value_spans import is_kept_by_hosts
from gdb_epi.fleet.records.facts import CORE_SIZE
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.programs import program_of_each_crash
from gdb_epi.fleet.statistics.arrays import Bools, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_p, relative_risk
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_day
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

HOUR = 3600
MIN_LIMIT, MIN_FULL_DAYS = 5, 5  # records a day; days with just so many
MAX_P = 1e-6  # that so many days have the very highest number, paid for all that is looked at
MIN_SPAN = 4 * HOUR  # from the first record of a full day to the last: more than one nightly job
MIN_GAPS = 5  # usual gaps between records that the rest of a full day has none for
MOST = 0.8  # of the full days, that end so
MAX_VALUES = 50  # of an attribute
MAX_PLACES = 6  # that are told one by one
LATEST = 7  # full days, whose first hours are compared
MAX_CRASHES = 1_000_000  # with more of them no collector stopped
MIN_HOSTS = 20  # that are compared
MOST_EQUAL = 1 / 3  # P(2 crashes of a host that has any) is 0.32 at most, of 3 and more less
MAX_CHANCE = 0.05  # that crashes fall on so many hosts and twice on none
MIN_LARGE = 8  # crashes above a size
OF_CORES = ("core_", "dump_")  # begin the names of attributes that may tell it
MAX_FALL_P = 0.001  # that the first half of the time has so many


class DailyCollectionLimit(NamedTuple):
    """So many records a day, of all hosts or of some."""

    limit: int
    where: str  # attribute=value; "" of all hosts
    days: Ints  # the full days, by UTC
    of_days: int  # with any record
    ends: tuple[int, int]  # hours from the start of its day, when full days end: the 10 % and 90 %
    starts: int  # hour of UTC at which its day begins

    def words(self) -> str:
        """Say what is seen and what it does to the answers."""
        where = f" of {self.where}" if self.where else ""
        hours = [f"{(hour + self.starts) % 24:02d}:00" for hour in self.ends]
        start = f", from {self.starts:02d}:00 UTC on" if self.starts else ""
        return (
            f"{self.days.size} of {self.of_days} days{where} have exactly {self.limit} records, "
            f"and none has more. On those days nothing comes after some time between {hours[0]} "
            f"and {hours[1]} UTC. A collector that takes {self.limit} a day{start} looks like "
            "this. What comes later in its day is missing: do not compare places, hours or "
            "versions by these days"
        )


@computed_once_per_population
def find_collection_limit(population: Population) -> DailyCollectionLimit | None:
    """Return the limit of all records, else of those of a place; None where nothing shows one."""
    if population.second is None or not MIN_LIMIT <= population.day.size <= MAX_CRASHES:
        return None
    has_time = population.second >= 0
    parts: list[tuple[str, Bools]] = [("", has_time)]
    for attribute in population.attributes:
        if not 1 < len(attribute.values) <= MAX_VALUES or attribute.is_of_process:
            continue
        if is_kept_by_hosts(population.host, attribute.crash):
            parts += [
                (f"{attribute.name}={value}", has_time & (attribute.crash == code))
                for code, value in enumerate(attribute.values)
            ]
    for where, mine in parts:
        limit = _daily_limit_of(np.sort(population.second[mine]), where, tests=24 * len(parts))
        if limit is not None:
            return limit
    return None


def _daily_limit_of(seconds: Ints, where: str, tests: int) -> DailyCollectionLimit | None:
    """Return the limit of some records, whose days may begin at any full hour of UTC.

    Their `seconds` are in order.
    """
    best: tuple[float, DailyCollectionLimit] | None = None
    if not seconds.size:
        return None
    length = int(SECONDS_A_DAY)
    for starts in range(24):
        days = np.arange(*((seconds[[0, -1]] - starts * HOUR) // length + (0, 2)))
        first = np.searchsorted(seconds, days * length + starts * HOUR)
        has_any = np.diff(first) > 0
        of_day, counts, first = days[:-1][has_any], np.diff(first)[has_any], first[:-1][has_any]
        if (limit := int(counts.max())) < MIN_LIMIT:
            return None
        full = np.flatnonzero(counts == limit)
        if full.size < MIN_FULL_DAYS:
            continue
        # No Poisson distribution, nor a wider one, gives a day this very number more often.
        share = 1 / np.sqrt(2 * np.pi * limit)
        p = binomial_p(full.size, of_day.size, share) * tests
        if p > MAX_P or (best is not None and p >= best[0]):
            continue
        begin, end = seconds[first[full]], seconds[first[full] + limit - 1]
        left = (of_day[full] + 1) * length + starts * HOUR - end
        stops = (end - begin >= MIN_SPAN) & (left >= MIN_GAPS * (end - begin) / (limit - 1))
        # Work that dies at the same hours each day ends at one time; what fills a limit does not.
        after = (end - starts * HOUR) % length
        low, high = np.quantile(after, (0.1, 0.9))
        if stops.mean() < MOST or high - low < np.median(end - begin) / (limit - 1):
            continue
        ends = int(low // HOUR), int(-(-high // HOUR))
        full_days = np.unique(np.concatenate((begin, end)) // length)
        best = p, DailyCollectionLimit(limit, where, full_days, of_day.size, ends, starts)
    return None if best is None else best[1]


def rise_within_limit_words(population: Population) -> str | None:
    """Say how the hours that every day covers changed, and where; None without a limit of all.

    A flat line of full days hides that they fill ever earlier. Their first hours are seen whole.
    """
    limit = find_collection_limit(population)
    if limit is None or limit.where or population.second is None:
        return None
    length = int(SECONDS_A_DAY)
    rows = np.flatnonzero(population.second >= 0)
    second = population.second[rows] - limit.starts * HOUR
    day, after = second // length, second % length
    counts = np.bincount(day - day.min())
    full = np.flatnonzero(counts == limit.limit)
    if full.size <= MIN_FULL_DAYS:
        return None
    ends = np.zeros(counts.size, dtype=np.int64)
    np.maximum.at(ends, day - day.min(), after)
    covered = int(ends[full].min()) // HOUR
    others = np.flatnonzero((counts > 0) & (counts < limit.limit))[1:-1]  # whole days
    # The day that filled fastest was chosen for that: its first hours tell nothing of the others.
    late = np.delete(full, ends[full].argmin())[-LATEST:]
    if covered < 1 or others.size < MIN_FULL_DAYS or late.size < MIN_FULL_DAYS:
        return None
    if others.max() > full.min():  # working days and weekends, and no rise
        return None
    early = (after < covered * HOUR) & ~find_events(population).repeated_crashes[rows]
    parts = [early & np.isin(day - day.min(), days) for days in (others, late)]
    numbers = [int(part.sum()) for part in parts]
    if min(numbers) <= 0:
        return None
    a_day = numbers[0] / others.size, numbers[1] / late.size
    ratio, low, high = relative_risk(numbers[1], late.size, numbers[0], others.size)
    hours = f"{limit.starts:02d}:00 to {(covered + limit.starts) % 24:02d}:00 UTC"
    words = (
        f"in the hours that every day covers ({hours}) {a_day[1]:.3g} come a day on the last "
        f"{late.size} full days, {a_day[0]:.3g} on days below the limit: {ratio:.2g} times "
        f"(95 %: {low:.2g} to {high:.2g})"
    )
    if low <= 1 <= high:
        return f"{words}: no change that can be told"
    words += ", so the flat line is false" if ratio > 1 else ""
    places = []
    for attribute in population.attributes:
        codes, size = attribute.crash[rows], len(attribute.values)
        if not 1 < size <= MAX_PLACES or attribute.is_of_process:
            continue
        if not is_kept_by_hosts(population.host, attribute.crash):
            continue
        tables = [np.bincount(codes[p & (codes >= 0)], minlength=size) for p in parts]
        if tables[0].min() < MIN_FULL_DAYS:
            continue
        each = [
            relative_risk(b, late.size, a, others.size)
            for a, b in zip(*(t.tolist() for t in tables), strict=True)
        ]
        names = zip(attribute.values, each, strict=True)
        shown = ", ".join(f"{value} {r:.2g} ({a:.2g} to {b:.2g})" for value, (r, a, b) in names)
        places.append(f"{attribute.name}: {shown} times")
    return f"{words} ({'; '.join(places)})" if places else words


class CollectionLimitPerHost(NamedTuple):
    """So many crashes of each host, and of none more."""

    limit: int
    hosts: int
    least: int  # hosts that a fleet needs in which chance does that; 0: none does

    def words(self) -> str:
        """Say what is seen and what it does to the answers."""
        chance = f"takes a fleet of {self.least:,} hosts" if self.least else "hardly happens"
        return (
            f"each of the {self.hosts} hosts has exactly {counted(self.limit, 'crash')}: by chance "
            f"that {chance}. A collector that keeps the first cores of a host looks like this, "
            "and so do hosts that are taken out after a crash. Do not compare hosts, and do not "
            "read days: no host that was seen can come again, so the rate falls by itself. How "
            "often each signature comes among these crashes can be told"
        )


@computed_once_per_population
def find_limit_per_host(population: Population) -> CollectionLimitPerHost | None:
    """Return how many crashes of each host were taken; None where hosts differ as by chance.

    One crash on each of many hosts is usual in a fleet of many more. So its hosts must be known, or
    the crashes must become fewer while hosts run out.
    """
    counts = np.bincount(population.host[population.host >= 0], minlength=1)
    counts = counts[counts > 0]
    if counts.size < MIN_HOSTS or (counts != counts[0]).any():
        return None
    limit, hosts = int(counts[0]), int(counts.size)
    if limit > 1:  # hosts of any rates have just so many in at most MOST_EQUAL of cases each
        return CollectionLimitPerHost(limit, hosts, 0) if MOST_EQUAL**hosts <= MAX_P else None
    least = int(hosts * (hosts - 1) / (2 * np.log(1 / MAX_CHANCE)))
    runs = population.exposure_host[population.exposure_hours > 0]
    if runs.size:
        return CollectionLimitPerHost(1, hosts, least) if np.unique(runs).size < least else None
    seconds = (
        population.second[population.has_time] if population.second is not None else counts[:0]
    )
    if seconds.size < MIN_HOSTS:
        return None
    early = int(np.count_nonzero(seconds - seconds.min() < np.ptp(seconds) / 2))
    falls = binomial_p(early, seconds.size, 0.5) <= MAX_FALL_P
    return CollectionLimitPerHost(1, hosts, least) if falls else None


class CoreSizeLimit(NamedTuple):
    """A size above which no crash came before a day, or since one."""

    size: str  # in words
    day: int  # of the last one above, or of the first one
    has_begun: bool
    large: Bools  # the crashes above
    share: float  # of these among all while some come
    others: int  # crashes of the other time, none of which is above
    rates: tuple[float, float]  # crashes a day that are not above, before and after

    def words(self) -> str:
        """Say it, and what it does to other answers."""
        when, then, effect = (
            ("before", "since then", "keeps larger cores since then looks like this, and so do "
             "programs that are new; what seems to have begun or risen then may be older")
            if self.has_begun
            else ("since", "until then", "drops large cores looks like this; what seems to have "
                  "ended or fallen then may go on")
        )  # fmt: skip
        return (
            f"no {self.size} or more {when} {iso_day(self.day)}, of any program, where "
            f"{self.share:.0%} were so large {then} ({counted(self.others, 'crash')} {when}); "
            f"smaller ones came as {self.rates[0]:.3g} a day before and {self.rates[1]:.3g} since: "
            f"a collector that {effect}"
        )


@computed_once_per_population
def find_core_size_limit(population: Population) -> CoreSizeLimit | None:
    """Return the size from which no core was kept for a time, of several programs; None if none.

    The size of a core, in classes or as what collects them tells it. The surest limit is told.
    """
    programs = program_of_each_crash(population)
    best: tuple[float, CoreSizeLimit] | None = None
    for fact in (*population.facts, *population.attributes):
        is_of_core = fact.name.startswith(OF_CORES) and is_own_number_of_crash(fact)
        if fact.name != CORE_SIZE and (fact.is_range or not is_of_core):
            continue
        numbers = [number_or_low_end(value.split(" ")[0]) or 0.0 for value in fact.values]
        rows = np.flatnonzero(population.has_time & (fact.crash >= 0))
        sizes, day = np.array(numbers)[fact.crash[rows]], population.day[rows]
        for limit in np.unique(sizes[sizes > 0]).tolist():
            large = sizes >= limit
            if np.count_nonzero(large) < MIN_LARGE:
                break
            for has_begun, turn in ((False, int(day[large].max())), (True, int(day[large].min()))):
                outside = day < turn if has_begun else day > turn
                share = float(large[~outside].mean())
                log_p = float(np.count_nonzero(outside) * np.log1p(-min(share, 1 - 1e-9)))
                if log_p > np.log(MAX_P) or (best is not None and log_p >= best[0]):
                    continue
                some = rows[large]
                if programs is not None and np.unique(programs.crash[some]).size < 2:
                    continue
                days = turn - int(day.min()), int(day.max()) - turn
                before, after = (
                    float(np.count_nonzero(~large & part) / max(span, 1))
                    for part, span in zip((day < turn, day > turn), days, strict=True)
                )
                unit = f"core of {limit:g} GiB" if fact.name == CORE_SIZE else ""
                best = log_p, CoreSizeLimit(
                    unit or f"crash with {fact.name} of {limit:g}", turn, has_begun,
                    population.mask_of_rows(some), share, int(np.count_nonzero(outside)),
                    (before, after),
                )  # fmt: skip
    return None if best is None else best[1]
