# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet export`: the stored records as JSON lines or Parquet."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from gdb_epi.argument_types import output_file_name
from gdb_epi.cli.fleet.output import add_database_option, warn_of_damaged_records
from gdb_epi.cli.support.messages import write_to_stderr
from gdb_epi.errors import UsageError
from gdb_epi.fleet.export_log import logged_export
from gdb_epi.private_files import private_opener
from gdb_epi.util import counted

if TYPE_CHECKING:
    from sqlalchemy import Engine

HELP = "all stored records as JSON lines or Parquet (DuckDB, ClickHouse, pandas), or as a lake"
FORMATS = ("jsonl", "parquet", "lake")
EPILOG = (
    "JSON lines are the whole records (`fleet ingest` takes them back); --whole adds host-hours, "
    "findings, decisions and all else, so that `fleet ingest` makes the same database; Parquet has "
    "one flat row a core. --otel gives flat rows under OpenTelemetry's names: host.name, "
    "process.pid, exception.type, service.name ...; what it does not name is below gdb_epi. "
    "A lake is a folder of Parquet files, those of crashes and host-hours a file a day: an export "
    "into the same folder writes the days that changed. Every question takes it: --db lake:FOLDER. "
    "Of 20,000 crashes and more it has a folder `prepared`, as large again: the first question is "
    "as quick as the next."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_database_option(parser)
    add = parser.add_argument
    add("--output", type=output_file_name, metavar="FILE", help="a file instead of standard output")
    add("--format", choices=FORMATS, default=FORMATS[0], help="how (jsonl)")
    add("--whole", action="store_true", help="with host-hours, findings, decisions")
    add("--otel", action="store_true", help="flat rows, under OpenTelemetry's names")


def run(args: Namespace) -> None:
    """Write a record a line or row, in the order of their arrival."""
    from gdb_epi.fleet.store.database import open_database, refuse_lake, shown_url

    refuse_lake(args.db, "is an export itself, and holds no whole records")
    if args.format == "parquet":
        _export_parquet(args)
        return
    if args.format == "lake":
        _update_lake(args)
        return
    lost: list[int] = []
    lines: Iterator[str]
    if args.whole and args.otel:
        raise UsageError("--otel is for other tools, --whole for gdb-epi: one of them")
    with (
        open_database(args.db, write=False) as engine,
        logged_export(shown_url(engine.url), args.output),
    ):
        from gdb_epi.fleet.store.archive import count_rows_beside_records

        if args.otel:
            from gdb_epi.fleet.records.flat_rows import make_flat_rows, to_otel_row

            rows = make_flat_rows(_stored_records(engine, lost))
            lines = (json.dumps(to_otel_row(row), sort_keys=True) for row in rows)
        else:
            from gdb_epi.fleet.store.archive import archive_lines
            from gdb_epi.fleet.store.reproject import stored_records_as_json_lines

            lines = stored_records_as_json_lines(engine, lost)
            if args.whole:
                lines = chain(lines, archive_lines(engine))
        if args.output is None:
            _write_lines(sys.stdout, lines)
        else:
            with open(args.output, "w", encoding="ascii", opener=private_opener) as stream:
                _write_lines(stream, lines)
        left_out = {} if args.whole or args.otel else count_rows_beside_records(engine)
    warn_of_damaged_records(lost)
    if any(left_out.values()):
        some = ", ".join(counted(n, name) for name, n in left_out.items() if n)
        write_to_stderr(f"records alone: {some} left out; --whole keeps them")


def _export_parquet(args: Namespace) -> None:
    """Write the file and say how many rows it has."""
    from gdb_epi.fleet.store.database import open_database, shown_url

    if args.output is None:
        raise UsageError("Parquet needs a file", hint="--format parquet --output cores.parquet")
    with (
        open_database(args.db, write=False) as engine,
        logged_export(shown_url(engine.url), args.output),
    ):
        from gdb_epi.fleet.records.flat_rows import make_flat_rows, write_parquet

        lost: list[int] = []
        rows = make_flat_rows(_stored_records(engine, lost))
        count = write_parquet(rows, Path(args.output), otel=args.otel)
    warn_of_damaged_records(lost)
    print(f"{args.output}: {counted(count, 'row')}")


def _update_lake(args: Namespace) -> None:
    """Bring the folder to the state of the database and say what that took."""
    from gdb_epi.fleet.store.database import open_database, shown_url

    if args.output is None:
        raise UsageError("a lake needs a folder", hint="--format lake --output FOLDER")
    if args.whole or args.otel:
        option = "--whole" if args.whole else "--otel"
        raise UsageError(f"a lake has no {option}", hint="leave it out")
    with (
        open_database(args.db, write=False) as engine,
        logged_export(shown_url(engine.url), args.output),
    ):
        from gdb_epi.fleet.lake.export import export_lake

        lake = Path(args.output).absolute()
        done = export_lake(engine, lake)
    from gdb_epi.fleet.lake.precompute_answers import precompute_answers_of_lake

    print(
        f"{args.output}: {counted(done.crashes, 'crash')}; {counted(done.written, 'file')} "
        f"written, {done.unchanged} unchanged, {done.removed} removed",
        flush=True,
    )
    precompute_answers_of_lake(lake)


def _stored_records(engine: Engine, lost: list[int]) -> Iterator[dict[str, Any]]:
    from gdb_epi.fleet.store.reproject import stored_records_as_json_lines

    return (json.loads(line) for line in stored_records_as_json_lines(engine, lost))


def _write_lines(stream: TextIO, lines: Iterable[str]) -> None:
    stream.writelines(f"{line}\n" for line in lines)
