# SPDX-License-Identifier: Apache-2.0
"""Forget a host, a user or a core: in all tables, records, the spool and the caches.

Files exported from the database cannot be reached from here, so they are named.
"""

from __future__ import annotations

import json
import pwd
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, func, or_, select

from gdb_epi.errors import InputError, UsageError
from gdb_epi.fleet.decisions.current_state import FINDING
from gdb_epi.fleet.decisions.current_state import HOST as MARKED_HOST
from gdb_epi.fleet.decisions.finding_states import parse_finding_detail
from gdb_epi.fleet.export_log import read_export_log
from gdb_epi.fleet.population.cache import drop_cached_populations
from gdb_epi.fleet.population.host_spelling import match_spellings
from gdb_epi.fleet.records.packing import unpack_record_or_empty
from gdb_epi.fleet.records.spool import drop_spooled
from gdb_epi.fleet.records.values import text_or_none
from gdb_epi.fleet.screen.finding import HOST as OF_HOST
from gdb_epi.fleet.screen.finding import LOOP_OF
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.database import shown_url
from gdb_epi.fleet.store.delete_crashes import (
    compact_database,
    remove_crashes,
    size_of_packed_records,
)
from gdb_epi.fleet.store.dimensions import parts_for_in_list
from gdb_epi.fleet.store.reproject import packed_records_after
from gdb_epi.fleet.store.transactions import begin_write, invalidate_dimension_ids
from gdb_epi.record.record_parts import get_group

HOST, USER, CORE = "host", "user", "core"
MIN_KEY = 8  # characters of a core's key that are enough
_WORD = re.compile(r"[\w.-]+")


class ForgetSummary(NamedTuple):
    """What goes (or would go). `exports` are when (seconds since the epoch) and where."""

    names: tuple[str, ...]  # the spellings of the host, the user's number, the key of the core
    crashes: int
    bytes: int  # of their records, packed
    host_days: int
    findings: int
    decisions: int
    notices: int
    log_lines: int
    spooled: int  # records that wait in the spool
    caches: int  # populations in the cache folder, of any database
    other_names: tuple[str, ...]  # of the host's machine id: these stay
    exports: tuple[tuple[float, str], ...]


class _NamesToForget(NamedTuple):
    """What must go: a text with one of `words` names it."""

    names: tuple[str, ...]
    crashes: list[int]
    hosts: list[int]
    words: frozenset[str]
    is_meant: Callable[[Mapping[str, Any]], bool]  # a record
    other_names: tuple[str, ...] = ()


def forget_host_user_or_core(engine: Engine, kind: str, name: str, *, apply: bool) -> ForgetSummary:
    """Say what the database, the spool and the cache hold of it; with `apply` it is gone.

    Raises InputError where nothing has that name, UsageError for a name that can be none.
    """
    # The spool first: an ingest in the meantime moves its records to where we look next.
    with engine.connect() as connection:
        wanted = _WANTED[kind](connection, name)
    spooled = drop_spooled(wanted.is_meant, apply=apply)
    if not apply:
        with engine.connect() as connection:
            counts = _count_or_delete(connection, wanted, apply=False)
        _refuse_unknown_name(kind, name, spooled, counts)
    else:
        with begin_write(engine) as connection:
            invalidate_dimension_ids(connection)
            wanted = _WANTED[kind](connection, name)
            counts = _count_or_delete(connection, wanted, apply=True)
            _refuse_unknown_name(kind, name, spooled, counts)
        compact_database(engine)
    caches = drop_cached_populations(apply=apply)
    exports = tuple(read_export_log(shown_url(engine.url)))
    return ForgetSummary(
        names=wanted.names, spooled=spooled, caches=caches, other_names=wanted.other_names,
        exports=exports, **counts,
    )  # fmt: skip


def _refuse_unknown_name(kind: str, name: str, spooled: int, counts: Mapping[str, int]) -> None:
    if not (spooled or any(counts.values())):
        hint = {HOST: "gdb-epi fleet top", USER: "a login name or number", CORE: "its whole key"}
        raise InputError(f"nothing here is of {kind} {name!r}", hint=hint[kind])


def _names_to_forget_of_host(connection: Connection, given: str) -> _NamesToForget:
    rows = connection.execute(
        select(tables.host.c.id, tables.host.c.name, tables.host.c.machine_id)
    ).all()
    every = sorted({name for _, name, _ in rows if name})
    names = {given, *match_spellings([given], every)}
    mine = [row for row in rows if row.name in names or row.machine_id == given]
    machines = {row.machine_id for row in mine if row.machine_id}
    names |= {row.name for row in mine if row.name}
    others = {row.name for row in rows if row.machine_id in machines} - names - {""}
    numbers = sorted(row.id for row in mine)
    c = tables.crash.c

    def is_record_of_host(record: Mapping[str, Any]) -> bool:
        host = get_group(record, "host")
        name, machine = text_or_none(host.get("hostname")), text_or_none(host.get("machine_id"))
        is_spelt = name is not None and (
            name in names or name in match_spellings([given], [*every, name])
        )
        return is_spelt or machine == given

    return _NamesToForget(
        tuple(sorted(names)),
        list(connection.execute(select(c.id).where(c.host_id.in_(numbers))).scalars()),
        numbers,
        frozenset(name.casefold() for name in names),
        is_record_of_host,
        tuple(sorted(others)),
    )


def _names_to_forget_of_user(connection: Connection, given: str) -> _NamesToForget:
    number = int(given) if given.isascii() and given.isdigit() else None
    if number is None:
        try:
            number = pwd.getpwnam(given).pw_uid
        except KeyError:
            problem = f"no user {given!r} on this machine: records have numbers"
            raise UsageError(problem, hint="--user 1001") from None

    def is_record_of_user(record: Mapping[str, Any]) -> bool:
        return get_group(record, "process").get("uid") == number

    ids: list[int] = []
    packed: Mapping[int, bytes] = {0: b""}
    while packed := packed_records_after(connection, max(packed)):  # a number that no column has
        ids += [n for n, blob in packed.items() if is_record_of_user(unpack_record_or_empty(blob))]
    return _NamesToForget((str(number),), ids, [], frozenset(), is_record_of_user)


def _names_to_forget_of_core(connection: Connection, given: str) -> _NamesToForget:
    if len(given) < MIN_KEY:
        raise UsageError(f"{given!r} is no key of a core: at least {MIN_KEY} characters")
    c = tables.crash.c
    same = c.core_key.startswith(given, autoescape=True)
    rows = connection.execute(select(c.id, c.core_key).where(same).limit(2)).all()
    if len(rows) > 1:
        raise InputError(f"several cores begin with {given!r}", hint="its whole key")
    key = str(rows[0].core_key) if rows else given

    def is_record_of_core(record: Mapping[str, Any]) -> bool:
        return record.get("core_key") == key

    return _NamesToForget(
        (key,), [int(row.id) for row in rows], [], frozenset([key]), is_record_of_core
    )


_WANTED: dict[str, Callable[[Connection, str], _NamesToForget]] = {
    HOST: _names_to_forget_of_host, USER: _names_to_forget_of_user, CORE: _names_to_forget_of_core,
}  # fmt: skip


def _count_or_delete(
    connection: Connection, wanted: _NamesToForget, *, apply: bool
) -> dict[str, int]:
    """Count the rows about it, and delete them with `apply`."""
    names_it = _make_matcher_of_texts_to_forget(connection, wanted)
    f, m, n, log = tables.finding.c, tables.mark.c, tables.notice.c, tables.ingest_log.c
    findings = connection.execute(select(f.id, f.attr, f.value)).all()
    decisions = connection.execute(select(m.id, m.about, m.name)).all()
    notices = connection.execute(select(n.id, n.subject)).all()
    lines = connection.execute(select(log.id, log.core_key, log.source, log.error)).all()
    about = {
        tables.finding: [
            r.id for r in findings if r.attr in (OF_HOST, LOOP_OF) and names_it(r.value)
        ],
        tables.mark: [
            r.id for r in decisions if r.about in (MARKED_HOST, FINDING) and names_it(r.name)
        ],
        tables.notice: [r.id for r in notices if names_it(r.subject)],
        tables.ingest_log: [r.id for r in lines if names_it(r.core_key, r.source, r.error)],
    }
    of_host = tables.exposure.c.host_id.in_(wanted.hosts)
    host_days = select(func.count()).select_from(tables.exposure).where(of_host)
    counts = {
        "crashes": len(wanted.crashes),
        "bytes": size_of_packed_records(connection, wanted.crashes),
        "host_days": connection.execute(host_days).scalar_one(),
        "findings": len(about[tables.finding]),
        "decisions": len(about[tables.mark]),
        "notices": len(about[tables.notice]),
        "log_lines": len(about[tables.ingest_log]),
    }
    if apply:
        connection.execute(tables.exposure.delete().where(of_host))
        for table, ids in about.items():
            for part in parts_for_in_list(ids):
                connection.execute(table.delete().where(table.c.id.in_(part)))
        _remove_names_from_texts(connection, names_it)
        remove_crashes(connection, wanted.crashes)
    return counts


def _make_matcher_of_texts_to_forget(
    connection: Connection, wanted: _NamesToForget
) -> Callable[..., bool]:
    """Return what tells whether one of some texts names what must go, or a crash of it."""
    words = set(wanted.words)
    for part in parts_for_in_list(wanted.crashes):
        of_part = select(tables.crash.c.core_key).where(tables.crash.c.id.in_(part))
        words.update(connection.execute(of_part).scalars())

    def names_it(*texts: str | None) -> bool:
        for text in texts:
            folded = (text or "").casefold()
            if not words.isdisjoint(word.rstrip(".") for word in _WORD.findall(folded)):
                return True
            if any(not _WORD.fullmatch(word) and word in folded for word in wanted.words):
                return True  # a name with characters that no name of DNS has
        return False

    return names_it


def _remove_names_from_texts(connection: Connection, names_it: Callable[..., bool]) -> None:
    """Take the names out of findings and decisions about other subjects, which stay."""
    f, m = tables.finding.c, tables.mark.c
    for row in connection.execute(select(f.id, f.detail)).all():
        detail = parse_finding_detail(row.detail)
        kept = _without_texts_that_name(detail, names_it)
        if kept != detail or names_it(row.detail):  # the column may be damaged, or escaped
            values = {"detail": json.dumps(kept)}
            connection.execute(tables.finding.update().where(f.id == row.id).values(**values))
    noted = or_(m.note.is_not(None), m.ticket.is_not(None))
    for number, *texts in connection.execute(select(m.id, m.note, m.ticket).where(noted)).all():
        if names_it(*texts):
            unnamed = tables.mark.update().where(m.id == number).values(note=None, ticket=None)
            connection.execute(unnamed)


def _without_texts_that_name(
    detail: Mapping[str, Any], names_it: Callable[[str], bool]
) -> dict[str, Any]:
    """Return the detail of a finding without the texts that name what must go."""
    kept: dict[str, Any] = {}
    for key, value in detail.items():
        if isinstance(value, list):
            kept[key] = [each for each in value if not (isinstance(each, str) and names_it(each))]
        else:
            kept[key] = "" if isinstance(value, str) and names_it(value) else value
    return kept
