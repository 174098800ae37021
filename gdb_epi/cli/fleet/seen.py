# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet seen`: how often a signature was seen."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from gdb_epi.cli.fleet.output import add_output_options, print_line

GROUP = "Look"
HELP = "how often a signature was seen, since when, on which hosts, with what verdicts"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("signature", metavar="SIGNATURE", help="a key, its start, or a part of it")
    add_output_options(parser, "one JSON object", csv=False)


def run(args: Namespace) -> None:
    """Print the answer. Raises InputError when no signature fits."""
    from gdb_epi.fleet.store.database import open_database

    with open_database(args.db, write=False) as engine, engine.connect() as connection:
        from gdb_epi.fleet.questions.find_signature import require_signature
        from gdb_epi.fleet.questions.lookup import summarise_signature
        from gdb_epi.fleet.questions.signature_history import (
            history_lines,
            read_signature_history,
            signature_title,
        )
        from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

        execute = sqlalchemy_executor(connection)
        group = require_signature(execute, args.signature)
        history = read_signature_history(execute, group.kind, group.key, {})
        summary = summarise_signature(engine, group)  # its times are judged by their neighbours
        history = history._replace(first=summary.first, last=summary.last)
    if args.json:
        print(json.dumps({"kind": group.kind, "key": group.key, **history._asdict()}))
        return
    labels = [label for label, _ in history.verdicts]
    for line in (signature_title(group.name, group.category, labels), *history_lines(history)):
        print_line(line)
    if summary.not_believed:
        clocks = f"the clocks of {summary.not_believed} of them were wrong"
        print_line(f"{clocks}: not in these times (gdb-epi fleet check)")
