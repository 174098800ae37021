# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet export`: the stored records as JSON lines."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from gdb_epi.cli.fleet.output import add_database
from gdb_epi.errors import EXIT_DONE

HELP = "all stored records as JSON lines (DuckDB: read_json; ClickHouse: JSONEachRow)"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_database(parser)
    parser.add_argument("--output", metavar="FILE", help="a file instead of standard output")


def run(args: Namespace) -> int:
    """Write a line a record, in the order of their arrival."""
    from gdb_epi.fleet.db import open_database

    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.reproject import record_lines

        if args.output is None:
            _write(sys.stdout, record_lines(engine))
        else:
            with Path(args.output).open("w", encoding="ascii") as stream:
                _write(stream, record_lines(engine))
    return EXIT_DONE


def _write(stream: TextIO, lines: Iterable[str]) -> None:
    for line in lines:
        stream.write(f"{line}\n")
