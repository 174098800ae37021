# SPDX-License-Identifier: Apache-2.0
"""Open the database for one question that needs the population and little else.

Importing SQLAlchemy takes longer than most questions do. Where the population of an SQLite file is
in the cache already, neither is needed; all else goes through `gdb_epi.fleet.store.db`, which also
says what is wrong with a database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdb_epi.errors import EpiError
from gdb_epi.fleet.store.paths import database_file
from gdb_epi.fleet.store.versions import REPROJECTED_TO, SCHEMA_KEY, SCHEMA_VERSION
from gdb_epi.typing_lite import NamedTuple

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from gdb_epi.fleet.population.population import Population

# SQL whose parameters are named as sqlite3 and SQLAlchemy's text() both take them (:name).
Execute = Callable[[str, Mapping[str, Any]], Iterable[Any]]

_META = "SELECT key, value FROM meta"


class Reading(NamedTuple):
    """A database that is open for reading; its population is read when it is asked for."""

    execute: Execute
    population: Callable[[], Population]


@contextmanager
def reading(given: str | None) -> Iterator[Reading]:
    """Open the database of a --db argument. Raises what `open_database` raises."""
    with _cached(given) as quick:
        if quick is not None:
            yield quick
            return
    from gdb_epi.fleet.population.population import load
    from gdb_epi.fleet.store.db import open_database

    with open_database(given, write=False) as engine, engine.connect() as connection:
        yield Reading(through(connection), lambda: load(engine))


def through(connection: Connection) -> Execute:
    """Return what executes SQL over a connection of SQLAlchemy's."""
    from sqlalchemy import text

    return lambda sql, values: connection.execute(text(sql), dict(values))


@contextmanager
def _cached(given: str | None) -> Iterator[Reading | None]:
    """Open an SQLite file whose population is in the cache; None for any other database."""
    path = database_file(given)
    if path is None or not path.is_file():
        yield None
        return
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    except sqlite3.Error:
        yield None
        return
    with closing(connection):
        execute = in_file(connection, path)
        population = _population(execute, path)
        yield Reading(execute, lambda: population) if population is not None else None


def in_file(connection: sqlite3.Connection, path: Path) -> Execute:
    """Return what executes SQL in an open SQLite file; it raises EpiError."""

    def execute(sql: str, values: Mapping[str, Any]) -> list[Any]:
        try:
            return connection.execute(sql, dict(values)).fetchall()
        except sqlite3.Error as error:
            raise EpiError(f"database {path}: {error}", hint="--db with another file") from error

    return execute


def _population(execute: Execute, path: Path) -> Population | None:
    try:
        found = dict(execute(_META, {}))
        if found.get(SCHEMA_KEY) != str(SCHEMA_VERSION) or REPROJECTED_TO in found:
            return None
        from gdb_epi.fleet.population.cache import in_cache, state_of

        state = state_of(execute, str(path))
    except EpiError:
        return None
    return None if state is None else in_cache(state)
