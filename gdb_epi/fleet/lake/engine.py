# SPDX-License-Identifier: Apache-2.0
"""A lake as a database: DuckDB with the tables of `store/tables.py` as views of Parquet files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Boolean, Engine, Float, LargeBinary, Table, Text, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import QueuePool

from gdb_epi.errors import EpiError
from gdb_epi.fleet.lake.manifest import MANIFEST, Manifest, read_manifest
from gdb_epi.fleet.paths import COLUMNAR
from gdb_epi.fleet.population.cache import LAKE_STATE, state_identity_of_lake
from gdb_epi.fleet.require_extra import require_extra
from gdb_epi.fleet.store.schema_version import SCHEMA_VERSION
from gdb_epi.fleet.store.tables import HOST_ATTR_VIEW, metadata


def open_lake_engine(url: URL) -> Engine:
    """Open the lake of a URL (`store/database.py`) for reading.

    Whoever takes a connection after an export has the views, and the name, of its state: a server
    goes on for weeks. Raises InputError where there is none, EpiError.
    """
    require_extra("lake", ("duckdb", "duckdb_engine", "pyarrow"))
    folder = Path(url.database or "")
    _read_manifest_of_this_schema(folder)
    import duckdb

    engine = create_engine(f"{COLUMNAR}:///:memory:", poolclass=QueuePool)
    engine.url = url  # by which questions and errors name it

    def make_views(connection: Any, record: Any) -> None:
        # Of each connection: a database in memory is its own.
        record.info[MANIFEST] = _manifest_identity(folder)
        manifest = _read_manifest_of_this_schema(folder)
        record.info[LAKE_STATE] = state_identity_of_lake(manifest)
        with suppress(duckdb.Error):  # not every version has it
            connection.execute("SET parquet_metadata_cache = true")
        for statement in _view_statements(folder, manifest):
            connection.execute(statement)

    def reconnect_if_lake_changed(_connection: Any, record: Any, _proxy: Any) -> None:
        if record.info[MANIFEST] != _manifest_identity(folder):
            raise DisconnectionError  # the pool makes another one

    event.listen(engine, "connect", make_views)
    event.listen(engine, "checkout", reconnect_if_lake_changed)
    return engine


def _read_manifest_of_this_schema(folder: Path) -> Manifest:
    manifest = read_manifest(folder)
    if manifest.schema != SCHEMA_VERSION:
        problem = f"the lake {folder} has schema {manifest.schema}, this gdb-epi {SCHEMA_VERSION}"
        older = manifest.schema < SCHEMA_VERSION
        hint = "gdb-epi fleet export into it again" if older else "upgrade gdb-epi"
        raise EpiError(problem, hint=hint)
    return manifest


def _manifest_identity(folder: Path) -> tuple[int, int, int] | None:
    """Return what tells whether the file is another one: each export replaces it."""
    try:
        status = (folder / MANIFEST).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _view_statements(folder: Path, manifest: Manifest) -> list[str]:
    statements = []
    for table in metadata.sorted_tables:
        files = manifest.tables.get(table.name, {})
        names = ", ".join(_quote_sql_string(str(folder / file.name)) for file in files.values())
        if names:
            read = f"read_parquet([{names}], hive_partitioning = false)"
            statements.append(f"CREATE VIEW {table.name} AS SELECT * FROM {read}")
        else:  # of no row, or left out
            columns = ", ".join(f'"{c.name}" {_sql_type(table, c.name)}' for c in table.columns)
            statements.append(f"CREATE TABLE {table.name} ({columns})")
    return [*statements, str(HOST_ATTR_VIEW.statement)]


def _sql_type(table: Table, name: str) -> str:
    kind = table.columns[name].type
    names = ((Boolean, "BOOLEAN"), (Float, "DOUBLE"), (Text, "VARCHAR"), (LargeBinary, "BLOB"))
    return next((name for of, name in names if isinstance(kind, of)), "BIGINT")


def _quote_sql_string(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
