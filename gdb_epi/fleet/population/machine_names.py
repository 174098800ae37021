# SPDX-License-Identifier: Apache-2.0
"""Names of hosts by their machine ids: one machine that was renamed, or copies of one image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, Select, func, select

from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.dimensions import in_list_parts
from gdb_epi.typing_lite import NamedTuple

MAX_NAMES = 4  # of one machine; a machine id with more is that of an image that was copied
MANY_MACHINES = 5  # ids of one name: more often nobody installs a host anew


class MachineNames(NamedTuple):
    """The name of each row of `host`, and which names share a machine id."""

    of_id: dict[int, str]  # a renamed machine has its latest name everywhere
    renamed: list[list[str]]  # names of one machine, by time
    copies: list[list[str]]  # names of several machines with one id
    reused: dict[str, int]  # names with many machine ids, as in a scaling group: how many


def read_machine_names(connection: Connection) -> MachineNames:
    """Return the names of hosts; those of one machine id are one host only one after the other.

    Copies of one image share the id and run at the same time: crashes of one name lie between those
    of another, or both have host-hours on the same days.
    """
    h = tables.host.c
    rows = connection.execute(select(h.id, h.name, h.machine_id).order_by(h.id)).all()
    names = {number: name or machine for number, name, machine in rows}
    machines: dict[str, dict[str, list[int]]] = {}
    for number, name, machine in rows:
        if machine and name:
            machines.setdefault(machine, {}).setdefault(name, []).append(number)
    shared = [by_name for by_name in machines.values() if len(by_name) > 1]
    ids = Counter(name for number, name, machine in rows if name and machine)
    reused = {name: many for name, many in sorted(ids.items()) if many >= MANY_MACHINES}
    few = [by_name for by_name in shared if len(by_name) <= MAX_NAMES]
    copies = [sorted(by_name) for by_name in shared if len(by_name) > MAX_NAMES]
    if not few:
        return MachineNames(names, [], copies, reused)
    c, e = tables.crash.c, tables.exposure.c
    crashed = _spans(connection, select(c.host_id, func.min(c.ts), func.max(c.ts)), c.host_id)
    wanted = {name for by_name in few for name in by_name}
    of_name: dict[str, list[int]] = {}
    for number, name, _ in rows:
        if name in wanted:
            of_name.setdefault(name, []).append(number)  # exposure knows the name alone
    days = select(e.host_id, func.min(e.day), func.max(e.day)).where(e.hours > 0)
    ran = _spans(connection, days, e.host_id, [n for numbers in of_name.values() for n in numbers])
    renamed = []
    for by_name in few:
        order = _in_order({name: _whole(crashed, numbers) for name, numbers in by_name.items()}, 0)
        hours = {name: _whole(ran, of_name[name]) for name in by_name}
        known = {name: span for name, span in hours.items() if span is not None}
        # On the day of a change both names have hours.
        if order and (len(known) < 2 or _in_order(known, 1)):
            renamed.append(order)
        elif all(_whole(crashed, numbers) for numbers in by_name.values()):
            copies.append(sorted(by_name))
    latest = {name: order[-1] for order in renamed for name in order}
    of_id = {n: latest.get(name, name) for n, name in names.items()}
    return MachineNames(of_id, renamed, copies, reused)


_Span = tuple[float, float]


def _spans(
    connection: Connection, chosen: Select[Any], host_id: Any, some: list[int] | None = None
) -> dict[int, _Span]:
    """Return row id of `host` -> the first and the last of what is chosen."""
    queries = (
        [chosen] if some is None else [chosen.where(host_id.in_(p)) for p in in_list_parts(some)]
    )
    rows = (row for query in queries for row in connection.execute(query.group_by(host_id)))
    return {number: (first, last) for number, first, last in rows if first is not None}


def _whole(spans: Mapping[int, _Span], numbers: Iterable[int]) -> _Span | None:
    some = [spans[number] for number in numbers if number in spans]
    return (min(a for a, _ in some), max(b for _, b in some)) if some else None


def _in_order(spans: Mapping[str, _Span | None], overlap: float) -> list[str]:
    """Return the names by time; none when two were in use at once, or one never was."""
    times = sorted((span, name) for name, span in spans.items() if span is not None)
    if len(times) < len(spans):
        return []
    if any(start <= end - overlap for ((_, end), _), ((start, _), _) in pairwise(times)):
        return []
    return [name for _, name in times]
