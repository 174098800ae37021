# SPDX-License-Identifier: Apache-2.0
"""Open the fleet database: SQLite by default, PostgreSQL by URL; the same tables for both.

SQLAlchemy costs about 150 ms to import, so only the functions that need a database load this
module.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gdb_epi.errors import EXIT_USAGE, EpiError, InputError
from gdb_epi.fleet.paths import LAKE_PREFIX, default_database, hide_password, is_url
from gdb_epi.suggestions import install_command

try:
    from sqlalchemy import Connection, Engine, create_engine, event, inspect, select, text
    from sqlalchemy.engine import URL, make_url
    from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
except ModuleNotFoundError as problem:
    if problem.name != "sqlalchemy":
        raise
    raise EpiError(
        "SQLAlchemy is not installed here", hint=f"{install_command('fleet')}, or --no-db"
    ) from problem

from gdb_epi.fleet.lake.manifest import lake_folder
from gdb_epi.fleet.store.plain_sql import readable_uri
from gdb_epi.fleet.store.schema_version import (
    DROPPED,
    PROJECTED,
    REPROJECTED_TO,
    SCHEMA_KEY,
    SCHEMA_VERSION,
)
from gdb_epi.fleet.store.tables import meta, metadata
from gdb_epi.fleet.store.transactions import begin_write
from gdb_epi.private_files import make_private_file, make_private_folder

LAKE = LAKE_PREFIX.removesuffix(":")  # in place of a driver in the URL of a lake
BUSY_SECONDS = 10.0  # how long a writer waits for another one
_LOCK_KEY = 0x67646265  # pg_advisory_xact_lock number of migrate(): "gdbe"


class DatabaseError(EpiError):
    """The database could not be used; `hint` says what to try."""


class DatabaseUrlError(DatabaseError):
    """The --db argument is no usable database URL."""

    exit_code = EXIT_USAGE
    hint = "--db FILE, --db sqlite:////path/fleet.sqlite3 or --db postgresql://host/name"


class NewerSchema(DatabaseError):
    """The database was written by a newer gdb-epi."""

    hint = "upgrade gdb-epi, or --db with another database"


def database_url(given: str | None) -> URL:
    """Return the URL for a --db argument: a URL, a file path, or None for the default."""
    if given is None:
        return URL.create("sqlite", database=str(default_database()))
    if (folder := lake_folder(given)) is not None:
        return URL.create(LAKE, database=str(folder))
    if given.strip() and not is_url(given):
        return URL.create("sqlite", database=str(Path(given).expanduser().absolute()))
    if "://" not in given:
        raise DatabaseUrlError(f"not a database URL: {hide_password(given)!r}")
    try:
        url = make_url(given)
    except (ArgumentError, ValueError) as error:  # ValueError: a port that is no number
        raise DatabaseUrlError(f"not a database URL: {hide_password(given)!r}") from error
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise DatabaseUrlError(f"no database of the kind {url.get_backend_name()!r}")
    if url.get_backend_name() == "postgresql":
        if "@" in f"{url.host}{url.database}":  # then part of a password was taken for the host
            problem = f"not a database URL: {hide_password(given)!r}"
            raise DatabaseUrlError(problem, hint="%40 for an @ of a name or password")
        return url.set(drivername="postgresql+psycopg")  # whose COPY `insert_crashes` needs
    return url


def shown_url(url: URL) -> str:
    """Return a URL without its password, in the form in which a user may give it."""
    if url.drivername == LAKE:
        return f"{LAKE_PREFIX}{url.database}"
    return hide_password(url.render_as_string(hide_password=True))


@contextmanager
def open_database(
    given: str | None, *, write: bool, create: bool | None = None
) -> Iterator[Engine]:
    """Open the database, migrated when `write`, and close it at the end.

    A missing database is created if `create` says so, by default if `write` does. Pass False where
    the work needs records (a screening with a mistyped --db would find nothing, every day).
    Every database error inside becomes a DatabaseError with a hint; other system errors (a full
    disk where the answer goes) are left to the caller. Raises InputError without a database.
    """
    url = database_url(given)
    shown = shown_url(url)
    engine = None
    try:
        if url.drivername == LAKE:
            engine = _lake_engine(url, shown, write=write)
        else:
            _check_file(url, shown, create=write if create is None else create)
            engine = _make_engine(url) if write else _reading_engine(url)
        if write:
            migrate(engine)
        else:
            _check_version(engine, shown)
        yield engine
    except NoSuchModuleError as error:
        raise DatabaseUrlError(f"no database driver for {shown}") from error
    except ModuleNotFoundError as error:
        hint = install_command("postgresql")
        raise DatabaseError(f"database driver {error.name} is missing", hint=hint) from error
    except SQLAlchemyError as error:
        raise explain_database_error(error, shown) from error
    finally:
        if engine is not None:
            engine.dispose()


def migrate(engine: Engine) -> None:
    """Bring the tables to SCHEMA_VERSION. Raises NewerSchema for a newer database."""
    shown = shown_url(engine.url)
    # Reading first keeps a writer that has nothing to migrate from queueing for the lock.
    with engine.connect() as connection:
        is_current = _schema_version(connection, shown) == SCHEMA_VERSION
        resume_after = _unfinished_reprojection(connection) if is_current else None
    if not is_current:
        resume_after = _create_or_upgrade_tables(engine, shown)
    if resume_after is not None:
        from gdb_epi.fleet.store.reproject import reproject_raw_records

        reproject_raw_records(engine, [], resume_after)


def _create_or_upgrade_tables(engine: Engine, shown: str) -> int | None:
    """Create or upgrade the tables; return the id of the raw record from which to reproject."""
    with begin_write(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK_KEY})"))
        version = _schema_version(connection, shown)
        if version is None:
            from gdb_epi.fleet.migrations import stamp_new

            metadata.create_all(connection)
            rows = {SCHEMA_KEY: str(SCHEMA_VERSION), DROPPED: "0"}
            connection.execute(
                meta.insert(), [{"key": key, "value": value} for key, value in rows.items()]
            )
            stamp_new(connection)
        elif version < SCHEMA_VERSION:
            from gdb_epi.fleet.migrations import upgrade

            upgrade(connection)
            if version < PROJECTED:
                # In the transaction of the tables: if this process is killed, the next one goes on.
                connection.execute(meta.delete().where(meta.c.key == REPROJECTED_TO))
                connection.execute(meta.insert().values(key=REPROJECTED_TO, value="0"))
        return _unfinished_reprojection(connection) if version is not None else None


def _unfinished_reprojection(connection: Connection) -> int | None:
    """Return how far the reprojection of an unfinished migration got; None without one."""
    value = connection.execute(select(meta.c.value).where(meta.c.key == REPROJECTED_TO)).scalar()
    return None if value is None else int(value) if str(value).isdigit() else 0


def explain_database_error(error: Exception, shown: str) -> DatabaseError:
    """Return a DatabaseError whose hint fits the cause."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    detail = " ".join(str(cause).split())
    low = detail.lower()
    for sign, hint in _HINTS:
        if sign in low:
            return DatabaseError(f"database {shown}: {detail}", hint=hint)
    return DatabaseError(f"database {shown}: {detail}", hint="gdb-epi doctor, or --no-db")


_HINTS = (
    ("locked", "again when the other writer is done (gdb-epi fleet ingest takes the spool)"),
    ("readonly", "make the file and its folder writable, or --db with another file"),
    ("read-only", "make the file and its folder writable, or --db with another file"),
    ("permission denied", "check the permissions, or --db with another database"),
    ("full", "free some space, or --db with a file on another disk"),
    ("no space", "free some space, or --db with a file on another disk"),
    ("disk i/o", "check space and quota, or --db with a file on another disk"),
    ("unable to open", "check that the folder exists and is writable, or --db with another file"),
    ("not a database", "--db with another file: this one is no SQLite database"),
    ("malformed", "sqlite3 FILE .recover, or --db with another file"),
    ("does not exist", "create the database first (createdb), or check its name"),
    ("password", "check user and password in the URL"),
    ("connect", "check host, port and that the server runs"),
)


def refuse_lake(given: str | None, because: str) -> None:
    """Raise DatabaseError for a lake, where it lacks what the command needs of a database."""
    url = database_url(given)
    if url.drivername == LAKE:
        hint = "--db with the database that it was exported from"
        raise DatabaseError(f"{shown_url(url)} {because}", hint=hint)


def _lake_engine(url: URL, shown: str, *, write: bool) -> Engine:
    """Open a folder of Parquet files."""
    from gdb_epi.fleet.lake.engine import open_lake_engine

    if write:
        hint = "--db with the database that it was exported from, then export it again"
        raise DatabaseError(f"{shown} is read-only", hint=hint)
    return open_lake_engine(url)


def _make_engine(url: URL) -> Engine:
    is_sqlite = url.get_backend_name() == "sqlite"
    connect_args = {"timeout": BUSY_SECONDS} if is_sqlite and "timeout" not in url.query else {}
    try:
        engine = create_engine(url, connect_args=connect_args, pool_pre_ping=not is_sqlite)
    except (ValueError, TypeError) as error:  # an option with a value that it cannot have
        raise DatabaseUrlError(f"not a database URL: {shown_url(url)}: {error}") from error
    if not is_sqlite:
        return engine
    event.listen(engine, "connect", _configure_sqlite)
    return engine


def _reading_engine(url: URL) -> Engine:
    """Open for reading, also an SQLite file that this user cannot write."""
    name = url.database or ""
    is_file = url.get_backend_name() == "sqlite" and not name.startswith("file:") and not url.query
    path = Path(name)
    if not is_file or not path.is_file():
        return _make_engine(url)
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return _make_engine(url)
    uri = readable_uri(path)
    return create_engine(
        url,
        creator=lambda: sqlite3.connect(
            uri, uri=True, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None
        ),
    )


# Keys of crashes are random: an index that does not fit the cache is read and written everywhere.
_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    "cache_size = -65536",
    # Pages, 64 MB. By default each batch of a thousand records would copy the log into the file.
    "wal_autocheckpoint = 16384",
)


def _configure_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    # None: the driver must not begin transactions on its own; begin() does.
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        try:
            connection.execute(f"PRAGMA {pragma}")
        except sqlite3.OperationalError as error:
            # A read-only or busy database can still be read without WAL.
            if not any(sign in str(error) for sign in ("readonly", "locked", "unable to open")):
                raise


def _check_file(url: URL, shown: str, *, create: bool) -> None:
    """Make the default folder for a new SQLite file; without `create` the file must exist already.

    Any other folder must be there: a path with a typo is no wish for folders and a new database.
    """
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return
    path = Path(url.database)
    is_plain_file = not url.database.startswith("file:")  # SQLite's own URLs say more
    try:
        if create and path == default_database():
            make_private_folder(path.parent)
        elif create and is_plain_file and not path.parent.is_dir():
            hint = f"mkdir -p {shlex.quote(str(path.parent))}"
            raise DatabaseError(f"no such folder: {path.parent}", hint=hint)
        is_there = create or path.exists()
    except OSError as error:
        raise explain_database_error(error, shown) from error
    if create and is_plain_file:
        with suppress(OSError):  # SQLite says what is wrong
            make_private_file(path)
    if not is_there:
        raise InputError(f"no fleet database at {path}", hint="gdb-epi triage CORE, or --db URL")


def _check_version(engine: Engine, shown: str) -> None:
    with engine.connect() as connection:
        version = _schema_version(connection, shown)
        if version is not None and version < SCHEMA_VERSION:
            problem = f"database {shown} has schema {version}, this gdb-epi reads {SCHEMA_VERSION}"
            raise DatabaseError(problem, hint="gdb-epi fleet reproject, which migrates it")
        if version is not None and _unfinished_reprojection(connection) is not None:
            problem = f"the migration of database {shown} has not ended"
            raise DatabaseError(
                problem, hint="wait for it; if it was killed: gdb-epi fleet reproject"
            )
        if version is None:
            hint = "gdb-epi triage CORE, or gdb-epi fleet ingest FILE"
            raise InputError(f"database {shown} holds no fleet yet", hint=hint)


def _schema_version(connection: Connection, shown: str) -> int | None:
    """Return the schema version; None for a database without tables of ours."""
    if not inspect(connection).has_table(meta.name):
        return None
    chosen = select(meta.c.value).where(meta.c.key == SCHEMA_KEY)
    value = connection.execute(chosen).scalar()
    if value is None or not str(value).isdigit():
        raise DatabaseError(f"database {shown} is not of gdb-epi", hint="--db with another one")
    if int(value) > SCHEMA_VERSION:
        problem = f"database {shown} has schema {value}; this gdb-epi knows up to {SCHEMA_VERSION}"
        raise NewerSchema(problem)
    return int(value)
