# SPDX-License-Identifier: Apache-2.0
"""A collector that takes so many records a day and no more.

What comes first on a day is seen whole, and what comes late is hardly seen: a region whose morning
is early seems to crash more, and a release of the afternoon seems to be sound. Such a limit shows
twice: many days have exactly the highest number, and on these nothing comes after some hour.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.population.value_spans import is_kept_by_hosts
from gdb_epi.fleet.screen.programs import is_process_attribute
from gdb_epi.fleet.statistics.arrays import Bools, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import apply_to_scalars, binomial_tail
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY
from gdb_epi.typing_lite import NamedTuple

HOUR = 3600
MIN_LIMIT, MIN_FULL_DAYS = 5, 5  # records a day; days with just so many
MAX_P = 1e-6  # that so many days have the very highest number, paid for all that is looked at
MIN_SPAN = 4 * HOUR  # from the first record of a full day to the last: more than one nightly job
MIN_GAPS = 5  # usual gaps between records that the rest of a full day has none for
MOST = 0.8  # of the full days, that end so
MAX_VALUES = 50  # of an attribute
MAX_CRASHES = 1_000_000  # with more of them no collector stopped


class CollectionLimit(NamedTuple):
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


def find_collection_limit(population: Population) -> CollectionLimit | None:
    """Return the limit of all records, else of those of a place; None where nothing shows one."""
    return population.once(_limit, population)


def _limit(population: Population) -> CollectionLimit | None:
    if population.second is None or not MIN_LIMIT <= population.day.size <= MAX_CRASHES:
        return None
    has_time = population.second >= 0
    parts: list[tuple[str, Bools]] = [("", has_time)]
    for attribute in population.attributes:
        if not 1 < len(attribute.values) <= MAX_VALUES or is_process_attribute(attribute.name):
            continue
        if is_kept_by_hosts(population.host, attribute.crash):
            parts += [
                (f"{attribute.name}={value}", has_time & (attribute.crash == code))
                for code, value in enumerate(attribute.values)
            ]
    for where, mine in parts:
        limit = _limit_of(np.sort(population.second[mine]), where, tests=24 * len(parts))
        if limit is not None:
            return limit
    return None


def _limit_of(seconds: Ints, where: str, tests: int) -> CollectionLimit | None:
    """Return the limit of some records, whose days may begin at any full hour of UTC.

    Their `seconds` are in order.
    """
    best: tuple[float, CollectionLimit] | None = None
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
        p = apply_to_scalars(binomial_tail, full.size, of_day.size, share) * tests
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
        best = p, CollectionLimit(limit, where, full_days, of_day.size, ends, starts)
    return None if best is None else best[1]
