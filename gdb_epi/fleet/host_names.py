# SPDX-License-Identifier: Apache-2.0
"""What a host is called, when it was called something else before."""

from __future__ import annotations

from itertools import pairwise

from sqlalchemy import Connection, func, select

from gdb_epi.fleet import tables as t

MAX_NAMES = 4  # of one machine; a machine id with more is that of an image that was copied


def host_names(connection: Connection) -> dict[int, str]:
    """Return row id of `host` -> name; a renamed machine has its latest name everywhere.

    Names of one machine id are one host only when no crash of one name lies between those of
    another: copies of one image share the id and run at the same time.
    """
    h, c = t.host.c, t.crash.c
    rows = connection.execute(select(h.id, h.name, h.machine_id).order_by(h.id)).all()
    names = {number: name or machine for number, name, machine in rows}
    machines: dict[str, dict[str, list[int]]] = {}
    for number, name, machine in rows:
        if machine and name:
            machines.setdefault(machine, {}).setdefault(name, []).append(number)
    renamed = [found for found in machines.values() if 1 < len(found) <= MAX_NAMES]
    if not renamed:
        return names
    chosen = select(c.host_id, func.min(c.ts), func.max(c.ts)).group_by(c.host_id)
    spans = {n: (a, b) for n, a, b in connection.execute(chosen) if a is not None}
    latest: dict[str, str] = {}
    for found in renamed:
        order = _in_order(found, spans)
        latest.update(dict.fromkeys(order, order[-1]) if order else {})
    # Exposure knows the name alone: that row goes along.
    return {number: latest.get(name, name) for number, name in names.items()}


def _in_order(found: dict[str, list[int]], spans: dict[int, tuple[float, float]]) -> list[str]:
    """Return the names by time; none when two were in use at once, or never crashed."""
    times = []
    for name, numbers in found.items():
        known = [spans[n] for n in numbers if n in spans]
        if not known:
            return []
        times.append((min(a for a, _ in known), max(b for _, b in known), name))
    times.sort()
    for (_, end, _), (start, _, _) in pairwise(times):
        if start <= end:
            return []
    return [name for _, _, name in times]
