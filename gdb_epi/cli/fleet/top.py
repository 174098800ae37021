# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet top`: the most frequent signatures of the fleet."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdb_epi.argument_types import whole
from gdb_epi.cli.fleet.output import (
    add_asof,
    add_forms,
    day_argument,
    print_line,
    print_rows,
    print_table,
)
from gdb_epi.cli.support.messages import database_option_again
from gdb_epi.errors import EXIT_DONE

if TYPE_CHECKING:
    from gdb_epi.fleet.questions.signatures import TopSignature

GROUP = "Look"
HELP = "the most frequent signatures, with hosts, first and last time and verdicts"
DEFAULT_LIMIT = 20
NARROW = ("what",)  # what goes below its row on a narrow terminal
HEADERS = ("crashes", "hosts", "verdict", "last seen", "where", "what", "key")
UNKNOWN = "?"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--limit", type=whole(), default=DEFAULT_LIMIT, help="rows (default 20)")
    add_asof(parser)
    add_forms(parser)


def run(args: Namespace) -> int:
    """Print the table."""
    from gdb_epi.fleet.store.db import open_database

    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.questions.pruned import caveat_of_prune, day_of_prune
        from gdb_epi.fleet.questions.signatures import top_signatures

        rows = top_signatures(engine, args.limit, day_argument(args.asof))
        before = day_of_prune(engine)
    if args.json or args.csv:
        print_rows([row._asdict() for row in rows], as_csv=args.csv)
    else:
        print_table(HEADERS, [_cells(row) for row in rows], "no crashes in this database", NARROW)
        if rows:
            firsts = [row.first_seen for row in rows if row.first_seen is not None]
            for line in caveat_of_prune(before, min(firsts, default=None)):
                print(f"\n{line}")
            print_line("")
            print_line(f"More about a row: gdb-epi fleet show KEY{database_option_again(args)}")
    return EXIT_DONE


def _cells(row: TopSignature) -> list[object]:
    from gdb_epi.render.headline import HUNG
    from gdb_epi.render.signature_words import where_and_what

    verdicts = ", ".join(
        label if count == row.crashes else f"{label} {count}"
        for label, count in row.verdicts.items()
    )
    hung = bool(row.verdicts) and row.verdicts.keys() <= HUNG
    where, what = where_and_what(row.signature or "", row.category, hung=hung)
    seen = _day(row.last_seen)
    return [row.crashes, row.hosts or UNKNOWN, verdicts, seen, where, what, row.key or UNKNOWN]


def _day(moment: float | None) -> str:
    from gdb_epi.fleet.questions.seen import utc_time

    return utc_time(moment).partition(" ")[0] or UNKNOWN
