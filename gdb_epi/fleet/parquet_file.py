# SPDX-License-Identifier: Apache-2.0
"""Rows as a Parquet file, by pyarrow (extra `parquet`); read by DuckDB, ClickHouse, pandas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from itertools import islice
from pathlib import Path
from typing import Any

from gdb_epi.errors import EpiError
from gdb_epi.fleet.columns import COLUMNS, FLAG, INTEGER, MAP, REAL, TEXT, TIME, otel_attribute

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ModuleNotFoundError as problem:
    if (problem.name or "").partition(".")[0] != "pyarrow":
        raise
    raise EpiError(
        "pyarrow is not installed here", hint="pip install 'gdb-epi[parquet]'"
    ) from problem

ROWS = 10_000  # in one row group
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_TYPES = {
    TEXT: pa.string(),
    INTEGER: pa.int64(),
    REAL: pa.float64(),
    FLAG: pa.bool_(),
    TIME: pa.timestamp("us", tz="UTC"),
    MAP: pa.map_(pa.string(), pa.string()),
}


def write_parquet(rows: Iterable[Mapping[str, Any]], path: Path, *, otel: bool) -> int:
    """Write the rows and return how many; `otel` gives columns the names of OpenTelemetry."""
    names = [column.otel if otel else column.name for column in COLUMNS]
    schema = pa.schema(
        [pa.field(n, _TYPES[c.type]) for n, c in zip(names, COLUMNS, strict=True)],
        metadata={"gdb_epi.schema": "gdb-epi/record/1"},
    )
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for part in _parts(rows):
            columns = [
                pa.array([_cell(row[c.name], c.type, otel) for row in part], _TYPES[c.type])
                for c in COLUMNS
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
            count += len(part)
    return count


def _parts(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    stream = iter(rows)
    while part := list(islice(stream, ROWS)):
        yield part


def _cell(value: Any, kind: str, otel: bool) -> Any:
    if kind == TIME:
        return _moment(value)
    if kind == MAP:
        return [(otel_attribute(k) if otel else k, v) for k, v in sorted(value.items())]
    return value


def _moment(seconds: float | None) -> datetime | None:
    """A clock that is off by more than the calendar has years gives no time."""
    try:
        return None if seconds is None else _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return None
