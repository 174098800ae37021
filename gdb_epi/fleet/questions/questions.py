# SPDX-License-Identifier: Apache-2.0
"""Questions to the fleet database."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Engine, func, select

from gdb_epi.fleet.store.tables import crash, sig

MAX_VERDICTS = 8  # labels shown for one signature
SAMPLE = 1_000  # crashes that are asked for their labels


class TopRow(NamedTuple):
    """One signature: how often, on how many hosts, when; times are seconds since the epoch."""

    signature: str | None  # text; None for cores without a signature
    kind: str | None  # which key groups them: stable, python ...
    key: str | None
    category: str | None
    crashes: int
    hosts: int
    first_seen: float | None
    last_seen: float | None
    verdicts: dict[str, int]


def top_signatures(engine: Engine, limit: int) -> list[TopRow]:
    """Return the most frequent signatures, ties in the order of their text."""
    counted = (
        select(
            crash.c.sig_id,
            func.count().label("n"),
            func.min(crash.c.ts).label("first"),
            func.max(crash.c.ts).label("last"),
        )
        .select_from(crash)
        .group_by(crash.c.sig_id)
        .subquery()
    )
    n = func.sum(counted.c.n)
    key = (sig.c.version, sig.c.kind, sig.c.key)
    chosen = (
        select(
            *key,
            func.min(sig.c.text),
            func.min(sig.c.category),
            n,
            func.min(counted.c.first),
            func.max(counted.c.last),
        )
        .select_from(counted.outerjoin(sig, counted.c.sig_id == sig.c.id))
        .group_by(*key)
        .order_by(n.desc(), func.min(sig.c.text), sig.c.key)
        .limit(limit)
    )
    with engine.connect() as connection:
        counts_by_key = connection.execute(chosen).all()
        rows = []
        for version, kind, value, text, category, count, first, last in counts_by_key:
            hosts, verdicts = _of_one(connection, version, kind, value)
            values = (text, kind, value, category, int(count), hosts, first, last, verdicts)
            rows.append(TopRow(*values))
    return rows


def _of_one(
    connection: Connection, version: str | None, kind: str | None, key: str | None
) -> tuple[int, dict[str, int]]:
    """Return the number of hosts and the verdicts of one signature; None: crashes without one.

    Only of those that are shown: counting the hosts of all takes ten times as long as the rest.
    """
    where: ColumnElement[bool] = crash.c.sig_id.is_(None)
    if kind is not None:
        same = (sig.c.version == version, sig.c.kind == kind, sig.c.key == key)
        where = crash.c.sig_id.in_(select(sig.c.id).where(*same))
    hosts = select(crash.c.host_id).where(where, crash.c.host_id.is_not(None)).distinct()
    number = connection.execute(select(func.count()).select_from(hosts.subquery())).scalar_one()
    return int(number), dict(verdicts_of(connection, where)[:MAX_VERDICTS])


def verdicts_of(connection: Connection, where: ColumnElement[bool]) -> list[tuple[str, int]]:
    """Return the verdicts of some crashes and how many have each, the most frequent first."""
    return sorted(_verdicts(connection, where).items(), key=lambda pair: (-pair[1], pair[0]))


def _verdicts(connection: Connection, where: ColumnElement[bool]) -> dict[str, int]:
    """Count the verdicts of some crashes.

    There are few, most of which the first crashes have: these are counted without sorting, which
    takes a fifth of the time. If that does not add up, there are others.
    """
    label = crash.c.verdict
    some = select(label).where(where, label.is_not(None)).limit(SAMPLE).subquery()
    names = [row[0] for row in connection.execute(select(some.c.verdict).distinct())]
    if len(names) <= MAX_VERDICTS:
        each = (func.count().filter(label == name) for name in names)
        labelled, *counts = connection.execute(select(func.count(label), *each).where(where)).one()
        if sum(counts) == labelled:
            return dict(zip(names, map(int, counts), strict=True))
    grouped = select(label, func.count()).where(where, label.is_not(None)).group_by(label)
    return {name: int(n) for name, n in connection.execute(grouped)}
