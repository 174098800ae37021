# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet compare`: the signatures of two windows of time."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdb_epi.cli.fleet import output
from gdb_epi.cli.fleet.look.top import NARROW, signature_cells
from gdb_epi.cli.support.messages import repeated_database_option
from gdb_epi.errors import UsageError
from gdb_epi.util import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gdb_epi.fleet.questions.signatures import ComparedSignature, SignatureComparison

HELP = "signatures of two windows of time, or two values, the strongest change first"
EPILOG = (
    "gdb-epi fleet compare 2026-01-01..2026-01-07 2026-01-08..2026-01-14\n\n"
    "gdb-epi fleet compare python=3.12.1 python=3.13.0\n\n"
    "Without host-hours windows are compared by their length in days, and values by their crashes "
    "of all kinds. What came together, as the crashes of a loop, counts once."
)
MAX_EVENTS = 3  # that are named
MAX_P_ALONE = 0.01  # of a signature that changed, if nothing else had been asked about
COLUMNS = (
    "(3 + 40: 40 more came together with these, as the crashes of a loop: that counts once; times "
    "as often: the second window beside the first, for as many host-hours or days; p: how often "
    "chance alone does as much; q: p, after allowing for all that was tested)"
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "before",
        metavar="BEFORE",
        help="FIRST_DAY..LAST_DAY, both included; or a month, a year; or python=3.12.1",
    )
    parser.add_argument("after", metavar="AFTER", help="the second window of time, or value")
    output.add_limit_option(parser, 20)
    output.add_day_and_output_options(parser)


def run(args: Namespace) -> None:
    """Print the table."""
    from gdb_epi.fleet.store.database import open_database

    by_value = "=" in args.before and "=" in args.after
    windows = None if by_value else (parse_window(args.before), parse_window(args.after))
    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.population.cache import load_population
        from gdb_epi.fleet.questions.signatures import compare_values, compare_windows

        population = load_population(engine, output.parse_day_argument(args.asof))
        if windows is None:
            marks = args.before.partition("="), args.after.partition("=")
            of_sides = [(name, value) for name, _, value in marks]
            comparison = compare_values(engine, population, of_sides, args.limit)
        else:
            comparison = compare_windows(engine, population, *windows, args.limit)
        silence = []
        if windows and not args.json and not args.csv:
            from gdb_epi.cli.fleet.data.check import silence_and_limit_lines
            from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY

            last = max(end for _, end in windows) // SECONDS_A_DAY - 1
            silence = silence_and_limit_lines(population, int(last))
    if args.json or args.csv:
        output.print_rows([row._asdict() for row in comparison.rows], as_csv=args.csv)
        return
    from gdb_epi.fleet.questions.signature_history import open_for_plain_sql, some_records
    from gdb_epi.fleet.screen.renamings import renaming_sentences

    on_one_side = [r.signature or "" for r in comparison.rows if not r.before or not r.after]
    renamed = renaming_sentences(population, on_one_side)

    with open_for_plain_sql(args.db) as execute:
        records = [some_records(execute, row.key) for row in comparison.rows]
    cells = [
        [
            *(
                f"{n} + {more}" if more else n
                for n, more in zip((row.before, row.after), row.together, strict=True)
            ),
            *_change_cells(row),
            *signature_cells(row.signature, {}, 0, some)[:2],
            row.key or "?",
        ]
        for row, some in zip(comparison.rows, records, strict=True)
    ]
    output.print_lines_by_causes(args.db, _summary_lines(comparison, renamed))
    headers = ("before", "after", "times as often", "p", "q", "where", "what", "key")
    output.print_table(headers, cells, "no crashes in either window", NARROW)
    output.print_lines(silence)
    if cells:
        print("")
        output.print_line(COLUMNS)
        output.print_line(
            f"More about a row: gdb-epi fleet show KEY{repeated_database_option(args)}"
        )


def _change_cells(row: ComparedSignature) -> tuple[str, str, str]:
    """Return how much more often, p and q; not of what came together for the most part."""
    if sum(row.together) > row.before + row.after:
        return "came together", "", ""
    ratio = "none before" if row.ratio is None else f"{row.ratio:.2f}"
    return ratio, f"{row.p:.1g}", f"{row.q:.1g}"


def _summary_lines(comparison: SignatureComparison, renamed: Sequence[str]) -> Iterator[str]:
    """Say how many signatures changed, what all others come to, and which events there were.

    And what was `renamed`: it has changed in name alone.
    """
    from gdb_epi.fleet.questions.signatures import MAX_Q_OF_CHANGE
    from gdb_epi.render.signature_words import signature_phrase_and_key

    rest, changed = comparison.rest, comparison.changed
    if not comparison.rows:
        return
    start = (
        f"{counted(changed, 'signature')} changed by more than chance (q up to {MAX_Q_OF_CHANGE:g})"
        if changed
        else "no signature changed by more than chance among so many"
    )
    if rest is not None:
        ratio = "" if rest.ratio is None else f", {rest.ratio:.2f} times as often (p {rest.p:.1g})"
        start += f"; {'all others' if changed else 'all'} together: {rest.before} before, "
        start += f"{rest.after} after{ratio}"
    if (same := comparison.rest_on_same) is not None:
        start += f"; set against the same hosts and days {same.words()}"
        if rest is not None and rest.p < MAX_Q_OF_CHANGE and same.low <= 1 <= same.high:
            start += ": that is how the hosts differ, or the days, and no change by the value"
    strongest = comparison.rows[0]
    if not changed and strongest.p < MAX_P_ALONE and _change_cells(strongest)[1]:
        place = signature_phrase_and_key(strongest.signature or "")
        start += f"; asked about by itself, {place} did (p {strongest.p:.1g})"
    yield start
    for event in comparison.events[:MAX_EVENTS]:
        yield f"counted once: {event}"
    yield from renamed
    yield ""


def parse_window(words: str) -> tuple[float, float]:
    """Return a window of whole days as half-open epoch seconds. Raises UsageError."""
    from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, parse_day_range

    first, dots, last = words.partition("..")
    begin, end = parse_day_range(first), parse_day_range(last or first)
    if begin is None or end is None or (dots and not last) or end[1] < begin[0]:
        raise UsageError(
            f"{words!r} is not a window of time", hint="2026-01-01..2026-01-07, or a month: 2026-01"
        )
    return begin[0] * SECONDS_A_DAY, (end[1] + 1) * SECONDS_A_DAY
