# SPDX-License-Identifier: Apache-2.0
"""The signatures of the fleet: the most frequent, the new, day by day, two windows compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Engine, Integer, cast, func, select

from gdb_epi.fleet.store import tables as t
from gdb_epi.fleet.store.days import MAX_STRAY, MIN_GAP, SECONDS_A_DAY
from gdb_epi.fleet.store.tables import crash, sig

MAX_VERDICTS = 8  # labels shown for a signature
SAMPLE = 1_000  # crashes that are asked for their labels


class TopSignature(NamedTuple):
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


def top_signatures(engine: Engine, limit: int) -> list[TopSignature]:
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
            hosts, verdicts = _hosts_and_verdicts_of(connection, version, kind, value)
            values = (text, kind, value, category, int(count), hosts, first, last, verdicts)
            rows.append(TopSignature(*values))
    return rows


def _hosts_and_verdicts_of(
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


_KEY = (t.sig.c.kind, t.sig.c.key)


class NewRow(NamedTuple):
    """A signature whose first crash ever lies in the window."""

    first_seen: float
    kind: str
    key: str
    crashes: int
    hosts: int
    signature: str | None


class DayRow(NamedTuple):
    """Crashes and host-hours of one day (days since 1970-01-01); hours are None when unknown."""

    day: int
    crashes: int
    hosts: int
    hours: float | None
    per_1000_hours: float | None


class CompareRow(NamedTuple):
    """One signature in two windows, with the rate ratio and the p value of its change."""

    kind: str
    key: str
    before: int
    after: int
    ratio: float | None
    p: float
    q: float
    signature: str | None


def last_moment(engine: Engine) -> float | None:
    """Return the time of the latest crash: `now` for questions, so that answers do not age.

    As in `Population.last_day` a few of clocks that are wrong by months do not count.
    """
    ts = t.crash.c.ts
    with engine.connect() as connection:
        timed = connection.execute(select(func.count(ts))).scalar_one()
        stray = int(MAX_STRAY * timed)
        latest = select(ts).where(ts.is_not(None)).order_by(ts.desc()).limit(stray + 1)
        times = [float(row[0]) for row in connection.execute(latest)]
    last = times[0] if times else None
    for later, earlier in pairwise(times):
        if later // SECONDS_A_DAY - earlier // SECONDS_A_DAY >= MIN_GAP:
            last = earlier
    return last


def new_signatures(engine: Engine, days: float, until: float, limit: int) -> list[NewRow]:
    """Return the signatures first seen in the last `days` before `until`, latest first."""
    c = t.crash.c
    counted = (
        select(c.sig_id, func.min(c.ts).label("first"), func.count().label("n"))
        .where(c.ts <= until)
        .group_by(c.sig_id)
        .subquery()
    )
    first = func.min(counted.c.first)
    chosen = (
        select(first, *_KEY, func.sum(counted.c.n), func.min(t.sig.c.text))
        .select_from(counted.join(t.sig, counted.c.sig_id == t.sig.c.id))
        .group_by(*_KEY)
        .having(first > until - days * SECONDS_A_DAY)
        .order_by(first.desc(), t.sig.c.key)
        .limit(limit)
    )
    with engine.connect() as connection:
        rows = connection.execute(chosen).all()
        hosts = hosts_of(connection, [(kind, key) for _, kind, key, _, _ in rows], until)
    return [
        NewRow(seen, kind, key, int(n), hosts[(kind, key)], text)
        for seen, kind, key, n, text in rows
    ]


def hosts_of(
    connection: Connection, keys: Sequence[tuple[str, str]], until: float | None = None
) -> dict[tuple[str, str], int]:
    """Return on how many hosts each of some signatures (kind, key) was seen.

    Only of those that are shown: counting the hosts of all takes ten times as long as the rest.
    """
    host_counts = {}
    for kind, key in keys:
        ids = select(t.sig.c.id).where(t.sig.c.kind == kind, t.sig.c.key == key)
        chosen = select(t.crash.c.host_id).where(
            t.crash.c.sig_id.in_(ids), t.crash.c.host_id.is_not(None)
        )
        if until is not None:
            chosen = chosen.where(t.crash.c.ts <= until)
        counted = select(func.count()).select_from(chosen.distinct().subquery())
        host_counts[(kind, key)] = int(connection.execute(counted).scalar_one())
    return host_counts


def curve(engine: Engine, sig_ids: tuple[int, ...] | None) -> list[DayRow]:
    """Return the crashes of each day, of one signature or of all; days between are filled in."""
    hours = select(t.exposure.c.day, func.sum(t.exposure.c.hours)).group_by(t.exposure.c.day)
    with engine.connect() as connection:
        exposed = {int(d): float(h) for d, h in connection.execute(hours)}
        by_day = _days_of_all(engine) if sig_ids is None else _days_of(connection, sig_ids)
    if not by_day:
        return []
    rows = []
    for number in _days(by_day):
        crashes, hosts = by_day.get(number, (0, 0))
        hours_of_day = exposed.get(number)
        rate = 1000 * crashes / hours_of_day if hours_of_day else None
        rows.append(DayRow(number, crashes, hosts, hours_of_day, rate))
    return rows


def _days_of(connection: Connection, sig_ids: tuple[int, ...]) -> dict[int, tuple[int, int]]:
    """Return day -> crashes and hosts of some signatures, which an index finds."""
    c = t.crash.c
    day = cast(func.floor(c.ts / SECONDS_A_DAY), Integer)
    chosen = select(day, func.count(), func.count(func.distinct(c.host_id)))
    chosen = chosen.where(c.ts.is_not(None), c.sig_id.in_(sig_ids)).group_by(day)
    return {int(d): (int(n), int(h)) for d, n, h in connection.execute(chosen)}


def _days_of_all(engine: Engine) -> dict[int, tuple[int, int]]:
    """Return day -> crashes and hosts of the population, which needs no sorting of all rows."""
    import numpy as np

    from gdb_epi.fleet.population.cache import load_population
    from gdb_epi.fleet.statistics.arrays import count_pairs

    population = load_population(engine)
    if not population.day.size:
        return {}
    first = int(population.day.min())
    day, host, crashes = count_pairs(population.day - first, population.host + 1)  # 0: no host
    counts, hosts = np.bincount(day, weights=crashes), np.bincount(day[host > 0])
    hosts = np.pad(hosts, (0, counts.size - hosts.size))
    return {first + int(d): (int(counts[d]), int(hosts[d])) for d in np.flatnonzero(counts)}


MAX_GAP = 3660  # days between two crashes; a clock off by decades must not fill the screen


def _days(by_day: dict[int, Any]) -> list[int]:
    """Return the days to show: without gaps, unless a gap is longer than MAX_GAP."""
    first, last = min(by_day), max(by_day)
    return list(range(first, last + 1)) if last - first <= MAX_GAP else sorted(by_day)


def compare(
    engine: Engine, before: tuple[float, float], after: tuple[float, float], limit: int
) -> list[CompareRow]:
    """Compare the signatures of two half-open windows (epoch seconds), strongest change first.

    Given both windows' crashes of a signature, how many fall in the second one is binomial, with
    the share of the host-hours, or of the days where hours are not known.
    """
    import numpy as np

    from gdb_epi.fleet.statistics.hypothesis_tests import benjamini_hochberg, two_sided_binomial

    first, second = (_window(engine, window) for window in (before, after))
    share = _share(engine, before, after)
    keys = sorted({*first, *second})
    a = np.array([first.get(key, (0, None))[0] for key in keys], dtype=float)
    b = np.array([second.get(key, (0, None))[0] for key in keys], dtype=float)
    p = two_sided_binomial(b, a + b, np.full(a.size, share))
    q = benjamini_hochberg(p)
    rows = []
    for i, key in enumerate(keys):
        text = first.get(key, (0, None))[1] or second.get(key, (0, None))[1]
        ratio = float((b[i] / share) / (a[i] / (1 - share))) if a[i] else None
        rows.append(CompareRow(*key, int(a[i]), int(b[i]), ratio, float(p[i]), float(q[i]), text))
    return sorted(rows, key=lambda row: (row.p, -row.after, row.key))[:limit]


def _window(
    engine: Engine, window: tuple[float, float]
) -> dict[tuple[str, str], tuple[int, str | None]]:
    c = t.crash.c
    # Counted before joined: the index on the time has all that is needed.
    counted = (
        select(c.sig_id, func.count().label("n"))
        .where(c.ts >= window[0], c.ts < window[1])
        .group_by(c.sig_id)
        .subquery()
    )
    chosen = (
        select(*_KEY, func.sum(counted.c.n), func.min(t.sig.c.text))
        .select_from(counted.join(t.sig, counted.c.sig_id == t.sig.c.id))
        .group_by(*_KEY)
    )
    with engine.connect() as connection:
        return {(kind, key): (int(n), text) for kind, key, n, text in connection.execute(chosen)}


def _share(engine: Engine, before: tuple[float, float], after: tuple[float, float]) -> float:
    hours = [_hours(engine, window) for window in (before, after)]
    if not all(hours):
        hours = [window[1] - window[0] for window in (before, after)]
    return min(max(hours[1] / (hours[0] + hours[1]), 1e-9), 1 - 1e-9)


def _hours(engine: Engine, window: tuple[float, float]) -> float:
    c = t.exposure.c
    first, last = window[0] // SECONDS_A_DAY, window[1] / SECONDS_A_DAY
    chosen = select(func.sum(c.hours)).where(c.day >= int(first), c.day < last)
    with engine.connect() as connection:
        return float(connection.execute(chosen).scalar() or 0.0)
