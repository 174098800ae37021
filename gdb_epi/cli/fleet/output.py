# SPDX-License-Identifier: Apache-2.0
"""Arguments that the sub-verbs of `fleet` share, and rows as JSON, CSV and tables."""

from __future__ import annotations

from gdb_epi.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping, Sequence
    from typing import Any

MAX_LOST = 8  # ids that are named
_FORMULA = "=+-@\t\r"


def add_database(parser: ArgumentParser) -> None:
    """Declare --db."""
    parser.add_argument("--db", metavar="URL", help="database URL or SQLite file")


def add_forms(parser: ArgumentParser, json_help: str = "a JSON array", *, csv: bool = True) -> None:
    """Declare --db, --json and, unless there is no table, --csv."""
    add_database(parser)
    if not csv:
        parser.add_argument("--json", action="store_true", help=json_help)
        return
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=json_help)
    form.add_argument("--csv", action="store_true", help="comma-separated values")


def print_rows(rows: Sequence[Mapping[str, Any]], *, as_csv: bool) -> None:
    """Print a JSON array, or CSV with the keys of the first row as its header."""
    if not as_csv:
        import json

        print(json.dumps(list(rows), indent=1))
        return
    import csv
    import sys

    out = csv.writer(sys.stdout, lineterminator="\n")
    if rows:
        out.writerow(rows[0].keys())
    for row in rows:
        out.writerow([_cell(value) for value in row.values()])


def say_lost(lost: Sequence[int]) -> None:
    """Name the crashes whose stored records are damaged, on standard error."""
    if lost:
        import sys

        some = ", ".join(map(str, lost[:MAX_LOST])) + ", ..." * (len(lost) > MAX_LOST)
        told = "ingest those cores again"
        print(f"gdb-epi: damaged records were left out (crash {some}); {told}", file=sys.stderr)


def print_table(headers: Sequence[str], cells: Sequence[Sequence[object]], empty: str) -> None:
    """Print rows as an aligned table, control characters escaped; without rows say `empty`."""
    if not cells:
        print(empty)
        return
    from tabulate import tabulate

    from gdb_epi.render.text import escape

    shown = [[escape(str(cell)) for cell in row] for row in cells]
    print(tabulate(shown, headers=list(headers), disable_numparse=True))


def _cell(value: Any) -> str:
    from gdb_epi.render.text import escape

    if isinstance(value, dict):
        value = ", ".join(f"{key} {item}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        value = "; ".join(str(item) for item in value)
    text = escape("" if value is None else str(value))
    # A spreadsheet would run a cell that begins with one of these; a number is no formula.
    risky = isinstance(value, str) and text[:1] and text[0] in _FORMULA
    return f"'{text}" if risky else text
