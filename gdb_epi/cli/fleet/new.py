# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet new`: signatures that were never seen before the window."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gdb_epi.argument_types import positive, whole
from gdb_epi.cli.fleet.output import add_asof, add_forms, day_argument
from gdb_epi.errors import EXIT_DONE

GROUP = "Look"
HELP = "signatures first seen in the last days (counted back from the latest crash)"
DAYS = 7.0
LIMIT = 50


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--days", type=positive("days"), default=DAYS, help="length of the window (7)"
    )
    parser.add_argument("--limit", type=whole(), default=LIMIT, help="rows (50)")
    add_asof(parser)
    add_forms(parser)


def run(args: Namespace) -> int:
    """Print the table."""
    from gdb_epi.cli.fleet.output import print_rows, print_table
    from gdb_epi.fleet.questions.seen import utc_time
    from gdb_epi.fleet.store.days import SECONDS_A_DAY
    from gdb_epi.fleet.store.db import open_database

    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.population.cache import load_times
        from gdb_epi.fleet.questions.signatures import last_moment, new_signatures

        asof, population = day_argument(args.asof), load_times(engine)
        until = last_moment(population) if asof is None else (asof + 1) * SECONDS_A_DAY - 1
        rows = []
        if until is not None:
            rows = new_signatures(engine, population, args.days, until, args.limit)
    if args.json or args.csv:
        print_rows([row._asdict() for row in rows], as_csv=args.csv)
        return EXIT_DONE
    from gdb_epi.fleet.screen.finding_texts import plain_signature

    cells = [
        [
            utc_time(row.first_seen),
            row.crashes,
            row.hosts,
            row.key or "",
            plain_signature(row.signature or ""),
        ]
        for row in rows
    ]
    nothing = "no crashes with a time in this database"
    if until is not None:
        nothing = f"no signature is new in the {args.days:g} days before {utc_time(until)}"
    headers = ("first seen", "crashes", "hosts", "key", "signature")
    print_table(headers, cells, nothing, ("signature",))
    return EXIT_DONE
