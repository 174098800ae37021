# SPDX-License-Identifier: Apache-2.0
"""Find the signature, core or host that a user names, and summarise what is stored about it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Select, and_, func, or_, select, true

from gdb_epi.errors import EpiError, InputError
from gdb_epi.fleet.paths import COLUMNAR
from gdb_epi.fleet.population.cache import load_population_without_attributes
from gdb_epi.fleet.population.host_spelling import host_label, match_spellings
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.questions.find_signature import (
    MIN_PREFIX,
    SignatureGroup,
    find_signature,
    require_signature,
)
from gdb_epi.fleet.questions.signatures import (
    count_verdicts,
    crashed_by_end_of_day_condition,
    find_program,
)
from gdb_epi.fleet.records.packing import unpack_record_or_empty
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

MAX_SHOWN = 20
MAX_CORES = 5  # named where a prefix fits several


class CrashSummary(NamedTuple):
    """Counts over some crashes; each table holds (value, crashes), most frequent first."""

    crashes: int
    first: float | None
    last: float | None
    tables: dict[str, list[tuple[str, int]]]
    examples: list[str]  # core keys, the latest first
    program: str | None = None  # of a signature: what crashed; SEVERAL; None: not known
    not_believed: int = 0  # crashes whose time their neighbours refute: not in `first` and `last`


def find_signature_group(engine: Engine, wanted: str) -> SignatureGroup | None:
    """Return the signature group of a key, a key's prefix, or a text; None when there is none.

    Raises InputError when several fit.
    """
    with engine.connect() as connection:
        return find_signature(sqlalchemy_executor(connection), wanted)


def require_signature_group(engine: Engine, wanted: str) -> SignatureGroup:
    """Like `find_signature_group`, but raises InputError when there is none, too."""
    with engine.connect() as connection:
        return require_signature(sqlalchemy_executor(connection), wanted)


def find_cores(engine: Engine, wanted: str) -> list[tuple[str, bytes]]:
    """Return keys and packed records of the cores of a key or of its prefix, a few of many."""
    if len(wanted) < MIN_PREFIX:
        return []
    key = tables.crash.c.core_key
    chosen = (
        select(key, tables.raw.c.record)
        .join(tables.crash, tables.raw.c.crash_id == tables.crash.c.id)
        .limit(MAX_CORES)
    )
    with engine.connect() as connection:
        # An index finds a whole key; a prefix is searched for in all keys.
        rows = connection.execute(chosen.where(key == wanted)).all()
        if not rows:
            starts = key.startswith(wanted, autoescape=True)
            if connection.dialect.name == "sqlite":
                starts = and_(starts, _key_prefix_condition(key, wanted[:MIN_PREFIX]))
            rows = connection.execute(chosen.where(starts)).all()
        if not rows and connection.dialect.name == COLUMNAR:
            _refuse_core_of_lake(connection, key == wanted)
    return [(name, record) for name, record in rows]


def find_record(engine: Engine, wanted: str) -> dict[str, Any] | None:
    """Return the stored record of a core key or of its unique prefix.

    Raises EpiError when it is damaged.
    """
    rows = find_cores(engine, wanted)
    if len(rows) != 1:
        return None
    record = unpack_record_or_empty(rows[0][1])
    if not record:
        raise EpiError(f"the stored record of {wanted} is damaged", hint="ingest that core again")
    return record


def _refuse_core_of_lake(connection: Connection, condition: Any) -> None:
    """Raise InputError for a core of a lake, which has its counted columns but no record."""
    if connection.execute(select(tables.crash.c.id).where(condition).limit(1)).first() is not None:
        hint = "--db with the database that it was exported from"
        raise InputError("a lake holds no whole records", hint=hint)


def _key_prefix_condition(key: Any, start: str) -> Any:
    """Return a condition by which an SQLite index narrows down the keys that LIKE would match.

    LIKE alone scans all keys, which takes as long as everything else that a question needs.
    """
    if not start.isascii():
        return true()
    spelled = {"".join(letters) for letters in product(*((c.lower(), c.upper()) for c in start))}
    return or_(*(and_(key >= s, key < s[:-1] + chr(ord(s[-1]) + 1)) for s in sorted(spelled)))


def find_host_ids(engine: Engine, wanted: str) -> tuple[int, ...]:
    """Return the ids of the host with this name, in any of its spellings, or machine id."""
    c, label = tables.host.c, host_label(wanted)
    # All hosts with this label; a name may be that of several of them.
    lower = func.lower(c.name)
    near = (c.name == wanted, lower == label, lower.startswith(f"{label}.", autoescape=True))
    chosen = select(c.id, c.name, c.machine_id).where(or_(*near, c.machine_id == wanted))
    with engine.connect() as connection:
        rows = connection.execute(chosen.order_by(c.id)).all()
    names = {wanted, *match_spellings([wanted], sorted({row.name for row in rows if row.name}))}
    return tuple(row.id for row in rows if row.name in names or row.machine_id == wanted)


def summarise_signature(
    engine: Engine, group: SignatureGroup, asof: int | None = None
) -> CrashSummary:
    """Summarise the crashes of a signature by the end of a day."""
    c = tables.crash.c
    named = {"host": tables.host.c.name, "verdict": c.verdict, "python": c.python}
    where = and_(c.sig_id.in_(group.ids), crashed_by_end_of_day_condition(asof))
    summary = _summarise_crashes(engine, where, named, c.host_id == tables.host.c.id)
    with engine.connect() as connection:
        return summary._replace(program=find_program(connection, where))


def summarise_host(engine: Engine, ids: Sequence[int], asof: int | None = None) -> CrashSummary:
    """Summarise the crashes of a host by the end of a day."""
    c = tables.crash.c
    signature = func.coalesce(tables.sig.c.text, tables.sig.c.key)
    named = {"signature": signature, "verdict": c.verdict, "cpu": c.cpu_no}
    return _summarise_crashes(
        engine,
        and_(c.host_id.in_(ids), crashed_by_end_of_day_condition(asof)),
        named,
        c.sig_id == tables.sig.c.id,
    )


def host_attributes(engine: Engine, ids: Sequence[int]) -> list[tuple[str, str]]:
    """Return the attributes that a host was seen with, as (name, value)."""
    c = tables.host_attr.c
    chosen = select(c.attr, c.value).where(c.host_id.in_(ids)).order_by(c.attr, c.to_ts, c.value)
    with engine.connect() as connection:
        return list(dict.fromkeys((attr, value) for attr, value in connection.execute(chosen)))


def first_and_last_believed_time(
    connection: Connection, times: Population, where: Any
) -> tuple[float | None, float | None, int]:
    """Return the first and the last time of some crashes, and how many their neighbours refute."""
    c = tables.crash.c
    if not times.quality.get("stray"):
        ends = select(func.min(c.ts), func.max(c.ts)).where(where)
        return (*connection.execute(ends).one(), 0)
    refuted = set(times.core_keys.keys_under(~times.has_time))
    chosen = select(c.core_key, c.ts).where(where, c.ts.is_not(None)).order_by(c.ts)
    rows = connection.execute(chosen).all()
    believed = [ts for key, ts in rows if key not in refuted]
    first, last = (believed[0], believed[-1]) if believed else (None, None)
    return first, last, len(rows) - len(believed)


def _summarise_crashes(
    engine: Engine, where: Any, named: dict[str, Any], link: Any
) -> CrashSummary:
    c, times = tables.crash.c, load_population_without_attributes(engine)
    with engine.connect() as connection:
        crashes = select(func.count()).select_from(tables.crash).where(where)
        count = connection.execute(crashes).scalar_one()
        first, last, not_believed = first_and_last_believed_time(connection, times, where)
        latest = select(c.core_key).where(where).order_by(c.ts.desc(), c.core_key).limit(5)
        counts = {
            name: _count_by_value(connection, where, column, link) for name, column in named.items()
        }
        examples = [row[0] for row in connection.execute(latest)]
        return CrashSummary(count, first, last, counts, examples, None, not_believed)


def _count_by_value(
    connection: Connection, where: Any, column: Any, link: Any
) -> list[tuple[str, int]]:
    """Return the values of a column, most frequent first; `link` leads to one of another table.

    Crashes are counted before they are joined: there are many of a host or a signature.
    """
    if column is tables.crash.c.verdict:
        return count_verdicts(connection, where)[:MAX_SHOWN]
    n: Any = func.count()
    if getattr(column, "table", None) is tables.crash:
        chosen: Select[Any] = select(column, n).where(where)
    else:
        own = link.left
        counted = select(own.label("id"), n.label("n")).where(where).group_by(own).subquery()
        n = func.sum(counted.c.n)
        chosen = select(column, n).join_from(counted, link.right.table, counted.c.id == link.right)
    chosen = chosen.where(column.is_not(None)).group_by(column).order_by(n.desc(), column)
    return [(str(v), int(number)) for v, number in connection.execute(chosen.limit(MAX_SHOWN))]
