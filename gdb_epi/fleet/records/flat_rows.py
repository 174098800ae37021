# SPDX-License-Identifier: Apache-2.0
"""A stored record as one flat row, and such rows as a Parquet file (DuckDB, ClickHouse, pandas).

Each column has a name of OpenTelemetry's semantic conventions beside our own, where there is one;
what they do not name is below `gdb_epi.`. There is no convention for crash events (semconv 1.3x).
Parquet is written by pyarrow (extra `parquet`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from gdb_epi.errors import EpiError, InputError
from gdb_epi.fleet.records.projection import project_record, read_verdict_model
from gdb_epi.fleet.records.values import int32_or_none, text_or_none
from gdb_epi.private_files import make_private_file
from gdb_epi.record.record_parts import get_group
from gdb_epi.suggestions import install_command

MAX_STACK = 64  # frames
TEXT, INTEGER, REAL, FLAG, TIME, MAP = "text", "integer", "real", "flag", "time", "map"


class FlatRowColumn(NamedTuple):
    """One column: our name, OpenTelemetry's, its type."""

    name: str
    otel: str
    type: str


COLUMNS = (
    FlatRowColumn("core_key", "log.record.uid", TEXT),
    FlatRowColumn("time", "timestamp", TIME),  # seconds since the epoch; UTC in tables
    FlatRowColumn("time_source", "gdb_epi.time.source", TEXT),
    FlatRowColumn("host", "host.name", TEXT),
    FlatRowColumn("machine_id", "host.id", TEXT),
    FlatRowColumn("boot_id", "gdb_epi.host.boot_id", TEXT),
    FlatRowColumn("cpu", "cpu.logical_number", INTEGER),
    FlatRowColumn("kernel", "os.version", TEXT),
    FlatRowColumn("service", "service.name", TEXT),
    FlatRowColumn("pid", "process.pid", INTEGER),
    FlatRowColumn("parent_pid", "process.parent_pid", INTEGER),
    FlatRowColumn("executable", "process.executable.path", TEXT),
    FlatRowColumn("build_id", "process.executable.build_id.gnu", TEXT),
    FlatRowColumn("python", "process.runtime.version", TEXT),
    FlatRowColumn("thread_id", "thread.id", INTEGER),
    FlatRowColumn("thread", "thread.name", TEXT),
    FlatRowColumn("signal", "gdb_epi.signal.number", INTEGER),
    FlatRowColumn("si_code", "gdb_epi.signal.code", INTEGER),
    FlatRowColumn("exception", "exception.type", TEXT),
    FlatRowColumn("stack", "exception.stacktrace", TEXT),
    FlatRowColumn("category", "gdb_epi.signature.category", TEXT),
    FlatRowColumn("signature", "gdb_epi.signature.text", TEXT),
    FlatRowColumn("signature_kind", "gdb_epi.signature.kind", TEXT),
    FlatRowColumn("signature_key", "gdb_epi.signature.key", TEXT),
    FlatRowColumn("coarse_key", "gdb_epi.signature.coarse", TEXT),
    FlatRowColumn("verdict", "gdb_epi.verdict.label", TEXT),
    FlatRowColumn("confidence", "gdb_epi.verdict.confidence", REAL),
    FlatRowColumn("verdict_model", "gdb_epi.verdict.model", INTEGER),
    FlatRowColumn("bitflip", "gdb_epi.flags.bitflip", FLAG),
    FlatRowColumn("flip_bit", "gdb_epi.flags.flip_bit", INTEGER),
    FlatRowColumn("lock_inherited", "gdb_epi.flags.lock_inherited", FLAG),
    FlatRowColumn("truncated", "gdb_epi.truncated", FLAG),
    FlatRowColumn("quality", "gdb_epi.quality", REAL),
    FlatRowColumn("schema", "gdb_epi.schema", TEXT),
    FlatRowColumn("tool", "gdb_epi.tool", TEXT),
    FlatRowColumn("attributes", "gdb_epi.attributes", MAP),
)

# Attributes of hosts that the conventions name; any other is `gdb_epi.host.NAME`.
OTEL_ATTRIBUTES = {
    "image": "container.image.name",
    "container": "container.id",
    "pod": "k8s.pod.name",
    "node": "k8s.node.name",
    "namespace": "k8s.namespace.name",
    "cluster": "k8s.cluster.name",
    "zone": "cloud.availability_zone",
    "region": "cloud.region",
    "instance_type": "host.type",
    "cpu_model": "host.cpu.model.name",
    "bios": "hw.bios_version",
    "kernel": "os.version",
    "service": "service.name",
}


def flat_row(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a record, a value (or None) for each column. Raises InputError."""
    rows = project_record(record)
    process, threads = get_group(record, "process"), get_group(record, "threads")
    crashed = get_group(threads, "crashed")
    _, kind, key, coarse = rows.sig or ("", "", "", "")
    name, machine = rows.host or ("", "")
    crash, judged = rows.crash_columns, get_group(record, "verdict")
    return {
        "core_key": rows.core_key,
        # As it was claimed; `time_source` says by whom.
        "time": crash["ts"] if crash["ts_claimed"] is None else crash["ts_claimed"],
        "time_source": crash["ts_source"],
        "host": name or None,
        "machine_id": machine or None,
        "boot_id": crash["boot_id"],
        "cpu": crash["cpu_no"],
        "kernel": crash["kernel"],
        "service": text_or_none(process.get("script")) or text_or_none(process.get("comm")),
        "pid": int32_or_none(process.get("pid")),
        "parent_pid": int32_or_none(process.get("ppid")),
        "executable": crash["exe"],
        "build_id": text_or_none(process.get("build_id")),
        "python": crash["python"],
        "thread_id": int32_or_none(crashed.get("tid")),
        "thread": text_or_none(crashed.get("name")),
        "signal": crash["signo"],
        "si_code": crash["si_code"],
        # The Python exception in flight, else the signal, which is what ended the process.
        "exception": text_or_none(get_group(record, "exception").get("type"))
        or text_or_none(get_group(record, "signal").get("name")),
        "stack": _stack_text(crashed),
        "category": rows.sig_values.get("category"),
        "signature": rows.sig_values.get("text"),
        "signature_kind": kind or None,
        "signature_key": key or None,
        "coarse_key": coarse or None,
        "verdict": text_or_none(judged.get("label")),
        "confidence": crash["confidence"],
        "verdict_model": read_verdict_model(judged) if text_or_none(judged.get("label")) else None,
        "bitflip": crash["bitflip"],
        "flip_bit": crash["flip_bit"],
        "lock_inherited": crash["lock_inherited"],
        "truncated": crash["truncated"],
        "quality": crash["quality"],
        "schema": crash["schema_v"],
        "tool": crash["tool_v"],
        "attributes": dict(rows.attributes),
    }  # fmt: skip


def make_flat_rows(records: Iterator[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the row of each record; one that is none (written by something else) is left out."""
    for record in records:
        try:
            yield flat_row(record)
        except InputError:
            continue


def to_otel_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row under OpenTelemetry's names, without absent values; attributes stand beside."""
    named = {c.otel: row[c.name] for c in COLUMNS if c.type != MAP and row[c.name] is not None}
    if row["python"]:
        named["process.runtime.name"] = "cpython"
    for attr, value in row["attributes"].items():
        # What the core itself says stands before what its host was said to have.
        named.setdefault(otel_attribute(attr), value)
    return named


def otel_attribute(name: str) -> str:
    """Return OpenTelemetry's name of an attribute of a host."""
    return OTEL_ATTRIBUTES.get(name, f"gdb_epi.host.{name}")


def _stack_text(crashed: Mapping[str, Any]) -> str | None:
    """Return the crashed thread's stack, a frame a line."""
    frames = crashed.get("frames")
    lines = []
    for frame in frames[:MAX_STACK] if isinstance(frames, list) else ():
        if not isinstance(frame, dict):
            continue
        names = (text_or_none(frame.get(key)) for key in ("qualname", "function", "name"))
        name = next(filter(None, names), "??")
        file = text_or_none(frame.get("filename")) or text_or_none(frame.get("module")) or "?"
        line = frame.get("lineno")
        lines.append(f"{name} ({file}:{line})" if isinstance(line, int) else f"{name} ({file})")
    return text_or_none("\n".join(lines)) if lines else None


ROWS = 10_000  # in one row group
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def write_parquet(rows: Iterable[Mapping[str, Any]], path: Path, *, otel: bool) -> int:
    """Write the rows and return how many; `otel` gives columns the names of OpenTelemetry.

    Raises EpiError where pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] != "pyarrow":
            raise
        raise EpiError(
            "pyarrow is not installed here", hint=install_command("parquet")
        ) from problem
    types = {
        TEXT: pa.string(),
        INTEGER: pa.int64(),
        REAL: pa.float64(),
        FLAG: pa.bool_(),
        TIME: pa.timestamp("us", tz="UTC"),
        MAP: pa.map_(pa.string(), pa.string()),
    }
    schema = pa.schema(
        [pa.field(column.otel if otel else column.name, types[column.type]) for column in COLUMNS],
        metadata={"gdb_epi.schema": "gdb-epi/record/1"},
    )
    count = 0
    stream = iter(rows)
    make_private_file(path)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        while part := list(islice(stream, ROWS)):
            columns = [
                pa.array([_parquet_cell(row[c.name], c.type, otel) for row in part], types[c.type])
                for c in COLUMNS
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
            count += len(part)
    return count


def _parquet_cell(value: Any, kind: str, otel: bool) -> Any:
    if kind == MAP:
        return [(otel_attribute(k) if otel else k, v) for k, v in sorted(value.items())]
    if kind == TIME and value is not None:
        try:
            return _EPOCH + timedelta(seconds=value)
        except OverflowError:  # a clock that is off by more than the calendar has years
            return None
    return value
