# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet top`: the most frequent signatures of the fleet."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdb_epi.argument_types import whole
from gdb_epi.cli.fleet.output import add_forms, print_rows, print_table
from gdb_epi.errors import EXIT_DONE

if TYPE_CHECKING:
    from gdb_epi.fleet.questions.signatures import TopSignature

HELP = "the most frequent signatures, with hosts, first and last time and verdicts"
DEFAULT_LIMIT = 20
NARROW = ("signature", "verdicts", "category", "first seen")  # what goes below its row
HEADERS = (
    "crashes",
    "hosts",
    "first seen",
    "last seen",
    "category",
    "verdicts",
    "key",
    "signature",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--limit", type=whole(), default=DEFAULT_LIMIT, help="rows (default 20)")
    add_forms(parser)


def run(args: Namespace) -> int:
    """Print the table."""
    from gdb_epi.fleet.store.db import open_database

    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.questions.signatures import top_signatures

        rows = top_signatures(engine, args.limit)
    if args.json or args.csv:
        print_rows([row._asdict() for row in rows], as_csv=args.csv)
    else:
        # The columns already say the category: the text goes without `gsig/2 stable CATEGORY`.
        print_table(
            HEADERS,
            [_cells(row._replace(signature=_frames(row.signature))) for row in rows],
            "no crashes in this database",
            NARROW,
        )
    return EXIT_DONE


def _frames(signature: str | None) -> str | None:
    words = (signature or "").split(" ", 3)
    return words[3] if len(words) == 4 and words[0].startswith("gsig/") else signature


def _cells(row: TopSignature) -> list[object]:
    from gdb_epi.fleet.questions.seen import utc_time

    verdicts = ", ".join(f"{label} {n}" for label, n in row.verdicts.items())
    signature = row.signature or "(no signature)"
    seen = utc_time(row.first_seen), utc_time(row.last_seen)
    return [row.crashes, row.hosts, *seen, row.category or "", verdicts, row.key or "", signature]
