# SPDX-License-Identifier: Apache-2.0
"""Host-hours of a value rolled out pool by pool, inferred from the records alone.

A limit of a service's watchdog stands in the records of that service and in no list of hosts. Where
all records of a pool have the old value up to a day and the new one since, and pools changed on
days of their own, the host-hours of each are known by that: it is a roll-out in stages.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.population.value_spans import is_kept_by_hosts
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, Ints

MAX_VALUES, MAX_GROUPS = 10, 20
MIN_OF_STAGE = 5  # records of a group with a value
MAX_DAYS = 3  # on which a group has both values: these count for none
MIN_APART = 7  # days between the changes of two groups


def population_with_rollout_hours(population: Population, attribute: Attribute) -> Population:
    """Return the population in which the host-hours tell an attribute, if its stages can be seen.

    Otherwise it is returned as it is: also where all hosts changed on one day, as time tells that.
    """
    unknown = population.has_exposure and not attribute.has_hours
    if not unknown or not 1 < len(attribute.values) <= MAX_VALUES or attribute.is_range:
        return population
    groups = (
        other
        for other in population.attributes
        if 1 < len(other.values) <= MAX_GROUPS
        and other.has_hours
        and is_kept_by_hosts(population.exposure_host, other.exposure)
    )
    for group in sorted(groups, key=lambda other: len(other.values)):
        stages = [
            _stages_of_hosts(population, attribute, group.crash == code)
            for code in range(len(group.values))
        ]
        if any(stage is None for stage in stages):
            continue
        changes = sorted(first for stage in stages for _, first, _ in (stage or [])[1:])
        if len(changes) < 2 or changes[-1] - changes[0] < MIN_APART:
            continue
        exposure = np.full(attribute.exposure.size, ABSENT, dtype=attribute.exposure.dtype)
        for code, stage in enumerate(stages):
            mine = group.exposure == code
            for at, (value, first, last) in enumerate(stage or []):
                begin = first if at else -1
                end = last if stage is not None and at + 1 < len(stage) else 1 << 30
                rows = mine & (population.exposure_day >= begin) & (population.exposure_day <= end)
                exposure[rows] = value
        changed = attribute._replace(exposure=exposure)
        same = tuple(changed if a is attribute else a for a in population.attributes)
        return population._replace(attributes=same)
    return population


def _stages_of_hosts(
    population: Population, attribute: Attribute, mine: Bools
) -> list[tuple[int, int, int]] | None:
    """Return (value, first day, last day) of some hosts, in order; None where values mix.

    Days with both values lie in neither.
    """
    rows = np.flatnonzero(mine & population.has_time & (attribute.crash >= 0))
    codes, day = attribute.crash[rows], population.day[rows]
    stages = []
    for value in np.unique(codes).tolist():
        days: Ints = day[codes == value]
        if days.size < MIN_OF_STAGE:
            return None
        stages.append((value, int(days.min()), int(days.max())))
    stages.sort(key=lambda stage: stage[1])
    kept: list[tuple[int, int, int]] = []
    for value, first, last in stages:
        if kept:
            before = kept[-1]
            overlap = before[2] - first + 1
            if overlap > MAX_DAYS:
                return None
            if overlap > 0 and (first <= before[1] or last <= before[2]):
                return None  # nothing would be left of one of them
            if overlap > 0:
                kept[-1], first = (before[0], before[1], first - 1), before[2] + 1
        kept.append((value, first, last))
    return kept
