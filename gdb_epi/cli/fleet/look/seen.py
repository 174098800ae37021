# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet seen`: how often a signature was seen."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from gdb_epi.cli.fleet.output import add_output_options, print_line, print_lines

HELP = "how often a signature was seen, since when, on which hosts, with what verdicts"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("signature", metavar="SIGNATURE", help="a key, its start, or a part of it")
    add_output_options(parser, "one JSON object", csv=False)


def run(args: Namespace) -> None:
    """Print the answer. Raises InputError when no signature fits."""
    from gdb_epi.fleet.store.database import open_database

    with open_database(args.db, write=False) as engine, engine.connect() as connection:
        from gdb_epi.fleet.population.cache import load_population_without_attributes
        from gdb_epi.fleet.questions.find_signature import require_signature
        from gdb_epi.fleet.questions.lookup import first_and_last_believed_time
        from gdb_epi.fleet.questions.signature_history import (
            history_lines,
            read_signature_history,
            signature_title,
        )
        from gdb_epi.fleet.questions.signatures import find_program
        from gdb_epi.fleet.records.facts import SEVERAL, program_in_words
        from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor
        from gdb_epi.fleet.store.tables import crash

        execute = sqlalchemy_executor(connection)
        group = require_signature(execute, args.signature)
        history = read_signature_history(execute, group.kind, group.key, {})
        mine = crash.c.sig_id.in_(group.ids)
        first, last, not_believed = first_and_last_believed_time(
            connection, load_population_without_attributes(engine), mine
        )
        gap = "" if not_believed else history.gap
        history = history._replace(first=first, last=last, gap=gap)
        program = find_program(connection, mine)
    if args.json:
        print(json.dumps({"kind": group.kind, "key": group.key, **history._asdict()}))
        return
    labels = [label for label, _ in history.verdicts]
    of_program = f" of {program_in_words(program)}" if program else ""
    several = ", so it may be several bugs" if program == SEVERAL else ""
    print_line(f"{signature_title(group.name, group.category, labels)}{of_program}{several}")
    print_lines(history_lines(history))
    if not_believed:
        clocks = f"the clocks of {not_believed} of them were wrong"
        print_line(f"{clocks}: not in these times (gdb-epi fleet check)")
