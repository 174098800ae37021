# SPDX-License-Identifier: Apache-2.0
"""Questions to the fleet database."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, Engine, func, select

from gdb_epi.fleet.tables import crash, sig

MAX_VERDICTS = 8  # labels shown for one signature


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
    key = (sig.c.version, sig.c.kind, sig.c.key)
    n = func.count(crash.c.id)
    chosen = (
        select(
            *key,
            func.min(sig.c.text),
            func.min(sig.c.category),
            n,
            func.count(func.distinct(crash.c.host_id)),
            func.min(crash.c.ts),
            func.max(crash.c.ts),
        )
        .select_from(crash.outerjoin(sig, crash.c.sig_id == sig.c.id))
        .group_by(*key)
        .order_by(n.desc(), func.min(sig.c.text), sig.c.key)
        .limit(limit)
    )
    with engine.connect() as connection:
        found = connection.execute(chosen).all()
        verdicts = _verdicts(connection)
    return [
        TopRow(
            text, kind, key, category, count, hosts, first, last, verdicts.get((v, kind, key), {})
        )
        for v, kind, key, text, category, count, hosts, first, last in found
    ]


_Key = tuple[str | None, str | None, str | None]  # version, kind, key


def _verdicts(connection: Connection) -> dict[_Key, dict[str, int]]:
    key = (sig.c.version, sig.c.kind, sig.c.key)
    n = func.count(crash.c.id)
    chosen = (
        select(*key, crash.c.verdict, n)
        .select_from(crash.outerjoin(sig, crash.c.sig_id == sig.c.id))
        .where(crash.c.verdict.is_not(None))
        .group_by(*key, crash.c.verdict)
        .order_by(n.desc(), crash.c.verdict)
    )
    labels: dict[_Key, dict[str, int]] = {}
    for version, kind, value, verdict, count in connection.execute(chosen):
        row = labels.setdefault((version, kind, value), {})
        if len(row) < MAX_VERDICTS:
            row[str(verdict)] = int(count)
    return labels
