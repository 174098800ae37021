# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet correlate`: attributes that go together."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from gdb_epi.cli.fleet.output import add_forms
from gdb_epi.errors import EXIT_DONE, UsageError

HELP = "pairs of attributes that go together (Cramer's V); nested and aliased ones are named"
LIMIT = 30
_WORDS = {"same": "is the same as", "decides": "decides", "together": "goes with", "apart": "-"}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--limit", type=int, default=LIMIT, help="pairs (30)")
    add_forms(parser, "one JSON object")


def run(args: Namespace) -> int:
    """Print the pairs, the strongest first."""
    if args.limit < 1:
        raise UsageError("--limit must be at least 1")
    from gdb_epi.cli.fleet.output import print_rows, print_table
    from gdb_epi.fleet.db import open_database
    from gdb_epi.render.text import escape

    with open_database(args.db, write=False) as engine:
        from gdb_epi.fleet.correlate import correlate
        from gdb_epi.fleet.population import load

        found = correlate(load(engine))
    pairs = found.pairs[: args.limit]
    if args.csv:
        print_rows([pair._asdict() for pair in pairs], as_csv=True)
    elif args.json:
        whole = {"groups": found.groups, "nested": found.nested}
        print(json.dumps({"pairs": [pair._asdict() for pair in pairs], **whole}))
    elif not found.pairs:
        print("no two attributes vary")
    else:
        rows = [
            (p.first, _WORDS[p.relation], p.second, f"{p.v:.2f}", p.rows, p.source) for p in pairs
        ]
        print_table(("attribute", "", "attribute", "V", "rows", "of"), rows)
        for group in found.groups:
            print(escape(f"one in all but name: {', '.join(group)}"))
    return EXIT_DONE
