# SPDX-License-Identifier: Apache-2.0
"""Rows as JSON, CSV and tables, for the sub-verbs of `fleet`."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

_FORMULA = "=+-@\t\r"


def print_rows(rows: Sequence[Mapping[str, Any]], *, as_csv: bool) -> None:
    """Print a JSON array, or CSV with the keys of the first row as its header."""
    if not as_csv:
        print(json.dumps(list(rows), indent=1))
        return
    out = csv.writer(sys.stdout, lineterminator="\n")
    if rows:
        out.writerow(rows[0].keys())
    for row in rows:
        out.writerow([_cell(value) for value in row.values()])


def print_table(headers: Sequence[str], cells: Sequence[Sequence[object]]) -> None:
    """Print rows as an aligned table, control characters escaped."""
    from tabulate import tabulate

    from gdb_epi.render.text import escape

    shown = [[escape(str(cell)) for cell in row] for row in cells]
    print(tabulate(shown, headers=list(headers), disable_numparse=True))


def _cell(value: Any) -> str:
    from gdb_epi.render.text import escape

    if isinstance(value, list):
        value = "; ".join(str(item) for item in value)
    text = escape("" if value is None else str(value))
    # A spreadsheet would run a cell that begins with one of these; a number is no formula.
    risky = isinstance(value, str) and text[:1] and text[0] in _FORMULA
    return f"'{text}" if risky else text
