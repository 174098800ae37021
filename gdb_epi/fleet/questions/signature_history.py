# SPDX-License-Identifier: Apache-2.0
"""How often the fleet saw a signature: plain SQL, so that GDB's Python needs no SQLAlchemy."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from gdb_epi.errors import EpiError, InputError
from gdb_epi.fleet.decisions.decision_lines import decision_lines_of_record
from gdb_epi.fleet.paths import database_file, default_database, is_url
from gdb_epi.fleet.records.facts import identify_program
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_day
from gdb_epi.fleet.store.day_of_prune import prune_caveat, read_prune_day
from gdb_epi.fleet.store.plain_sql import (
    Execute,
    readable_uri,
    sqlalchemy_executor,
    sqlite_executor,
)
from gdb_epi.fleet.store.schema_version import SCHEMA_KEY, SCHEMA_VERSION
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import counted

MAX_HOSTS = 5
MAX_VERDICTS = 8
MAX_ASKED = 3  # records that must agree on what a crash is called
MIN_TO_GAP = 5  # crashes
MAX_GAP_P = 1e-3  # that crashes at random leave so long a time without

_FROM = "FROM crash JOIN sig ON crash.sig_id = sig.id WHERE sig.kind = :kind AND sig.key = :key"
_COUNT = f"SELECT count(*), count(DISTINCT host_id), min(ts), max(ts) {_FROM}"
_VERDICTS = (
    f"SELECT verdict, count(*) {_FROM} GROUP BY verdict ORDER BY 2 DESC, 1 LIMIT {MAX_VERDICTS}"
)
_HOSTS = (
    "SELECT host.name, count(*) FROM crash JOIN sig ON crash.sig_id = sig.id "
    "JOIN host ON crash.host_id = host.id WHERE sig.kind = :kind AND sig.key = :key "
    f"GROUP BY host.name ORDER BY 2 DESC, 1 LIMIT {MAX_HOSTS}"
)
# A core without a key is in no database; a crash may lack one.
_OTHER = "(crash.core_key IS NULL OR crash.core_key != :core_key)"
_LAST = (
    "SELECT ts, host.name FROM crash JOIN sig ON crash.sig_id = sig.id "
    "LEFT JOIN host ON crash.host_id = host.id WHERE sig.kind = :kind AND sig.key = :key "
    f"AND {_OTHER} ORDER BY ts IS NULL, ts DESC LIMIT 1"
)
_OF_OTHER_PROGRAMS = (
    "SELECT count(*) FROM crash JOIN sig ON crash.sig_id = sig.id "
    "JOIN attrset_value ON attrset_value.attrset_id = crash.factset_id "
    "AND attrset_value.attr = 'program' AND attrset_value.value != :program "
    f"WHERE sig.kind = :kind AND sig.key = :key AND {_OTHER}"
)
# The longest time between two crashes that came one after the other, up to a moment.
_GAP = (
    "SELECT before, ts FROM (SELECT ts, lag(ts) OVER (ORDER BY ts) AS before "
    f"{_FROM} AND ts <= :until) AS pairs WHERE before IS NOT NULL ORDER BY ts - before DESC LIMIT 1"
)
_BETWEEN = "SELECT count(*) FROM crash WHERE ts > :before AND ts < :after"
_SOME_RECORDS = (
    "SELECT raw.record FROM crash JOIN raw ON raw.crash_id = crash.id "
    f"WHERE crash.sig_id IN (SELECT id FROM sig WHERE key = :key) LIMIT {MAX_ASKED}"
)
_LINE = "SELECT text FROM sig WHERE key = :key AND text IS NOT NULL LIMIT 1"
_META = "SELECT key, value FROM meta WHERE key = :key"
_HERE = "SELECT count(*) FROM crash WHERE core_key = :core_key"
_STORED_UNDER = (
    "SELECT sig.kind, sig.key FROM crash JOIN sig ON crash.sig_id = sig.id "
    "WHERE core_key = :core_key"
)


class SignatureHistory(NamedTuple):
    """What the fleet knows of one signature; times are seconds since the epoch."""

    crashes: int
    hosts: int
    first: float | None
    last: float | None
    top_hosts: tuple[tuple[str, int], ...]
    verdicts: tuple[tuple[str, int], ...]
    this_one: bool  # this very core is in the database
    pruned_before: int | None = None  # a day since 1970-01-01: some earlier crashes are gone
    known: tuple[str, ...] = ()  # what people decided about the signature and the host, as lines
    gap: str = ""  # a sentence about the longest time without a crash


def signature_history(
    db: str | None, kind: str, key: str, record: Mapping[str, Any] | None = None
) -> SignatureHistory:
    """Ask the database; `record` is that of the core at hand.

    Raises InputError when there is none, EpiError when it cannot be read.
    """
    with open_for_plain_sql(db) as execute:
        return read_signature_history(execute, kind, key, record or {})


@contextmanager
def open_for_plain_sql(db: str | None) -> Iterator[Execute]:
    """Open a database for plain SQL, an SQLite file without SQLAlchemy.

    Raises what `signature_history` does.
    """
    plain = default_database() if db is None else None if is_url(db) else Path(db).expanduser()
    if plain is None and db is not None and db.startswith("sqlite:///"):
        plain = Path(db.removeprefix("sqlite:///"))
    if plain is not None:
        yield from _open_sqlite_file(plain)
        return
    from gdb_epi.fleet.store.database import open_database

    with open_database(db, write=False) as engine, engine.connect() as connection:
        yield sqlalchemy_executor(connection)


def _open_sqlite_file(path: Path) -> Iterator[Execute]:
    if not path.exists():
        raise InputError(f"no fleet database at {path}", hint="epi push, or --db URL")
    try:
        with closing(sqlite3.connect(readable_uri(path), uri=True)) as base:
            execute = sqlite_executor(base, path)
            _check_version(execute, path)
            yield execute
    except sqlite3.Error as error:
        raise EpiError(f"database {path}: {error}", hint="--db with another file") from error


def _check_version(execute: Execute, path: Path) -> None:
    """Raise EpiError for a database of another version: its columns are others."""
    version = dict(execute(_META, {"key": SCHEMA_KEY})).get(SCHEMA_KEY)
    if version == str(SCHEMA_VERSION):
        return
    older = version is not None and version.isdigit() and int(version) < SCHEMA_VERSION
    problem = f"database {path} has schema {version}, this gdb-epi reads {SCHEMA_VERSION}"
    hint = "gdb-epi fleet reproject, which migrates it" if older else "upgrade gdb-epi, or --db"
    raise EpiError(problem, hint=hint)


def read_signature_history(
    execute: Execute, kind: str, key: str, record: Mapping[str, Any]
) -> SignatureHistory:
    """Return what an open database knows; `record` is that of the core at hand, or empty."""
    values = {"kind": kind, "key": key}
    crashes, hosts, first, last = next(iter(execute(_COUNT, values)))
    here = next(iter(execute(_HERE, {"core_key": record.get("core_key") or ""})))[0]
    return SignatureHistory(
        crashes=int(crashes),
        hosts=int(hosts),
        first=first,
        last=last,
        top_hosts=tuple((str(name), int(n)) for name, n in execute(_HOSTS, values)),
        verdicts=tuple((str(label or "none"), int(n)) for label, n in execute(_VERDICTS, values)),
        this_one=bool(here),
        pruned_before=read_prune_day(execute),
        known=tuple(decision_lines_of_record(execute, kind, key, record)),
        gap=longest_gap_sentence(execute, values, int(crashes), first, last),
    )


def longest_gap_sentence(
    execute: Execute,
    values: Mapping[str, str],
    crashes: int,
    first: float | None,
    last: float | None,
) -> str:
    """Say when a signature (`values` are its kind and key) was not seen between its crashes.

    "" where the crashes, at random between the first and the last, may leave such a time.
    """
    if crashes < MIN_TO_GAP or first is None or last is None or last <= first:
        return ""
    before, after = next(iter(execute(_GAP, {**values, "until": last})), (first, first))
    share = (after - before) / (last - first)
    begin, end = int(before // SECONDS_A_DAY) + 1, int(after // SECONDS_A_DAY) - 1
    if end < begin or crashes * (1 - share) ** (crashes - 1) > MAX_GAP_P:
        return ""
    others = int(next(iter(execute(_BETWEEN, {"before": before, "after": after})))[0])
    alone = "" if others else "; nor was any other crash then"
    until = f" to {iso_day(end)}" if end > begin else ""
    return f"Not seen from {iso_day(begin)}{until} ({counted(end - begin + 1, 'day')}){alone}"


def count_other_crashes(
    execute: Execute, kind: str, key: str, record: Mapping[str, Any], db: str | None
) -> tuple[int, str]:
    """Return how many crashes of a signature there are beside a record's, and that in words.

    Of those of other programs it is said: two programs that end themselves in the same way have
    one signature. `db` is the --db argument of the database.
    """
    core_key = str(record.get("core_key") or "")
    values = {"kind": kind, "key": key, "core_key": core_key}
    number = int(next(iter(execute(f"SELECT count(*) {_FROM} AND {_OTHER}", values)))[0])
    if not number:
        default = str(default_database()).replace(str(Path.home()), "~", 1)
        name = (db or default) if database_file(db) is not None else "this database"  # no password
        here = next(iter(execute(_HERE, {"core_key": core_key})))[0]
        return 0, f"{'only this very core is' if here else 'never before,'} in {name}"
    last = next(iter(execute(_LAST, values)), (None, None))
    when = f", last on {format_utc_time(last[0])[:10]}" if last[0] is not None else ""
    host = f" on host {last[1]}" if last[1] else ""
    program = {"program": identify_program(record) or ""}
    others = int(next(iter(execute(_OF_OTHER_PROGRAMS, {**values, **program})))[0])
    where = f"{others} of them " if others < number else ""
    doubt = f", {where}in another program: perhaps another bug" if others else ""
    return number, f"{counted(number, 'time')} before{when}{host}{doubt}"


def group_of_stored_core(db: str | None, core_key: str) -> tuple[str, str] | None:
    """Return kind and key of the group that a stored core is in; None for one that is not stored.

    Whatever examined it may have had libraries that are not loaded here, and so another key.
    Raises what `signature_history` does.
    """
    with open_for_plain_sql(db) as execute:
        kind, key = next(iter(execute(_STORED_UNDER, {"core_key": core_key})), ("", ""))
    return (str(kind), str(key)) if key else None


def history_lines(history: SignatureHistory, *, of_a_core: bool = False) -> list[str]:
    """Return the answer as lines; `of_a_core`: about the core at hand, not about a key."""
    if not history.crashes:
        lines = [*history.known, "No crash with this key is in this database"]
        lines += ["This very core is, with no such key"] if of_a_core and history.this_one else []
        return lines
    hosts = ", ".join(f"{name} ({n})" for name, n in history.top_hosts)
    verdicts = ", ".join(f"{label} ({n})" for label, n in history.verdicts)
    where = f"on {counted(history.hosts, 'host')}" if history.hosts else "host not known"
    times = "once" if history.crashes == 1 else counted(history.crashes, "time")
    lines = [*history.known, f"Seen {times} so far, {where}"]
    if of_a_core and history.this_one:
        alone = history.crashes == 1
        lines[-1] += ": this core itself" if alone else ": this core is one of them"
    elif of_a_core:
        lines[-1] += ", without this core, which is not stored"
    if history.first is not None and history.last is not None:
        lines.append(
            f"First {format_utc_time(history.first)}, last {format_utc_time(history.last)}"
        )
    lines += [history.gap] if history.gap else []
    lines += prune_caveat(history.pruned_before, history.first)
    if hosts:
        lines.append(f"Hosts: {hosts}")
    lines.append(f"Verdicts: {verdicts}")
    return lines


def signature_title(
    line: str,
    category: str | None,
    labels: Sequence[str],
    records: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Return a signature in a few words: what happened, where; `labels` are its verdicts.

    What happened is what `records`, some of its crashes', agree on, where any are given.
    """
    from gdb_epi.render.opening_sentences import HUNG
    from gdb_epi.render.signature_words import parse_signature_line, signature_phrase

    hung = bool(labels) and set(labels) <= HUNG
    title = describe_crash_by_records(line, records)
    title = title or signature_phrase(parse_signature_line(line, category), hung=hung)
    return f"{title[:1].upper()}{title[1:]}"


def describe_crash_by_records(line: str, records: Sequence[Mapping[str, Any]]) -> str:
    """Return what happened and where, "" where records tell nothing or do not agree."""
    from gdb_epi.render.signature_words import UNKNOWN, where_and_what_of_record

    cells = {where_and_what_of_record(record, line) for record in records}
    if len(cells) != 1:
        return ""
    where, what = cells.pop()
    return what if where == UNKNOWN else f"{what}, in {where}"


def some_records(execute: Execute, key: str | None) -> list[dict[str, Any]]:
    """Return a few records of a signature's crashes; none where a lake is asked, which has none."""
    from gdb_epi.fleet.records.packing import unpack_record_or_empty

    rows = execute(_SOME_RECORDS, {"key": key}) if key else ()
    return [record for record in (unpack_record_or_empty(row[0]) for row in rows) if record]


def name_signatures_by_causes(execute: Execute, lines: Iterable[str]) -> list[str]:
    """Return lines whose signatures are called as their records tell, for these know the causes.

    A signature's line knows its category alone: `signature_phrase_and_key` wrote the names.
    """
    from gdb_epi.render.signature_words import PHRASE_AND_KEY

    names: dict[str, str] = {}

    def name_of(written: re.Match[str]) -> str:
        key = written["key"]
        if key not in names:
            line = next(iter(execute(_LINE, {"key": key})), ("",))[0]
            names[key] = describe_crash_by_records(line, some_records(execute, key))
        return f'"{names[key] or written["phrase"]}"{written["rest"]}'

    return [PHRASE_AND_KEY.sub(name_of, line) for line in lines]


def format_utc_time(ts: float | None) -> str:
    """Return a time in UTC, marked as such, to the second; "" when absent."""
    if ts is None:
        return ""
    from datetime import datetime, timezone

    try:
        return datetime.fromtimestamp(ts, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"{ts:.0f}"
