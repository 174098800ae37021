# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet mark`: say what became of a signature or a host."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from gdb_epi.cli.fleet.output import add_database_option, add_who_option, print_lines

HELP = "the life of a bug or a host: acknowledged, fixed in a version, drained, repaired ..."
EPILOG = (
    "A signature: --acknowledged, --fixed-in VERSION, --ignore-until DAY, --new (takes it back). "
    "A crash on VERSION or a later one raises it again; --of says whose version: an attribute "
    "(image, kernel ...), python, an imported package (torch), or the last name of an image "
    "(checkout of registry/checkout:7.3). A host: --suspect, --drained, "
    "--repaired, --back, --healthy; --on DAY says it later. What a repaired host did before "
    "counts against it no more. `fleet states` shows what holds and who said so."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    from gdb_epi.fleet.decisions.current_state import HOST, SIGNATURE, STATE_WORDS

    parser.add_argument(
        "about", metavar="signature|host", choices=(SIGNATURE, HOST), help="what is marked"
    )
    parser.add_argument("name", metavar="KEY|HOST", help="a key or its start; the name of a host")
    state = parser.add_mutually_exclusive_group()
    for name, words in {**STATE_WORDS[SIGNATURE], **STATE_WORDS[HOST]}.items():
        state.add_argument(f"--{name}", dest="state", action="store_const", const=name, help=words)
    state.add_argument("--fixed-in", metavar="VERSION", help="the first version that has the fix")
    state.add_argument("--ignore-until", metavar="DAY", help="silent up to and with this day")
    parser.add_argument("--on", metavar="DAY", help="of a host: when that was (today)")
    parser.add_argument("--of", metavar="NAME", help="whose version (version)")
    parser.add_argument("--owner", metavar="WHO", help="who looks after it")
    parser.add_argument("--ticket", metavar="ID", help="a number or address of a ticket")
    parser.add_argument("--note", metavar="TEXT", help="why")
    add_who_option(parser)
    add_database_option(parser)


def run(args: Namespace) -> None:
    """Write the decision down and say what holds now."""
    from gdb_epi.fleet.decisions.current_state import current_user_name
    from gdb_epi.fleet.store.database import open_database

    with open_database(args.db, write=True, create=False) as engine:
        from gdb_epi.fleet.decisions.record_decision import DecisionToRecord, record_decision

        decision = DecisionToRecord(
            about=args.about,
            name=args.name,
            state=args.state,
            who=args.by or current_user_name(),
            fixed_in=args.fixed_in,
            version_of=args.of,
            ignore_until=args.ignore_until,
            owner=args.owner,
            ticket=args.ticket,
            note=args.note,
            on=args.on,
        )
        print_lines(record_decision(engine, decision, time.time()).lines)
