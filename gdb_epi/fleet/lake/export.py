# SPDX-License-Identifier: Apache-2.0
"""Bring a lake to the state of a database: days that changed are written anew, the others stay.

Which days changed is asked of the database in one pass: how many rows each has, and the sum of a
hash of each row. So an analysis that was replaced, a host that was forgotten and a day that was
pruned are seen like new crashes, whoever changed them.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlalchemy import Boolean, Column, Connection, Engine, Float, Table, Text

from gdb_epi.errors import EpiError, InputError
from gdb_epi.fleet.lake.manifest import (
    DAY_EXPRESSIONS,
    MANIFEST,
    PREPARED,
    TABLE_LEFT_OUT,
    Manifest,
    ParquetFile,
    partition_name,
    read_manifest,
    write_manifest,
)
from gdb_epi.fleet.population.cache import population_folder, state_identity_of_lake
from gdb_epi.fleet.require_extra import require_extra
from gdb_epi.fleet.store.database import shown_url
from gdb_epi.fleet.store.schema_version import SCHEMA_VERSION
from gdb_epi.fleet.store.tables import metadata
from gdb_epi.private_files import make_private_file, make_private_folder, private_opener
from gdb_epi.typing_lite import NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 50_000  # fetched at a time
ROW_GROUP = 500_000
LOCK = ".lock"
_HASH = {
    "sqlite": "row_hash({0})",
    "postgresql": "CAST(CAST(('x' || substr(md5({0}), 1, 8)) AS bit(32)) AS bigint)",
}


class ExportSummary(NamedTuple):
    """What an export did: days (and tables) by what became of their files."""

    crashes: int
    written: int
    unchanged: int
    removed: int


def export_lake(engine: Engine, folder: Path) -> ExportSummary:
    """Write what changed since the last export into `folder`.

    Raises InputError for a folder of something else, or of a lake of another database.
    """
    require_extra("lake", ("pyarrow",))
    database = shown_url(engine.url)
    with lock_folder(folder):
        before = _manifest_before(folder, database)
        with _consistent_snapshot(engine) as connection:
            tables, written = _write_tables(connection, folder, before)
        after = Manifest(SCHEMA_VERSION, database, tables)
        _remove_outdated_precomputed_answers(folder / PREPARED, after)
        write_manifest(folder, after)
        gone = before.file_names() - after.file_names()
        # Delete what is not of this state: an older one, or what a killed export left.
        kept = after.file_names()
        for table in metadata.tables:
            for path in sorted((folder / table).rglob("*.parquet")):
                if str(path.relative_to(folder)) not in kept:
                    path.unlink(missing_ok=True)
            for path in sorted((folder / table).glob("date=*")):
                if path.is_dir() and not any(path.iterdir()):
                    path.rmdir()
        crashes = sum(file.rows for file in tables["crash"].values())
        return ExportSummary(crashes, written, len(after.file_names()) - written, len(gone))


def _manifest_before(folder: Path, database: str) -> Manifest:
    if not (folder / MANIFEST).exists():
        if any(name != LOCK for name in os.listdir(folder)):
            raise InputError(f"{folder} is no lake, and not empty", hint="--output NEW-FOLDER")
        return Manifest(SCHEMA_VERSION, database, {})
    before = read_manifest(folder)
    if before.database != database:
        problem = f"{folder} is a lake of {before.database}, not of {database}"
        raise InputError(problem, hint="a folder for each database: --output NEW-FOLDER")
    # Other columns: nothing of it fits.
    return before if before.schema == SCHEMA_VERSION else before._replace(tables={})


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keep other exports out of the folder. Raises InputError, and EpiError where there is one."""
    try:
        make_private_folder(folder)
        handle = private_opener(str(folder / LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}", hint="--output FOLDER") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise EpiError(f"another export writes {folder}", hint="again when it is done") from error
    finally:
        os.close(handle)


@contextmanager
def _consistent_snapshot(engine: Engine) -> Iterator[Connection]:
    """Let all statements read one state of the database."""
    with engine.connect() as connection:
        if connection.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        else:
            driver: Any = connection.connection.driver_connection
            driver.create_function("row_hash", 1, lambda text: zlib.crc32(text.encode()))
            connection.exec_driver_sql("BEGIN")
        yield connection
        connection.rollback()


def _write_tables(
    connection: Connection, folder: Path, before: Manifest
) -> tuple[dict[str, dict[str, ParquetFile]], int]:
    """Write the files that are new; return all of the tables, and how many were written."""
    tables: dict[str, dict[str, ParquetFile]] = {}
    written = 0
    for table in metadata.sorted_tables:
        if table.name == TABLE_LEFT_OUT:
            continue
        old = before.tables.get(table.name, {})
        files: dict[str, ParquetFile] = {}
        for part, (state, where) in _partition_states(connection, table).items():
            kept = old.get(part)
            if kept is None or kept.state != state or not (folder / kept.name).is_file():
                kept = _write_parquet(connection, table, where, folder / table.name / part, state)
                kept = kept._replace(name=str(Path(table.name, part, kept.name)))
                written += 1
            files[part] = kept
        tables[table.name] = files
    return tables, written


def _partition_states(connection: Connection, table: Table) -> dict[str, tuple[str, str]]:
    """Return partition -> what changes with its rows, and the condition that selects these."""
    day = DAY_EXPRESSIONS.get(table.name, "0")
    texts = " || '|' || ".join(f"coalesce(CAST({c.name} AS TEXT), '~')" for c in table.columns)
    hashed = _HASH[connection.dialect.name].format(texts)
    rows = connection.exec_driver_sql(
        f"SELECT day_of_row, count(*), sum(row_state) FROM "
        f"(SELECT {day} AS day_of_row, {hashed} AS row_state FROM {table.name}) AS states "
        "GROUP BY day_of_row ORDER BY day_of_row"
    ).all()
    if table.name not in DAY_EXPRESSIONS:
        state = ",".join(f"{count}-{total}" for _, count, total in rows)
        return {"": (state, "1 = 1")}
    states: dict[str, tuple[str, str]] = {}
    for number, count, total in rows:
        part = partition_name(number)
        condition = (
            f"{day} IS NULL" if number is None else _sql_condition_of_day(table.name, number)
        )
        state, others = states.get(part, ("", ""))
        # Several days may share a folder: those without a date of the calendar.
        states[part] = (
            f"{state}{',' if state else ''}{count}-{total}",
            f"{others}{' OR ' if others else ''}{condition}",
        )
    return states


def _sql_condition_of_day(table: str, day: int) -> str:
    """Return the condition of a day as an index can answer it."""
    if table == "crash":
        return f"ts >= {day * 86400} AND ts < {(day + 1) * 86400}"
    return f"day = {day}"


def _write_parquet(
    connection: Connection, table: Table, where: str, folder: Path, state: str
) -> ParquetFile:
    """Write the rows under a condition, in the order of their key, as a file of a new name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([pa.field(column.name, _arrow_type(column)) for column in table.columns])
    columns = ", ".join(column.name for column in table.columns)
    keys = ", ".join(column.name for column in table.primary_key.columns)
    cursor = connection.exec_driver_sql(
        f"SELECT {columns} FROM {table.name} WHERE {where} ORDER BY {keys}"
    ).cursor
    make_private_folder(folder)
    name = f"{uuid4().hex}.parquet"
    draft = folder / f".{name}"  # Spark reads no hidden files
    make_private_file(draft)
    count = 0
    with pq.ParquetWriter(draft, schema, compression="zstd") as writer:
        parts: list[pa.RecordBatch] = []
        while cursor is not None and (rows := cursor.fetchmany(ROWS)):
            parts.append(_arrow_batch(rows, schema))
            count += len(rows)
            if len(parts) * ROWS >= ROW_GROUP:
                writer.write_table(pa.Table.from_batches(parts, schema))
                parts = []
        if parts or not count:
            writer.write_table(pa.Table.from_batches(parts, schema))
    draft.rename(folder / name)
    return ParquetFile(name, state, count)


def _arrow_type(column: Column[Any]) -> Any:
    import pyarrow as pa

    if isinstance(column.type, Boolean):
        return pa.bool_()
    if isinstance(column.type, Float):
        return pa.float64()
    if isinstance(column.type, Text):
        return pa.string()
    return pa.int64()


def _arrow_batch(rows: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    arrays = []
    for values, field in zip(zip(*rows, strict=True), schema, strict=True):
        if field.type == pa.bool_():  # SQLite's truth values are numbers
            values = tuple(None if value is None else bool(value) for value in values)
        arrays.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _remove_outdated_precomputed_answers(prepared: Path, manifest: Manifest) -> None:
    """Delete what was prepared of other states: it has columns of crashes that were forgotten."""
    current = population_folder(state_identity_of_lake(manifest), prepared)
    try:
        for path in list(prepared.iterdir()) if prepared.is_dir() else []:
            if path != current:
                # Under another name no question can add an answer to it meanwhile.
                gone = path.rename(prepared / f".{uuid4().hex}")
                shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    except OSError as error:
        problem = f"{prepared} has older crashes, and cannot be deleted: {error.strerror or error}"
        raise EpiError(problem, hint="delete it, and export again") from error
