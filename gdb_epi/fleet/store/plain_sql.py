# SPDX-License-Identifier: Apache-2.0
"""Plain SQL over sqlite3 or SQLAlchemy alike, for questions that should not import SQLAlchemy."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdb_epi.errors import EpiError

if TYPE_CHECKING:
    from sqlalchemy import Connection

# SQL whose parameters are named as sqlite3 and SQLAlchemy's text() both take them (:name).
Execute = Callable[[str, Mapping[str, Any]], Iterable[Any]]


def readable_uri(path: Path) -> str:
    """Return the URI under which sqlite3 can read a file, also where nobody here may write.

    Where the folder cannot be written, sqlite3 can read a write-ahead log only if its index exists
    already; a file without a log is read as it is. Raises EpiError for a log that cannot be read.
    """
    uri = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        return uri
    except sqlite3.OperationalError as error:
        if not any(sign in str(error) for sign in ("readonly", "unable to open")):
            return uri  # whoever opens it says what is wrong
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise EpiError(
            f"database {path}: its last changes are in {log.name}, which cannot be read here",
            hint="let someone who may write there run any gdb-epi fleet verb, then try again",
        )
    return f"{uri}&immutable=1"


def sqlalchemy_executor(connection: Connection) -> Execute:
    """Return what executes SQL over a connection of SQLAlchemy's."""
    from sqlalchemy import text

    return lambda sql, values: connection.execute(text(sql), dict(values))


def sqlite_executor(connection: sqlite3.Connection, path: Path) -> Execute:
    """Return what executes SQL in an open SQLite file; it raises EpiError."""

    def execute(sql: str, values: Mapping[str, Any]) -> list[Any]:
        try:
            return connection.execute(sql, dict(values)).fetchall()
        except sqlite3.Error as error:
            raise EpiError(f"database {path}: {error}", hint="--db with another file") from error

    return execute
