# SPDX-License-Identifier: Apache-2.0
"""Plain SQL over sqlite3 or SQLAlchemy alike, for questions that should not import SQLAlchemy."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdb_epi.errors import EpiError

if TYPE_CHECKING:
    from sqlalchemy import Connection

# SQL whose parameters are named as sqlite3 and SQLAlchemy's text() both take them (:name).
Execute = Callable[[str, Mapping[str, Any]], Iterable[Any]]


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
