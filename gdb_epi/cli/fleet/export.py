# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet export`: the stored records as JSON lines or Parquet."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from gdb_epi.cli.fleet.output import add_database, say_lost
from gdb_epi.errors import EXIT_DONE, UsageError
from gdb_epi.private_files import private_opener

if TYPE_CHECKING:
    from sqlalchemy import Engine

GROUP = "Data"
HELP = "all stored records as JSON lines or Parquet (DuckDB, ClickHouse, pandas)"
EPILOG = (
    "JSON lines are the whole records (`fleet ingest` takes them back); Parquet has one flat row a "
    "core. --otel gives flat rows under the names of OpenTelemetry: host.name, process.pid, "
    "exception.type, service.name ...; what it does not name is below gdb_epi."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_database(parser)
    parser.add_argument("--output", metavar="FILE", help="a file instead of standard output")
    parser.add_argument("--format", choices=("jsonl", "parquet"), default="jsonl", help="jsonl")
    parser.add_argument("--otel", action="store_true", help="flat rows, OpenTelemetry's names")


def run(args: Namespace) -> int:
    """Write a record a line or row, in the order of their arrival."""
    from gdb_epi.fleet.store.db import open_database

    if args.format == "parquet":
        return _parquet(args)
    lost: list[int] = []
    lines: Iterator[str]
    with open_database(args.db, write=False) as engine:
        if args.otel:
            from gdb_epi.fleet.store.flat_rows import as_otel, rows_of

            rows = rows_of(_records(engine, lost))
            lines = (json.dumps(as_otel(row), sort_keys=True) for row in rows)
        else:
            from gdb_epi.fleet.store.reproject import record_lines

            lines = record_lines(engine, lost)
        if args.output is None:
            _write(sys.stdout, lines)
        else:
            with open(args.output, "w", encoding="ascii", opener=private_opener) as stream:
                _write(stream, lines)
    say_lost(lost)
    return EXIT_DONE


def _parquet(args: Namespace) -> int:
    """Write the file and say how many rows it has."""
    from gdb_epi.fleet.store.db import open_database

    if args.output is None:
        raise UsageError("Parquet needs a file", hint="--format parquet --output cores.parquet")
    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.store.flat_rows import rows_of, write_parquet
        from gdb_epi.util import counted

        lost: list[int] = []
        rows = rows_of(_records(engine, lost))
        count = write_parquet(rows, Path(args.output), otel=args.otel)
    say_lost(lost)
    print(f"{args.output}: {counted(count, 'row')}")
    return EXIT_DONE


def _records(engine: Engine, lost: list[int]) -> Iterator[dict[str, Any]]:
    from gdb_epi.fleet.store.reproject import record_lines

    return (json.loads(line) for line in record_lines(engine, lost))


def _write(stream: TextIO, lines: Iterable[str]) -> None:
    for line in lines:
        stream.write(f"{line}\n")
