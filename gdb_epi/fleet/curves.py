# SPDX-License-Identifier: Apache-2.0
"""Signatures over time: which are new, the epidemic curve, two windows beside each other."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Engine, Integer, cast, func, select

from gdb_epi.fleet import tables as t
from gdb_epi.fleet.exposure import SECONDS_A_DAY

_KEY = (t.sig.c.kind, t.sig.c.key)
DEFAULT_DAYS = 7


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
    """Return the time of the latest crash: `now` for questions, so that answers do not age."""
    with engine.connect() as connection:
        found = connection.execute(select(func.max(t.crash.c.ts))).scalar()
    return None if found is None else float(found)


def new_signatures(engine: Engine, days: float, until: float, limit: int) -> list[NewRow]:
    """Return the signatures first seen in the last `days` before `until`, latest first."""
    first, n = func.min(t.crash.c.ts), func.count(t.crash.c.id)
    chosen = (
        select(
            first, *_KEY, n, func.count(func.distinct(t.crash.c.host_id)), func.min(t.sig.c.text)
        )
        .select_from(t.crash.join(t.sig, t.crash.c.sig_id == t.sig.c.id))
        .where(t.crash.c.ts <= until)
        .group_by(*_KEY)
        .having(first > until - days * SECONDS_A_DAY)
        .order_by(first.desc(), t.sig.c.key)
        .limit(limit)
    )
    with engine.connect() as connection:
        return [NewRow(*row) for row in connection.execute(chosen)]


def curve(engine: Engine, sig_ids: tuple[int, ...] | None) -> list[DayRow]:
    """Return the crashes of each day, of one signature or of all; days between are filled in."""
    day = cast(func.floor(t.crash.c.ts / SECONDS_A_DAY), Integer)
    chosen = select(day, func.count(t.crash.c.id), func.count(func.distinct(t.crash.c.host_id)))
    chosen = chosen.where(t.crash.c.ts.is_not(None))
    if sig_ids is not None:
        chosen = chosen.where(t.crash.c.sig_id.in_(sig_ids))
    hours = select(t.exposure.c.day, func.sum(t.exposure.c.hours)).group_by(t.exposure.c.day)
    with engine.connect() as connection:
        found = {int(d): (int(n), int(h)) for d, n, h in connection.execute(chosen.group_by(day))}
        exposed = {int(d): float(h) for d, h in connection.execute(hours)}
    if not found:
        return []
    rows = []
    for number in _days(found):
        crashes, hosts = found.get(number, (0, 0))
        known = exposed.get(number)
        rate = 1000 * crashes / known if known else None
        rows.append(DayRow(number, crashes, hosts, known, rate))
    return rows


MAX_GAP = 3660  # days between two crashes; a clock off by decades must not fill the screen


def _days(found: dict[int, Any]) -> list[int]:
    """Return the days to show: without gaps, unless a gap is longer than MAX_GAP."""
    first, last = min(found), max(found)
    return list(range(first, last + 1)) if last - first <= MAX_GAP else sorted(found)


def compare(
    engine: Engine, before: tuple[float, float], after: tuple[float, float], limit: int
) -> list[CompareRow]:
    """Compare the signatures of two half-open windows (epoch seconds), strongest change first.

    Given both windows' crashes of a signature, how many fall in the second one is binomial, with
    the share of the host-hours, or of the days where hours are not known.
    """
    from gdb_epi.fleet.statistics import benjamini_hochberg

    first, second = (_window(engine, window) for window in (before, after))
    share = _share(engine, before, after)
    rows = []
    for key in sorted({*first, *second}):
        a, text = first.get(key, (0, None))
        b, other = second.get(key, (0, None))
        ratio = (b / share) / (a / (1 - share)) if a else None
        rows.append(CompareRow(*key, a, b, ratio, _two_sided(b, a + b, share), 1.0, text or other))
    import numpy as np

    q = benjamini_hochberg(np.array([row.p for row in rows]))
    found = [row._replace(q=float(value)) for row, value in zip(rows, q, strict=True)]
    return sorted(found, key=lambda row: (row.p, -row.after, row.key))[:limit]


def _two_sided(b: int, n: int, share: float) -> float:
    from scipy import stats

    return float(stats.binomtest(b, n, share).pvalue)


def _window(
    engine: Engine, window: tuple[float, float]
) -> dict[tuple[str, str], tuple[int, str | None]]:
    chosen = (
        select(*_KEY, func.count(t.crash.c.id), func.min(t.sig.c.text))
        .select_from(t.crash.join(t.sig, t.crash.c.sig_id == t.sig.c.id))
        .where(t.crash.c.ts >= window[0], t.crash.c.ts < window[1])
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
