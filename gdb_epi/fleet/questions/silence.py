# SPDX-License-Identifier: Apache-2.0
"""Places that went silent: host-hours go on, and no program of theirs crashes any more.

A collector that died, or an upload that is late, looks like recovery: rates fall with it, and the
place seems the healthiest. Fewer crashes of one program are no silence; none of any is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.events import events_of
from gdb_epi.fleet.screen.programs import is_of_process
from gdb_epi.fleet.statistics.arrays import Bools, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import hypergeometric_tail, of_numbers
from gdb_epi.fleet.store.days import iso_day
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MIN_QUIET = 2  # days
MIN_HOSTS = 2  # one host that stopped is its own story
MIN_CRASHES = 10  # before
GOES_ON = 0.5  # of the host-hours a day that it had
MAX_P = 0.01  # that chance leaves none, paid for all values
MAX_GROUPS = 4


class Silence(NamedTuple):
    """Hosts of one value without a crash since a day."""

    attr: str
    value: str
    last: int  # the day of the last crash
    hosts: Ints
    due: float  # crashes since, by its share before

    def words(self) -> str:
        """Say it, without a cause."""
        return (
            f"no crash of any program on {self.attr}={self.value} "
            f"({counted(self.hosts.size, 'host')}) after {iso_day(self.last)}, where about "
            f"{self.due:.0f} were due, and its host-hours go on"
        )


def silent_groups(population: Population) -> list[Silence]:
    """Return what went silent and still is, the surest first; no group of hosts twice."""
    if not population.has_exposure:
        return []
    return population.once(_silent_groups, population)


def _silent_groups(population: Population) -> list[Silence]:
    counted_once = events_of(population).counted
    crashes = (counted_once.host >= 0) & population.timed
    fed = [
        a for a in population.attributes if (a.exposure >= 0).any() and not is_of_process(a.name)
    ]
    tests = sum(len(attribute.values) for attribute in fed)
    groups: list[Silence] = []
    gone = np.zeros(len(population.hosts) + 1, dtype=bool)
    while len(groups) < MAX_GROUPS:
        free = crashes & ~gone[population.host]
        silent = [pair for attribute in fed for pair in _of_attribute(population, attribute, free)]
        best = min(silent, key=lambda pair: pair[0], default=None)
        if best is None or best[0] * tests > MAX_P:
            break
        groups.append(best[1])
        gone[best[1].hosts] = True
    return groups


def _of_attribute(
    population: Population, attribute: Attribute, free: Bools
) -> Iterator[tuple[float, Silence]]:
    """Yield the values that are silent by the end, with P of that by chance."""
    end = population.last_day
    day, codes = population.day, attribute.crash
    for value in range(len(attribute.values)):
        mine = free & (codes == value)
        had = int(np.count_nonzero(mine))
        if had < MIN_CRASHES:
            continue
        last = int(day[mine].max())
        rows = (attribute.exposure == value) & (population.exposure_hours > 0)
        if end - last < MIN_QUIET or not rows.any():
            continue
        first = int(population.exposure_day[rows].min())
        hours = [
            float(population.exposure_hours[rows & some].sum()) / days
            for some, days in (
                (population.exposure_day <= last, last - first + 1),
                ((population.exposure_day > last) & (population.exposure_day <= end), end - last),
            )
        ]
        late = rows & (population.exposure_day > last)
        hosts = np.unique(population.exposure_host[late])
        hosts = hosts[hosts >= 0]
        if hours[1] < GOES_ON * hours[0] or hosts.size < MIN_HOSTS:
            continue
        since = free & (codes >= 0) & (day >= first)
        after = int(np.count_nonzero(since & (day > last)))
        whole = int(np.count_nonzero(since))
        # All of its crashes among those up to its last day: the others tell how many came later.
        p = of_numbers(hypergeometric_tail, had, whole, whole - after, had)
        due = had * after / max(whole - after, 1)
        yield p, Silence(attribute.name, attribute.values[value], last, hosts, due)


def without_silent(population: Population, groups: list[Silence]) -> Population:
    """Return the population without the hosts of some groups, before their silence too."""
    gone = np.zeros(len(population.hosts) + 1, dtype=bool)
    for group in groups:
        gone[group.hosts] = True
    return population.chosen(~gone[population.host], ~gone[population.exposure_host])
