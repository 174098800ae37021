# SPDX-License-Identifier: Apache-2.0
"""Deaths that came as two records: by two collectors, or by one that sent again.

Each has a key of its own, and so is a crash of its own in the database; the population has it once.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, Ints, count_pairs
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_day
from gdb_epi.typing_lite import NamedTuple

NEAR = 600  # seconds between two records of one death; a collector tries again for minutes
MOSTLY = 0.9  # of the doubled records, that are of one value
RARE = 0.6  # of all crashes: what is of nearly all of them says nothing
MAX_HOSTS = 6
MAX_VALUES = 2  # that are named


class DoublyRecordedCrashes(NamedTuple):
    """Crashes that another record tells of already."""

    rows: Bools
    since: int  # the second of the first of these deaths; ABSENT: not known


def find_doubled_records(
    death: Ints, second: Ints, signature: Ints
) -> DoublyRecordedCrashes | None:
    """Return the crashes that another record tells of already; None where there are none.

    Crashes are in the order of time, `death` is 0 or less where it is not known, `second` less than
    0. The first record with a time stays. One without a time is of a death with its signature.
    """
    known_deaths = np.sort(death[death > 0])
    again = np.unique(known_deaths[1:][np.diff(known_deaths) == 0])
    if not again.size:
        return None
    rows = np.flatnonzero(np.isin(death, again))
    untimed = second[rows] < 0
    rows = rows[np.lexsort((rows, untimed, death[rows]))]
    doubled = np.zeros(death.size, dtype=bool)
    last: dict[int, int] = {}
    since: list[int] = []
    signatures: set[tuple[int, int]] = set()
    columns = (rows, death[rows], second[rows], signature[rows])
    for row, number, at, kind in zip(*(column.tolist() for column in columns), strict=True):
        if at < 0:
            doubled[row] = (number, kind) in signatures
        elif number in last:
            doubled[row] = at - last[number] <= NEAR
        if doubled[row] and number in last:
            since.append(last[number])
        if at >= 0:
            last[number] = at
        signatures.add((number, kind))
    return DoublyRecordedCrashes(doubled, min(since, default=ABSENT)) if doubled.any() else None


def describe_doubled_records(
    population: Population, twice: DoublyRecordedCrashes
) -> dict[str, Any]:
    """Return how many there are, on which hosts, since when, and where nearly all of them are."""
    doubled = twice.rows
    names = Counter(
        population.hosts[code] for code in population.host[doubled].tolist() if code >= 0
    )
    shared = [
        attribute.mark_of_value(value)
        for attribute in population.attributes
        if (value := _value_of_most_doubled(attribute, doubled)) is not None
        and _is_kept_by_hosts(population, attribute)
    ]
    return {
        "count": int(np.count_nonzero(doubled)),
        "hosts": [name for name, _ in names.most_common(MAX_HOSTS)],
        "of_hosts": len(names),
        "since": None if twice.since < 0 else iso_day(int(twice.since // SECONDS_A_DAY)),
        "shared": shared[:MAX_VALUES],
    }


def _value_of_most_doubled(attribute: Attribute, doubled: Bools) -> int | None:
    """Return the value of nearly all doubled records, if most others have another one."""
    values = attribute.codes_as_reported
    counts = np.bincount(values[doubled] + 1, minlength=2)[1:]
    value = int(counts.argmax())
    if counts[value] < MOSTLY * np.count_nonzero(doubled):
        return None
    return value if np.mean(values[~doubled] == value) <= RARE else None


def _is_kept_by_hosts(population: Population, attribute: Attribute) -> bool:
    """Whether hosts keep their value: a place or a model; versions come to all hosts in turn."""
    has_both = (population.host >= 0) & (attribute.crash >= 0)
    hosts = count_pairs(population.host, attribute.crash, among=has_both)[0]
    return bool(hosts.size) and np.unique(hosts).size == hosts.size
