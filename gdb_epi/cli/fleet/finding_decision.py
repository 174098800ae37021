# SPDX-License-Identifier: Apache-2.0
"""What `fleet confirm`, `dismiss` and `reopen` share."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gdb_epi.cli.fleet.output import add_database_option
from gdb_epi.errors import UsageError

MAX_DIGITS = 10


def add_finding_decision_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("id", metavar="ID", help="the number in `fleet findings`")
    parser.add_argument("--note", metavar="TEXT", help="why; kept beside it")
    add_database_option(parser)


def set_state_of_finding(args: Namespace, state: str) -> None:
    """Set the state of a finding and say so. Raises InputError when there is no such finding."""
    from gdb_epi.fleet.store.database import open_database

    if not (args.id.isascii() and args.id.isdigit() and len(args.id) < MAX_DIGITS):
        raise UsageError(
            f"{args.id!r} is not the number of a finding", hint="gdb-epi fleet findings"
        )
    with open_database(args.db, write=True, create=False) as engine:
        from gdb_epi.fleet.decisions.finding_states import set_finding_state

        set_finding_state(engine, int(args.id), state, args.note)
    print(f"finding {args.id} is {state}")
