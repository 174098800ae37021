# SPDX-License-Identifier: Apache-2.0
"""Rows as JSON and CSV, for the sub-verbs of `fleet`."""

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


def _cell(value: Any) -> str:
    from gdb_epi.render.text import escape

    if isinstance(value, list):
        value = "; ".join(str(item) for item in value)
    text = escape("" if value is None else str(value))
    # A spreadsheet would run a cell that begins with one of these; a number is no formula.
    risky = isinstance(value, str) and text[:1] and text[0] in _FORMULA
    return f"'{text}" if risky else text
