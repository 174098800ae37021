# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet top`: the most frequent signatures of the fleet."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gdb_epi.errors import EXIT_DONE, UsageError

if TYPE_CHECKING:
    from gdb_epi.fleet.questions import TopRow

HELP = "the most frequent signatures, with hosts, first and last time and verdicts"
DEFAULT_LIMIT = 20
HEADERS = ("crashes", "hosts", "first seen", "last seen", "category", "verdicts", "signature")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--db", metavar="URL", help="database URL or SQLite file")
    parser.add_argument("--limit", type=int, default=DEFAULT_LIMIT, help="rows (default 20)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="a JSON array")
    form.add_argument("--csv", action="store_true", help="comma-separated values")


def run(args: Namespace) -> int:
    """Print the table."""
    if args.limit < 1:
        raise UsageError("--limit must be at least 1")
    from gdb_epi.fleet.db import open_database

    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.questions import top_signatures

        rows = top_signatures(engine, args.limit)
    if args.json:
        _print_json(rows)
    elif args.csv:
        _print_csv(rows)
    else:
        _print_table(rows)
    return EXIT_DONE


def _print_json(rows: Sequence[TopRow]) -> None:
    import json

    print(json.dumps([row._asdict() for row in rows], indent=1))


def _print_csv(rows: Sequence[TopRow]) -> None:
    import csv

    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([header.replace(" ", "_") for header in HEADERS])
    # A cell that begins with one of these would be run as a formula by a spreadsheet.
    for row in rows:
        cells = [_plain(cell) for cell in _cells(row)]
        out.writerow([f"'{c}" if c[:1] in "=+-@\t\r" and c else c for c in cells])


def _print_table(rows: Sequence[TopRow]) -> None:
    from tabulate import tabulate

    # The columns already say the category: the text goes without `gsig/1 stable CATEGORY`.
    short = [row._replace(signature=_frames(row.signature)) for row in rows]
    cells = [[_plain(cell) for cell in _cells(row)] for row in short]
    print(tabulate(cells, headers=list(HEADERS), disable_numparse=True))


def _frames(signature: str | None) -> str | None:
    words = (signature or "").split(" ", 3)
    return words[3] if len(words) == 4 and words[0].startswith("gsig/") else signature


def _cells(row: TopRow) -> list[object]:
    from gdb_epi.fleet.seen import moment

    verdicts = ", ".join(f"{label} {n}" for label, n in row.verdicts.items())
    signature = row.signature or row.key or "(no signature)"
    seen = moment(row.first_seen), moment(row.last_seen)
    return [row.crashes, row.hosts, *seen, row.category or "", verdicts, signature]


def _plain(cell: object) -> str:
    from gdb_epi.render.text import escape

    return escape(str(cell))
