# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet top`: the most frequent signatures of the fleet."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gdb_epi.cli.fleet import output
from gdb_epi.cli.support.messages import (
    missing_origin_lines,
    no_crashes_message,
    repeated_database_option,
)
from gdb_epi.fleet.records.facts import short_program

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gdb_epi.fleet.questions.signatures import TopSignature

HELP = "the most frequent signatures, with hosts, first and last time and verdicts"
NARROW = ("what", "verdict", "program", "where")  # what goes below its row on a narrow terminal
HEADERS = ("crashes", "hosts", "verdict", "last seen", "program", "where", "what", "key")
UNKNOWN = "?"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    output.add_limit_option(parser, 20)
    output.add_day_and_output_options(parser)


def run(args: Namespace) -> None:
    """Print the table."""
    from gdb_epi.fleet.store.database import open_database

    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.questions.signature_history import some_records
        from gdb_epi.fleet.questions.signatures import top_signatures
        from gdb_epi.fleet.store.day_of_prune import prune_caveat, read_prune_day_by_itself
        from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

        rows = top_signatures(engine, args.limit, output.parse_day_argument(args.asof))
        before = read_prune_day_by_itself(engine)
        with engine.connect() as connection:
            execute = sqlalchemy_executor(connection)
            records = [some_records(execute, row.key) for row in rows]
    if args.json or args.csv:
        output.print_rows([row._asdict() for row in rows], as_csv=args.csv)
    else:
        again = repeated_database_option(args)
        headers, cells, left_out = drop_unknown_columns(HEADERS, [*map(_row_cells, rows, records)])
        output.print_table(headers, cells, no_crashes_message(args), NARROW)
        if rows:
            firsts = [row.first_seen for row in rows if row.first_seen is not None]
            for line in prune_caveat(before, min(firsts, default=None)):
                print(f"\n{line}")
            print("")
            for line in _possibly_one_bug_lines(rows):
                output.print_line(line)
            if len(rows) == args.limit:
                output.print_line(f"The first {len(rows)}; more: --limit {10 * len(rows)}")
            if left_out:
                output.print_line(f"not known of any: {left_out}; why: gdb-epi fleet check{again}")
                output.print_lines(
                    missing_origin_lines(
                        no_host="hosts" in left_out, no_time="last seen" in left_out
                    )
                )
            output.print_line(f"More about a row: gdb-epi fleet show KEY{again}")


def _row_cells(row: TopSignature, records: Sequence[dict[str, Any]]) -> list[object]:
    where, what, verdicts = signature_cells(
        row.signature, row.verdicts, row.crashes, records, row.category
    )
    seen = day_or_empty(row.last_seen) or UNKNOWN
    rest = row.hosts, short_program(row.program), row.key
    hosts, program, key = (cell or UNKNOWN for cell in rest)
    return [row.crashes, hosts, verdicts, seen, program, where, what, key]


def _possibly_one_bug_lines(rows: Sequence[TopSignature]) -> list[str]:
    """Say which rows may be one bug: Pythons and cores differ in which names they know."""
    from gdb_epi.render.signature_words import differ_only_in_how_names_are_known

    lines, left = [], [row for row in rows if row.signature and row.key and row.program]
    while left:
        first, *left = left
        same = [
            row for row in left
            if row.program == first.program
            and differ_only_in_how_names_are_known(first.signature or "", row.signature or "")
        ]  # fmt: skip
        if same:
            keys = ", ".join(str(row.key) for row in (first, *same))
            lines.append(
                f"perhaps one bug under {1 + len(same)} keys ({keys}): the same function of "
                f"{short_program(first.program)}; Pythons and cores differ in which names they know"
            )
            left = [row for row in left if row not in same]
    return lines


def signature_cells(
    line: str | None,
    verdicts: Mapping[str, int],
    crashes: int,
    records: Sequence[dict[str, Any]] = (),
    category: str | None = None,
) -> tuple[str, str, str]:
    """Return where a signature's crashes are, what they are, and their verdicts, for a table.

    What they are is what `records`, some of theirs, agree on; else what the signature tells.
    """
    from gdb_epi.render.opening_sentences import HUNG
    from gdb_epi.render.signature_words import where_and_what, where_and_what_of_record

    hung = bool(verdicts) and verdicts.keys() <= HUNG
    labels = (f"{v}{'' if count == crashes else f' {count}'}" for v, count in verdicts.items())
    cells = {where_and_what_of_record(record, line or "") for record in records}
    where, what = (
        cells.pop() if len(cells) == 1 else where_and_what(line or "", category, hung=hung)
    )
    return where, what, ", ".join(labels)


def drop_unknown_columns(
    headers: Sequence[str], cells: Sequence[Sequence[object]]
) -> tuple[Sequence[str], Sequence[Sequence[object]], str]:
    """Return a table without the columns of which nothing is known, and the names of these."""
    kept = [i for i in range(len(headers)) if not cells or any(row[i] != UNKNOWN for row in cells)]
    rows = [[row[i] for i in kept] for row in cells]
    lost = [name for i, name in enumerate(headers) if i not in kept and name != "program"]
    return [headers[i] for i in kept], rows, ", ".join(lost)


def day_or_empty(moment: float | None) -> str:
    """Return the day of a moment, "" without one."""
    from gdb_epi.fleet.questions.signature_history import format_utc_time

    return format_utc_time(moment).partition(" ")[0]
