# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi report`: one HTML page about the population."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from gdb_epi.argument_types import output_file_name
from gdb_epi.cli.fleet.output import add_database_option, parse_day_argument
from gdb_epi.errors import InputError

GROUP = "Many crashes"
HELP = "one self-contained HTML page: findings, curve, signatures, hosts, populations"
EPILOG = "The page needs no network and holds no script. It needs the extra: gdb-epi[report]."
OUTPUT = "report.html"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_database_option(parser)
    add = parser.add_argument
    words = f"where the page goes ({OUTPUT})"
    add("-o", "--output", type=output_file_name, metavar="FILE", default=OUTPUT, help=words)
    add("--signature", metavar="S", help="only this one: a key, or part of its text")
    add("--since", metavar="DAY", help="crashes from this day on")
    add("--until", metavar="DAY", help="crashes up to and with this day")


def run(args: Namespace) -> None:
    """Write the page."""
    from gdb_epi.fleet.report import require_report_packages
    from gdb_epi.fleet.store.database import open_database

    require_report_packages()  # before seconds of work
    since, until = (
        parse_day_argument(args.since, "--since"),
        parse_day_argument(args.until, "--until"),
    )
    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.questions.lookup import require_signature_group
        from gdb_epi.fleet.report.build_page import ReportScope, build_page
        from gdb_epi.fleet.report.html import render_page

        name = (
            None if args.signature is None else require_signature_group(engine, args.signature).name
        )
        gathered = build_page(engine, ReportScope(since, until, name))
        if not gathered.signatures and (since, until) != (None, None):
            raise InputError("no crash with a known time lies between --since and --until")
        page = render_page(gathered)
    content = page.encode("utf-8", "backslashreplace")
    if args.output is None:
        sys.stdout.buffer.write(content)
    else:
        from pathlib import Path

        from gdb_epi.private_files import replace_file

        replace_file(Path(args.output), content)
        print(f"{args.output}: {len(content):,} bytes")
