# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet new`: signatures that were never seen before the window."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gdb_epi.argument_types import positive_number
from gdb_epi.cli.fleet import output
from gdb_epi.cli.fleet.look.top import (
    NARROW,
    UNKNOWN,
    day_or_empty,
    drop_unknown_columns,
    signature_cells,
)
from gdb_epi.cli.support.messages import missing_origin_lines, repeated_database_option
from gdb_epi.fleet.records.facts import short_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gdb_epi.fleet.questions.signatures import NewSignature

HELP = "signatures first seen in the last days (counted back from the latest crash)"
DAYS = 7.0
HEADERS = ("first seen", "crashes", "hosts", "verdict", "program", "where", "what", "key")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--days",
        type=positive_number("days"),
        default=DAYS,
        metavar="N",
        help="length of the window (7)",
    )
    output.add_limit_option(parser, 50)
    output.add_day_and_output_options(parser)


def run(args: Namespace) -> None:
    """Print the table."""
    from gdb_epi.fleet.questions.signature_history import format_utc_time
    from gdb_epi.fleet.store.database import open_database
    from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY

    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.population.cache import load_population_without_attributes
        from gdb_epi.fleet.questions.signature_history import some_records
        from gdb_epi.fleet.questions.signatures import latest_crash_time, new_signatures
        from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

        asof, population = (
            output.parse_day_argument(args.asof),
            load_population_without_attributes(engine),
        )
        until = latest_crash_time(population) if asof is None else (asof + 1) * SECONDS_A_DAY - 1
        rows = []
        if until is not None:
            rows = new_signatures(engine, population, args.days, until, args.limit)
        renamed = []
        if rows and not args.json and not args.csv:
            from gdb_epi.fleet.population.cache import load_population
            from gdb_epi.fleet.screen.renamings import renaming_sentences

            names = [row.signature or "" for row in rows]
            renamed = renaming_sentences(load_population(engine, asof), names)
        with engine.connect() as connection:
            execute = sqlalchemy_executor(connection)
            records = [some_records(execute, row.key) for row in rows]
    if args.json or args.csv:
        output.print_rows([row._asdict() for row in rows], as_csv=args.csv)
        return
    nothing = "no crashes with a time in this database"
    if until is not None:
        nothing = f"no signature is new in the {args.days:g} days before {format_utc_time(until)}"
    any_timed = any(row.timed for row in rows)
    titles = HEADERS if any_timed else ("stored", *HEADERS[1:])
    headers, cells, _ = drop_unknown_columns(
        titles,
        [_row_cells(row, some, any_timed) for row, some in zip(rows, records, strict=True)],
    )
    output.print_table(headers, cells, nothing, NARROW)
    if rows:
        print("")
        output.print_lines(renamed)
        if len(rows) == args.limit:
            output.print_line(f"The first {len(rows)}; more: --limit {10 * len(rows)}")
        if not any_timed:
            output.print_lines(missing_origin_lines(no_host=False, no_time=True))
        output.print_line(
            f"More about a row: gdb-epi fleet show KEY{repeated_database_option(args)}"
        )


def _row_cells(
    row: NewSignature, records: Sequence[dict[str, Any]], any_timed: bool
) -> list[object]:
    where, what, verdicts = signature_cells(row.signature, row.verdicts, row.crashes, records)
    day = day_or_empty(row.first_seen)
    first = day if row.timed or not any_timed else f"? (stored {day})"
    rest = row.hosts, short_program(row.program), row.key
    hosts, program, key = (cell or UNKNOWN for cell in rest)
    return [first, row.crashes, hosts, verdicts, program, where, what, key]
