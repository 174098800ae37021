# SPDX-License-Identifier: Apache-2.0
"""Several machines that have one name at the same time, and one that was installed again.

Sites that number their hosts alike, and pods of several clusters, share names; as one host they
would have each other's crashes. Serial numbers tell machines apart for certain. Machine ids change
with an installation: of one site those that follow each other are one machine, those whose crashes
come in turns are several, unless they are of one boot (a container has an id of its own).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.statistics.arrays import (
    ABSENT,
    Ints,
    absent_column,
    count_distinct,
    count_pairs,
    distinct_rows,
)
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_day
from gdb_epi.typing_lite import NamedTuple

SITES = ("site", "datacentre", "datacenter", "dc", "region", "cluster", "location", "zone")
SERIALS = ("serial", "serial_number", "product_serial", "system_serial", "chassis_serial")
SHOWN_ID = 8  # characters of a machine id
MAX_NAMES = 5_000  # that are looked at
FEW = 0.05  # of the names that crashed, that were installed again; else names are given again

BootsOf = Callable[[Sequence[int]], dict[int, set[str]]]  # rows of `host` -> their boot ids


class _Machine(NamedTuple):
    """What is known of one machine by its crashes: rows of `host`, its serial and its site."""

    rows: frozenset[int]
    serial: int
    site: int
    first: int  # seconds; both ABSENT where no time is known
    last: int

    def joined(self, other: _Machine) -> _Machine:
        """Return both as one."""
        times = [t for m in (self, other) for t in (m.first, m.last) if t >= 0]
        site = other.site if other.last >= self.last and other.site >= 0 else self.site
        return _Machine(
            self.rows | other.rows, max(self.serial, other.serial), site,
            min(times, default=ABSENT), max(times, default=ABSENT),
        )  # fmt: skip

    def overlaps(self, other: _Machine) -> bool:
        """Whether crashes of both come in turns."""
        return 0 <= self.first <= other.last and 0 <= other.first <= self.last


def split_shared_host_names(
    population: Population, row: Ints, machine_ids: Mapping[int, str], boots_of: BootsOf
) -> tuple[Population, dict[str, Any]]:
    """Return the population with a host for each machine, and what to say of their names.

    `row` is the row of the table `host` of each crash, `machine_ids` what each row has.
    """
    site, serial = (
        next(filter(None, map(population.attribute, names)), None) for names in (SITES, SERIALS)
    )
    absent = absent_column(population.day.size)
    of_site, of_serial = (absent if a is None else a.codes_as_reported for a in (site, serial))
    names = _hosts_with_several_machines(population.host, row, machine_ids, of_site, of_serial)
    if not names.size:
        return population, {}
    asked = np.flatnonzero(np.isin(population.host, names))
    columns = [column[asked] for column in (population.host, row, of_serial, of_site)]
    where, unit, _ = distinct_rows(columns)
    second = np.full(asked.size, ABSENT) if population.second is None else population.second[asked]
    first = np.full(where.size, np.iinfo(np.int64).max)
    last = np.full(where.size, ABSENT, dtype=np.int64)
    timed = second >= 0
    np.minimum.at(first, unit[timed], second[timed])
    np.maximum.at(last, unit[timed], second[timed])
    first[last < 0] = ABSENT
    units: dict[int, list[tuple[int, _Machine]]] = {}
    spans: dict[int, tuple[int, int]] = {}  # of the crashes of each row
    row_of_machine: dict[tuple[int, str], int] = {}
    for number, at in enumerate(where.tolist()):
        host, own_row, own_serial, own_site = (int(column[at]) for column in columns)
        if machine := machine_ids.get(own_row):  # under another name it has another row
            own_row = row_of_machine.setdefault((host, machine), own_row)
        rows = frozenset((own_row,) if machine_ids.get(own_row) else ())
        about = _Machine(rows, own_serial, own_site, int(first[number]), int(last[number]))
        units.setdefault(host, []).append((number, about))
        if about.first >= 0:
            low, high = spans.get(own_row, (about.first, about.last))
            spans[own_row] = min(low, about.first), max(high, about.last)
    machines_of_name = {
        host: _join_units_by_serial_or_machine_id(some) for host, some in units.items()
    }
    sites_share_names = any(
        a.site != b.site and min(a.site, b.site) >= 0 and a.overlaps(b)
        for machines in machines_of_name.values()
        for a, b in _pairs_of_machines([machine for machine, _ in machines])
    )
    several = {
        host: _machines_of_name(machines, boots_of, by_site=sites_share_names)
        for host, machines in machines_of_name.items()
    }
    shown = _NameParts(site, serial, machine_ids, spans)
    return _with_host_for_each_machine(population, several, (asked, unit), shown)


def _hosts_with_several_machines(
    host: Ints, row: Ints, machine_ids: Mapping[int, str], site: Ints, serial: Ints
) -> Ints:
    """Return the hosts whose crashes are of several machine ids, serials or sites."""
    has_id = np.zeros(int(row.max(initial=0)) + 2, dtype=bool)
    some = np.array([n for n, machine in machine_ids.items() if machine], dtype=np.int64)
    has_id[some[some < has_id.size - 1]] = True
    several: list[Ints] = []
    for column, has_value in ((row, has_id[row]), (site, site >= 0), (serial, serial >= 0)):
        among = has_value & (host >= 0)
        if among.any():
            hosts = count_pairs(host, column, among=among)[0]
            several.append(np.flatnonzero(np.bincount(hosts) > 1))
    names = np.unique(np.concatenate(several)) if several else np.zeros(0, dtype=np.int64)
    return names if names.size <= MAX_NAMES else names[:0]


def _pairs_of_machines(machines: Sequence[_Machine]) -> list[tuple[_Machine, _Machine]]:
    return [(a, b) for i, a in enumerate(machines) for b in machines[i + 1 :]]


_Parts = tuple[_Machine, list[int]]  # with the numbers of its units


def _join_units_by_serial_or_machine_id(units: Sequence[tuple[int, _Machine]]) -> list[_Parts]:
    """Join what has one serial, or one machine id: the same machine without doubt."""
    machines: list[_Parts] = []
    for number, unit in units:
        joined, numbers = unit, [number]
        for other in list(machines):
            machine = other[0]
            same = unit.serial >= 0 and unit.serial == machine.serial
            other_serial = min(unit.serial, machine.serial) >= 0 and not same
            if same or (unit.rows & machine.rows and not other_serial):
                machines.remove(other)
                joined, numbers = machine.joined(joined), other[1] + numbers
        machines.append((joined, numbers))
    return machines


def _machines_of_name(
    parts_of_name: Sequence[_Parts], boots_of: BootsOf, *, by_site: bool
) -> list[list[_Parts]]:
    """Return the machines of one name, each as what follows one another on it."""
    if len(parts_of_name) == 1:
        return [list(parts_of_name)]
    order = sorted(parts_of_name, key=lambda parts: parts[0].first)
    boots: dict[int, set[str]] = {}
    if any(a.overlaps(b) for a, b in _pairs_of_machines([machine for machine, _ in order])):
        boots = boots_of(sorted({row for machine, _ in order for row in machine.rows}))
    machines: list[list[_Parts]] = []
    for parts in order:
        unit = parts[0]
        own_boots = set[str]().union(*(boots.get(row, set()) for row in unit.rows))
        candidates = []
        for machine in machines:
            rows = {row for part, _ in machine for row in part.rows}
            if any(own_boots & boots.get(row, set()) for row in rows):
                candidates = [machine]
                break
            fits = all(_may_be_same_machine(part, unit, by_site=by_site) for part, _ in machine)
            if fits:
                candidates.append(machine)
        if len(candidates) == 1:
            candidates[0].append(parts)
        else:  # none, or nobody knows which of them
            machines.append([parts])
    return machines


def _may_be_same_machine(before: _Machine, after: _Machine, *, by_site: bool) -> bool:
    """Whether a machine may be one that was there before, under another id."""
    if min(before.serial, after.serial) >= 0:
        return before.serial == after.serial
    apart = min(before.site, after.site) >= 0 and before.site != after.site
    return not before.overlaps(after) and not (apart and by_site)


class _NameParts(NamedTuple):
    """What the names of machines are made of."""

    site: Attribute | None
    serial: Attribute | None
    machine_ids: Mapping[int, str]
    spans: Mapping[int, tuple[int, int]]

    def distinguishing_words(self, machine: _Machine, *, with_id: bool) -> str:
        """Return what tells a machine from its namesakes."""
        words = []
        if self.site is not None and machine.site >= 0:
            words.append(self.site.values[machine.site])
        if with_id or not words:
            ids = self.machine_id_starts(machine)
            if ids:
                words.append(ids[-1])
            elif self.serial is not None and machine.serial >= 0:
                words.append(self.serial.values[machine.serial])
        return ", ".join(words) or "unknown machine"

    def machine_id_starts(self, machine: _Machine) -> list[str]:
        """Return the starts of its machine ids, in the order in which they came."""
        rows = sorted(machine.rows, key=lambda row: self.spans.get(row, (ABSENT,)))
        return [self.machine_ids[row][:SHOWN_ID] for row in rows]

    def reinstallation_entries(self, name: str, machine: _Machine) -> list[list[Any]]:
        """Return name, machine ids, the day of the last one, and the serial; nothing for one id."""
        spans = sorted(self.spans[row] for row in machine.rows if row in self.spans)
        if len(spans) < 2 or any(a[1] >= b[0] for a, b in pairwise(spans)):
            return []
        day = iso_day(int(spans[-1][0] // SECONDS_A_DAY))
        is_known = self.serial is not None and machine.serial >= 0
        serial = self.serial.values[machine.serial] if self.serial and is_known else ""
        return [[name, self.machine_id_starts(machine), day, serial]]


def _with_host_for_each_machine(
    population: Population,
    several: Mapping[int, list[list[_Parts]]],
    units: tuple[Ints, Ints],
    shown: _NameParts,
) -> tuple[Population, dict[str, Any]]:
    """Return the population with a host for each machine, and what is to be said of them."""
    asked, unit = units
    names, site = list(population.hosts), shown.site
    of_unit = np.full(int(unit.max()) + 1, ABSENT)
    exposure_host = population.exposure_host
    namesakes: dict[str, list[str]] = {}
    reinstalled: list[list[Any]] = []
    for host, machines in sorted(several.items()):
        name = population.hosts[host]
        by_site, by_serial = dict[int, list[int]](), dict[int, list[int]]()
        whole = [reduce(_Machine.joined, (part for part, _ in machine)) for machine in machines]
        for machine, parts in zip(whole, machines, strict=True):
            code = host
            if len(machines) > 1:
                is_alone = sum(other.site == machine.site for other in whole) == 1
                text = f"{name} ({shown.distinguishing_words(machine, with_id=not is_alone)})"
                if text not in names:
                    names.append(text)
                code = names.index(text)
                namesakes.setdefault(name, []).append(text)
                by_site.setdefault(machine.site, []).append(code)
                by_serial.setdefault(machine.serial, []).append(code)
            of_unit[[number for _, numbers in parts for number in numbers]] = code
            reinstalled += shown.reinstallation_entries(names[code], machine)
        rows = population.exposure_host == host
        for attribute, machines_by_value in ((site, by_site), (shown.serial, by_serial)):
            for value, codes in machines_by_value.items():
                if attribute is not None and value >= 0 and len(codes) == 1:
                    at = rows & (attribute.exposure == value)
                    exposure_host = np.where(at, codes[0], exposure_host)
    summary: dict[str, Any] = {"namesakes": namesakes} if namesakes else {}
    crashed = count_distinct(population.host[population.host >= 0])
    if len(reinstalled) > max(2, FEW * crashed):
        reinstalled = [row for row in reinstalled if row[3]]  # of which a serial is sure
    if reinstalled:
        summary["again"] = reinstalled
    if not namesakes:
        return population, summary
    of_crash = population.host.astype(np.int64)
    of_crash[asked] = of_unit[unit]
    occurring = np.union1d(of_crash, exposure_host).tolist()
    bare = {population.hosts.index(name) for name in namesakes} - set(occurring)
    used = sorted(set(range(len(names))) - bare, key=names.__getitem__)
    place = np.full(len(names) + 1, ABSENT)
    place[used] = np.arange(len(used))
    population = population._replace(
        hosts=[names[code] for code in used],
        host=place[of_crash],
        exposure_host=place[exposure_host],
    )
    return population, summary
