# SPDX-License-Identifier: Apache-2.0
"""Open the database for a question that needs the population and little else.

Importing SQLAlchemy takes longer than most questions do. Where the population of an SQLite file is
in the cache already, neither is needed; all else goes through `gdb_epi.fleet.store.database`, which
also says what is wrong with a database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from gdb_epi.errors import EpiError
from gdb_epi.fleet.paths import cache_folder, database_file
from gdb_epi.fleet.store.plain_sql import Execute, sqlalchemy_executor, sqlite_executor
from gdb_epi.fleet.store.schema_version import REPROJECTED_TO, SCHEMA_KEY, SCHEMA_VERSION
from gdb_epi.typing_lite import NamedTuple

if TYPE_CHECKING:
    from gdb_epi.fleet.population.population import Population

_META = "SELECT key, value FROM meta"


class OpenDatabase(NamedTuple):
    """A database that is open for reading; its population is read when it is asked for."""

    execute: Execute
    population: Callable[..., Population]  # of a day (since 1970-01-01): by its end; else of now


@contextmanager
def open_for_question(db: str | None) -> Iterator[OpenDatabase]:
    """Open the database of a --db argument. Raises what `open_database` raises."""
    with _open_cached(db) as cached:
        if cached is not None:
            yield cached
            return
    from gdb_epi.fleet.population.cache import load_population
    from gdb_epi.fleet.store.database import open_database

    with open_database(db, write=False) as engine, engine.connect() as connection:
        yield OpenDatabase(sqlalchemy_executor(connection), partial(load_population, engine))


@contextmanager
def _open_cached(db: str | None) -> Iterator[OpenDatabase | None]:
    """Open an SQLite file whose population is in the cache; None for any other database."""
    path = database_file(db)
    if path is None or not path.is_file():
        yield None
        return
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    except sqlite3.Error:
        yield None
        return
    with closing(connection):
        execute = sqlite_executor(connection, path)
        population = None
        try:
            meta = dict(execute(_META, {}))
            if meta.get(SCHEMA_KEY) == str(SCHEMA_VERSION) and REPROJECTED_TO not in meta:
                from gdb_epi.fleet.population.cache import (
                    cached_population,
                    population_folder,
                    state_identity_of_database,
                )

                state = state_identity_of_database(execute, str(path))
                if state is not None:
                    population = cached_population(population_folder(state, cache_folder()), state)
        except EpiError:
            pass  # what is wrong with it is said by `open_database`
        if population is None:
            yield None
        else:
            whole = population
            yield OpenDatabase(
                execute, lambda day=None: whole if day is None else whole.until_day(day)
            )
