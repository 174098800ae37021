# SPDX-License-Identifier: Apache-2.0
"""Arguments that the sub-verbs of `fleet` share, and rows as JSON, CSV and tables."""

from __future__ import annotations

from gdb_epi.argument_types import whole_number
from gdb_epi.render.escape import HANGING, escape, fold_line, terminal_width
from gdb_epi.typing_lite import TYPE_CHECKING, Any, ArgumentParser, _ArgumentGroup

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
MAX_LOST = 8  # ids that are named
_FORMULA = "=+-@\t\r"


def add_database_option(parser: ArgumentParser) -> None:
    """Declare --db."""
    parser.add_argument("--db", metavar="URL", help="database URL or SQLite file")


def add_who_option(parser: ArgumentParser) -> None:
    """Declare who decides."""
    parser.add_argument("--by", metavar="WHO", help="who decides (the user of this process)")


def print_dry_run_note() -> None:
    """Say that nothing was deleted."""
    print_line("dry run: nothing is changed; --apply deletes it")


def add_output_options(
    parser: ArgumentParser, json_help: str = "a JSON array", *, csv: bool = True
) -> None:
    """Declare --db, --json and, unless there is no table, --csv."""
    add_database_option(parser)
    if not csv:
        parser.add_argument("--json", action="store_true", help=json_help)
        return
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=json_help)
    form.add_argument("--csv", action="store_true", help="comma-separated values")


def add_asof_option(
    parser: ArgumentParser | _ArgumentGroup, words: str = "as at the end of this day (the last one)"
) -> None:
    """Declare --asof."""
    parser.add_argument("--asof", metavar="DAY", help=words)


def add_day_and_output_options(
    parser: ArgumentParser, json_help: str = "a JSON array", *, csv: bool = True
) -> None:
    """Declare --asof, and what `add_output_options` does."""
    add_asof_option(parser)
    add_output_options(parser, json_help, csv=csv)


def add_limit_option(parser: ArgumentParser, default: int, what: str = "rows") -> None:
    """Declare --limit."""
    words = f"most {what} ({default})"
    parser.add_argument("--limit", type=whole_number(), default=default, metavar="N", help=words)


def add_signature_question_arguments(parser: ArgumentParser) -> None:
    """Declare what a question about one signature takes: SIGNATURE, --asof, --db and the forms."""
    parser.add_argument("signature", metavar="SIGNATURE", help="a key, its start, or a part of it")
    add_day_and_output_options(parser, "one JSON object")


def parse_day_argument(value: str | None, option: str = "--asof") -> int | None:
    """Return the day of an argument as a number (since 1970-01-01). Raises UsageError."""
    if value is None:
        return None
    from gdb_epi.errors import UsageError
    from gdb_epi.fleet.store.day_numbers import parse_written_day

    day = parse_written_day(value)
    if day is None:
        raise UsageError(f"no day: {value!r}", hint=f"{option} 2026-11-21")
    return day


def end_of_day(day: int | None) -> float:
    """Return when a day ends (seconds since the epoch), inf of None: what is known now counts."""
    from math import inf

    from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY

    return inf if day is None else (day + 1) * SECONDS_A_DAY


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
        out.writerow([_cell_text(value) for value in row.values()])


def warn_of_damaged_records(lost: Sequence[int]) -> None:
    """Name the crashes whose stored records are damaged, on standard error."""
    if lost:
        import sys

        some = ", ".join(map(str, lost[:MAX_LOST])) + ", ..." * (len(lost) > MAX_LOST)
        advice = "ingest those cores again"
        print(f"gdb-epi: damaged records were left out (crash {some}); {advice}", file=sys.stderr)


def size_text(size: int) -> str:
    """Return a number of bytes in kB, MB or GB (powers of 1000)."""
    for unit, power in (("GB", 9), ("MB", 6), ("kB", 3)):
        if size >= 10**power:
            return f"{size / 10**power:.3g} {unit}"
    return f"{size} bytes"


def print_line(line: str) -> None:
    """Print a line, control characters escaped, folded where the terminal ends."""
    for part in fold_line(escape(line), terminal_width()):
        print(part)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines, each as `print_line` does."""
    for line in lines:
        print_line(line)


def print_lines_by_causes(db: str | None, lines: Iterable[str]) -> None:
    """Print lines, the signatures of a database called by their causes."""
    from gdb_epi.fleet.questions.signature_history import (
        name_signatures_by_causes,
        open_for_plain_sql,
    )

    with open_for_plain_sql(db) as execute:
        print_lines(name_signatures_by_causes(execute, lines))


def print_table(
    headers: Sequence[str], cells: Sequence[Sequence[object]], empty: str, below: Sequence[str] = ()
) -> None:
    """Print rows as an aligned table, control characters escaped; without rows say `empty`.

    Where the terminal is too narrow, the columns `below` go under their row, the first one first.
    """
    if not cells:
        print(empty)
        return
    shown = [[escape(str(cell)) for cell in row] for row in cells]
    width = terminal_width()
    for number in range(len(below) + 1):
        lines = _aligned_lines(headers, shown, below[:number])
        if width is None or max(map(len, lines)) <= width:
            break
    print(*lines[:2], sep="\n")
    for line, row in zip(lines[2:], shown, strict=True):
        print(line)
        for name, cell in zip(headers, row, strict=True):
            if cell and name in below[:number]:
                print(*fold_line(f"{HANGING}{name}: {cell}", width), sep="\n")


def _aligned_lines(
    headers: Sequence[str], rows: Sequence[Sequence[str]], left_out: Sequence[str]
) -> list[str]:
    """Return two lines of headers and a line for each row."""
    from tabulate import tabulate

    kept = [i for i, name in enumerate(headers) if name not in left_out]
    some = [[row[i] for i in kept] for row in rows]
    return tabulate(some, headers=[headers[i] for i in kept], disable_numparse=True).split("\n")


def _cell_text(value: Any) -> str:
    if isinstance(value, dict):
        value = ", ".join(f"{key} {item}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        value = "; ".join(str(item) for item in value)
    text = escape("" if value is None else str(value))
    # A spreadsheet would run a cell that begins with one of these; a number is no formula.
    risky = isinstance(value, str) and text[:1] and text[0] in _FORMULA
    return f"'{text}" if risky else text
