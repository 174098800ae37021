# SPDX-License-Identifier: Apache-2.0
"""How often the fleet saw a signature: plain SQL, so that GDB's Python needs no SQLAlchemy."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from gdb_epi.errors import EpiError, InputError
from gdb_epi.fleet.store.paths import default_database, is_url
from gdb_epi.fleet.store.sql_without_sqlalchemy import Execute, sqlalchemy_executor, sqlite_executor
from gdb_epi.fleet.store.versions import SCHEMA_KEY, SCHEMA_VERSION
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MAX_HOSTS = 5
MAX_VERDICTS = 8

_FROM = "FROM crash JOIN sig ON crash.sig_id = sig.id WHERE sig.kind = :kind AND sig.key = :key"
_COUNT = f"SELECT count(*), count(DISTINCT host_id), min(ts), max(ts) {_FROM}"
_VERDICTS = f"SELECT verdict, count(*) {_FROM} GROUP BY verdict ORDER BY 2 DESC, 1 LIMIT 8"
_HOSTS = (
    "SELECT host.name, count(*) FROM crash JOIN sig ON crash.sig_id = sig.id "
    "JOIN host ON crash.host_id = host.id WHERE sig.kind = :kind AND sig.key = :key "
    "GROUP BY host.name ORDER BY 2 DESC, 1 LIMIT 5"
)
_VERSION = "SELECT key, value FROM meta WHERE key = :key"
_HERE = "SELECT count(*) FROM crash WHERE core_key = :core_key"


class SignatureHistory(NamedTuple):
    """What the fleet knows of one signature; times are seconds since the epoch."""

    crashes: int
    hosts: int
    first: float | None
    last: float | None
    top_hosts: tuple[tuple[str, int], ...]
    verdicts: tuple[tuple[str, int], ...]
    this_one: bool  # this very core is in the database


def seen(db: str | None, kind: str, key: str, core_key: str | None = None) -> SignatureHistory:
    """Ask the database. Raises InputError when there is none, EpiError when it cannot be read."""
    if db is None:
        return _in_file(default_database(), kind, key, core_key)
    if not is_url(db):
        return _in_file(Path(db).expanduser(), kind, key, core_key)
    if db.startswith("sqlite:///"):
        return _in_file(Path(db.removeprefix("sqlite:///")), kind, key, core_key)
    from gdb_epi.fleet.store.db import open_database

    with open_database(db, write=False) as engine, engine.connect() as connection:
        return _ask(sqlalchemy_executor(connection), kind, key, core_key)


def _in_file(path: Path, kind: str, key: str, core_key: str | None) -> SignatureHistory:
    if not path.exists():
        raise InputError(f"no fleet database at {path}", hint="epi push, or --db URL")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as base:
            execute = sqlite_executor(base, path)
            _check_version(execute, path)
            return _ask(execute, kind, key, core_key)
    except sqlite3.Error as error:
        raise EpiError(f"database {path}: {error}", hint="--db with another file") from error


def _check_version(execute: Execute, path: Path) -> None:
    """Raise EpiError for a database of another version: its columns are others."""
    version = dict(execute(_VERSION, {"key": SCHEMA_KEY})).get(SCHEMA_KEY)
    if version == str(SCHEMA_VERSION):
        return
    older = version is not None and version.isdigit() and int(version) < SCHEMA_VERSION
    problem = f"database {path} has schema {version}, this gdb-epi reads {SCHEMA_VERSION}"
    hint = "gdb-epi fleet reproject, which migrates it" if older else "upgrade gdb-epi, or --db"
    raise EpiError(problem, hint=hint)


def _ask(execute: Execute, kind: str, key: str, core_key: str | None) -> SignatureHistory:
    values = {"kind": kind, "key": key}
    crashes, hosts, first, last = next(iter(execute(_COUNT, values)))
    here = next(iter(execute(_HERE, {"core_key": core_key or ""})))[0]
    return SignatureHistory(
        crashes=int(crashes),
        hosts=int(hosts),
        first=first,
        last=last,
        top_hosts=tuple((str(name), int(n)) for name, n in execute(_HOSTS, values)),
        verdicts=tuple((str(label or "none"), int(n)) for label, n in execute(_VERDICTS, values)),
        this_one=bool(here),
    )


def words(history: SignatureHistory) -> list[str]:
    """Return the answer as lines."""
    if not history.crashes:
        return ["this signature was never seen before in this database"]
    hosts = ", ".join(f"{name} ({n})" for name, n in history.top_hosts)
    verdicts = ", ".join(f"{label} ({n})" for label, n in history.verdicts)
    where = counted(history.hosts, "host") if history.hosts else "no known host"
    lines = [f"seen: {counted(history.crashes, 'crash')} on {where}"]
    if history.first is not None and history.last is not None:
        lines.append(f"first {utc_time(history.first)}, last {utc_time(history.last)}")
    if hosts:
        lines.append(f"hosts: {hosts}")
    lines.append(f"verdicts: {verdicts}")
    lines.append(
        f"this very core is {'one of them' if history.this_one else 'not in the database'}"
    )
    return lines


def utc_time(ts: float | None) -> str:
    """Return the second in UTC, and that it is: the same everywhere; empty when absent."""
    if ts is None:
        return ""
    from datetime import datetime, timezone

    try:
        return datetime.fromtimestamp(ts, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"{ts:.0f}"
