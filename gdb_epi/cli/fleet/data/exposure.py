# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet exposure`: take in host-hours."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gdb_epi.cli.fleet.output import add_database_option, print_line
from gdb_epi.util import counted

HELP = "take in host-hours per day: CSV or JSON with day, hours, host and attribute columns"
EPILOG = (
    "Without host-hours the questions compare crashes with other crashes, and what is busier looks "
    "worse than it is."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="CSV, JSON or JSON lines")
    add_database_option(parser)


def run(args: Namespace) -> int:
    """Store the rows and say what became of them; 3 when a row was rejected."""
    from gdb_epi.cli.fleet.data.ingest import report_rejected
    from gdb_epi.fleet.store.database import open_database

    rejected: list[tuple[str, str]] = []
    count = 0
    with open_database(args.db, write=True) as engine:
        from gdb_epi.fleet.store.exposure import read_host_days, store_exposure

        for name in args.files:
            done = store_exposure(engine, read_host_days(Path(name)))
            count += done.rows
            rejected += done.rejected
        from gdb_epi.fleet.population.cache import load_population
        from gdb_epi.fleet.questions.quality import ATTRIBUTES, HOURS, NAMES, check_quality

        population = load_population(engine)
        about = (ATTRIBUTES, HOURS, NAMES) if count and population.day.size else ()
        lacking = [check for check in check_quality(population) if check.about in about]
    print(f"{counted(count, 'host-day')} stored, {len(rejected)} rejected")
    for check in lacking:
        print_line(f"  {check.about}: {check.text}")
    return report_rejected(rejected)
