# SPDX-License-Identifier: Apache-2.0
"""Names of hosts by their machine ids: one machine that was renamed, or copies of one image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import lgamma, log
from statistics import median
from typing import Any

from sqlalchemy import Connection, Select, func, select

from gdb_epi.fleet.population.host_spelling import unify_spellings
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY
from gdb_epi.fleet.store.dimensions import parts_for_in_list
from gdb_epi.typing_lite import NamedTuple

MAX_NAMES = 4  # of one machine; a machine id with more is that of an image that was copied
MANY_MACHINES = 5  # ids of one name: more often nobody installs a host anew
MANY_RENAMED = 4  # times as many ids with one name after the other as with both at once
FEW_OUT_OF_TURN = 0.2  # of the crashes of an id that was renamed, sent under the old name later
MAX_LOG_P = log(1e-6)  # that crashes of names in use at once come one name after the other

_Span = tuple[float, float]
# The names of one machine id in the order of their crashes, the rows of each, and its host-hours.
_InUseAtOnce = tuple[list[str], dict[str, list[int]], dict[str, _Span]]


class MachineNames(NamedTuple):
    """The name of each row of `host`, and which names share a machine id."""

    of_id: dict[int, str]  # a renamed machine has its latest name everywhere
    renamed: list[list[str]]  # names of one machine, by time
    copies: list[list[str]]  # names of several machines with one id
    reused: dict[str, int]  # names with many machine ids, as in a scaling group: how many
    outlived: dict[str, tuple[int, list[int]]]  # old name with hours -> day it ended, its rows
    given_again: dict[str, tuple[int, list[int]]]  # old name of another machine -> since, rows
    spelt: list[tuple[str, str]]  # a name, and the spelling of the same host that is taken for it
    ids: dict[int, str]  # the machine id of each row


def read_machine_names(connection: Connection, crashed: Iterable[int] = ()) -> MachineNames:
    """Return the names of hosts; those of one machine id are one host only one after the other.

    All spellings of a host are one name, that of a row that `crashed` if there is one.

    Copies of one image share the id and run at the same time: crashes of one name lie between those
    of another, or both have host-hours on the same days. `outlived` has the names whose host-hours
    go on although the machine crashes under a newer name alone. An old name under which another
    machine id crashes later was given to that one: it is this one's until then (`given_again` has
    the day, and the rows of the name that tell no machine id).
    """
    h = tables.host.c
    query = select(h.id, h.name, h.machine_id).order_by(h.id)
    rows = [(number, name, machine) for number, name, machine in connection.execute(query)]
    names = unify_spellings({n: name or machine for n, name, machine in rows}, crashed)
    spelt = sorted({(name, names[n]) for n, name, _ in rows if name and name != names[n]})
    machine_ids = {number: machine for number, _, machine in rows}
    machines: dict[str, dict[str, list[int]]] = {}
    rows_of_name: dict[str, list[int]] = {}
    for number, name, machine in rows:
        if name:
            rows_of_name.setdefault(names[number], []).append(number)
        if name and machine:
            machines.setdefault(machine, {}).setdefault(names[number], []).append(number)
    ids = Counter(name for by_name in machines.values() for name in by_name)
    reused = {name: many for name, many in sorted(ids.items()) if many >= MANY_MACHINES}
    shared = [by_name for by_name in machines.values() if len(by_name) > 1]
    copies = [sorted(by_name) for by_name in shared if len(by_name) > MAX_NAMES]
    few = [by_name for by_name in shared if len(by_name) <= MAX_NAMES]
    renamed: list[list[str]] = []
    outlived: dict[str, tuple[int, list[int]]] = {}
    if few:
        renamed, at_once = _names_in_turn_and_at_once(connection, few, rows_of_name)
        meanwhile, at_once = _renamed_machines_with_names_at_once(connection, few, renamed, at_once)
        renamed += meanwhile
        if at_once and _do_names_crash_in_turn(connection, at_once):
            for order, _, hours in at_once:
                renamed.append(order)
                for old, new in pairwise(order):
                    outlived[old] = int(hours[new][0]), rows_of_name[old]
        else:
            copies += [sorted(by_name) for _, by_name, _ in at_once]
    latest = {name: order[-1] for order in renamed for name in order}
    of_id = {n: latest.get(name, name) for n, name in names.items()}
    given_again: dict[str, tuple[int, list[int]]] = {}
    for old, new in (pair for order in renamed for pair in pairwise(order)):
        start, later = _rows_of_next_machine(connection, rows_of_name, machine_ids, old, new)
        of_id.update(dict.fromkeys(later, old))
        if later:
            since = outlived.pop(old, (int(start // SECONDS_A_DAY), []))[0]
            given_again[old] = since, [n for n in rows_of_name[old] if not machine_ids[n]]
    return MachineNames(of_id, renamed, copies, reused, outlived, given_again, spelt, machine_ids)


def _rows_of_next_machine(
    connection: Connection,
    rows_of_name: Mapping[str, list[int]],
    machine_ids: Mapping[int, str],
    old: str,
    new: str,
) -> tuple[float, list[int]]:
    """Return when a machine first crashed under a new name, and the rows of who has its old one."""
    rows = rows_of_name[old] + rows_of_name[new]
    its_ids = {machine_ids[n] for n in rows_of_name[old]} & {
        machine_ids[n] for n in rows_of_name[new]
    } - {"", None}
    c = tables.crash.c
    moments = select(c.host_id, func.min(c.ts), func.max(c.ts))
    first = _first_and_last_times(connection, moments, c.host_id, rows)
    renamed = (n for n in rows_of_name[new] if n in first and machine_ids[n] in its_ids)
    start = min((first[n][0] for n in renamed), default=float("inf"))
    return start, [
        n for n in rows_of_name[old]
        if machine_ids[n] and machine_ids[n] not in its_ids
        and (n not in first or first[n][0] > start)
    ]  # fmt: skip


def _names_in_turn_and_at_once(
    connection: Connection,
    shared: Sequence[dict[str, list[int]]],
    rows_of_name: Mapping[str, list[int]],
) -> tuple[list[list[str]], list[_InUseAtOnce]]:
    """Return the names of each machine id: those of one machine by time, and those used at once."""
    c, e = tables.crash.c, tables.exposure.c
    moments = select(c.host_id, func.min(c.ts), func.max(c.ts))
    crashed = _first_and_last_times(connection, moments, c.host_id)
    # Exposure knows the name alone.
    wanted = {name for by_name in shared for name in by_name}
    rows = [row for name, own in rows_of_name.items() if name in wanted for row in own]
    days = select(e.host_id, func.min(e.day), func.max(e.day)).where(e.hours > 0)
    ran = _first_and_last_times(connection, days, e.host_id, rows)
    renamed: list[list[str]] = []
    at_once: list[_InUseAtOnce] = []
    for by_name in shared:
        order = _names_in_order_of_use(
            {name: _joined_span(crashed, own) for name, own in by_name.items()}, 0
        )
        spans = {name: _joined_span(ran, rows_of_name[name]) for name in by_name}
        hours = {name: span for name, span in spans.items() if span is not None}
        # On the day of a change both names have hours.
        if order and (len(hours) < 2 or _names_in_order_of_use(hours, 1)):
            renamed.append(order)
        elif all(_joined_span(crashed, own) for own in by_name.values()):
            at_once.append((order, by_name, hours))
    return renamed, at_once


def _renamed_machines_with_names_at_once(
    connection: Connection,
    shared: Sequence[dict[str, list[int]]],
    renamed: Sequence[list[str]],
    at_once: list[_InUseAtOnce],
) -> tuple[list[list[str]], list[_InUseAtOnce]]:
    """Return the machines, of those with two names at once, that were renamed as most others were.

    A second collector may send a few crashes under the old name for some days more. Where most
    machine ids have one name after the other, beyond chance, and of one id all crashes but a few do
    too, it is one machine. Copies of an image crash in any order, and no id of them differs.
    """
    pairs = [
        entry for entry in at_once if not entry[0] and len(entry[1]) == 2 and len(entry[2]) < 2
    ]
    in_turn = {tuple(sorted(order)) for order in renamed if len(order) == 2}
    if not pairs or len(in_turn) < MANY_RENAMED * len(pairs):
        return [], at_once
    rows = {n: name for by_name in shared for name, own in by_name.items() for n in own}
    c, times = tables.crash.c, dict[str, list[float]]()
    for part in parts_for_in_list(list(rows)):
        chosen = select(c.host_id, c.ts).where(c.host_id.in_(part), c.ts.is_not(None))
        for number, when in connection.execute(chosen):
            times.setdefault(rows[number], []).append(when)
    sizes = [[len(times.get(name, ())) for name in names] for names in in_turn]
    if sum(lgamma(a + 1) + lgamma(b + 1) - lgamma(a + b + 1) for a, b in sizes) > MAX_LOG_P:
        return [], at_once
    orders: list[list[str]] = []
    for entry in pairs:
        old, new = sorted(entry[1], key=lambda name: median(times[name]))
        every = sorted([(t, 0) for t in times[old]] + [(t, 1) for t in times[new]])
        # Crashes out of turn, wherever the name was changed.
        out = min(
            sum(is_new for _, is_new in every[:cut]) + sum(1 - is_new for _, is_new in every[cut:])
            for cut in range(len(every) + 1)
        )
        if out <= max(1, FEW_OUT_OF_TURN * len(every)):
            orders.append([old, new])
    kept = [entry for entry in at_once if not any(set(entry[1]) == set(order) for order in orders)]
    return orders, kept


def _do_names_crash_in_turn(connection: Connection, at_once: Iterable[_InUseAtOnce]) -> bool:
    """Whether names with hours at once crash one after the other too strictly for chance.

    Copies of an image crash in any order. A list of hosts that goes on to count an old name has
    hours of it, and no crash any more. All machine ids together are asked: single ones have few.
    """
    c = tables.crash.c
    counted_rows = select(c.host_id, func.count()).where(c.ts.is_not(None)).group_by(c.host_id)
    of_row = {row[0]: row[1] for row in connection.execute(counted_rows)}
    log_p = 0.0
    for order, by_name, hours in at_once:
        starts = [hours[name][0] for name in order if name in hours]
        if not order or len(starts) < len(order) or sorted(set(starts)) != starts:
            return False
        counts = [sum(of_row.get(n, 0) for n in by_name[name]) for name in order]
        log_p += sum(lgamma(count + 1) for count in counts) - lgamma(sum(counts) + 1)
    return log_p <= MAX_LOG_P


def _first_and_last_times(
    connection: Connection, chosen: Select[Any], host_id: Any, some: list[int] | None = None
) -> dict[int, _Span]:
    """Return row id of `host` -> the first and the last of what is chosen."""
    queries = (
        [chosen]
        if some is None
        else [chosen.where(host_id.in_(p)) for p in parts_for_in_list(some)]
    )
    rows = (row for query in queries for row in connection.execute(query.group_by(host_id)))
    return {number: (first, last) for number, first, last in rows if first is not None}


def _joined_span(spans: Mapping[int, _Span], numbers: Iterable[int]) -> _Span | None:
    some = [spans[number] for number in numbers if number in spans]
    return (min(a for a, _ in some), max(b for _, b in some)) if some else None


def _names_in_order_of_use(spans: Mapping[str, _Span | None], overlap: float) -> list[str]:
    """Return the names by time; none when two were in use at once, or one never was."""
    times = sorted((span, name) for name, span in spans.items() if span is not None)
    if len(times) < len(spans):
        return []
    if any(start <= end - overlap for ((_, end), _), ((start, _), _) in pairwise(times)):
        return []
    return [name for _, name in times]
