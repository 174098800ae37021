# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet states`: what was decided of signatures and hosts, and what holds now."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdb_epi.cli.fleet.output import (
    add_day_and_output_options,
    end_of_day,
    parse_day_argument,
    print_line,
    print_lines_by_causes,
)
from gdb_epi.cli.support.messages import repeated_database_option
from gdb_epi.util import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gdb_epi.fleet.decisions.states import StateWithCrashes

HELP = "the states of signatures and hosts: acknowledged, fixed, regressed, drained ...; history"
EPILOG = "`fleet mark` changes them."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", metavar="KEY|HOST", nargs="?", help="only this one (all)")
    parser.add_argument("--history", action="store_true", help="who said what, and when")
    add_day_and_output_options(parser, "a JSON array", csv=False)


def run(args: Namespace) -> None:
    """Print them, what needs a person first."""
    from gdb_epi.fleet.store.database import open_database

    with open_database(args.db, write=False) as engine, engine.connect() as connection:
        from gdb_epi.fleet.decisions.current_state import HOST
        from gdb_epi.fleet.decisions.states import read_decision_states
        from gdb_epi.fleet.population.host_spelling import match_spellings
        from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

        asof = parse_day_argument(args.asof)
        until = end_of_day(asof)
        states = read_decision_states(
            sqlalchemy_executor(connection), min(time.time(), until - 1), until
        )
    if args.name is not None:
        meant = match_spellings([args.name], [s.current.subject.name for s in states])
        states = [
            s for s in states
            if s.current.subject.name.startswith(args.name)
            or (s.current.subject.about == HOST and s.current.subject.name in meant)
        ]  # fmt: skip
    if args.json:
        print(json.dumps([state.as_json() for state in states], indent=1))
        return
    again = repeated_database_option(args)
    history = args.history or args.name is not None
    print_lines_by_causes(
        args.db, (line for state in states for line in _state_lines(state, history=history))
    )
    if not states and args.name is not None:
        print_line(f"nothing was decided of {args.name}; all: gdb-epi fleet states{again}")
    elif not states:
        print_line(
            f"nothing was decided yet; gdb-epi fleet mark signature KEY --acknowledged{again}"
        )


def _state_lines(state: StateWithCrashes, *, history: bool) -> Iterator[str]:
    from gdb_epi.fleet.decisions.fix_assessment import describe_fix
    from gdb_epi.fleet.questions.signature_history import format_utc_time
    from gdb_epi.fleet.store.day_numbers import utc_day_text
    from gdb_epi.render.signature_words import signature_phrase_and_key

    held = state.current
    what = f"{held.subject.about} {held.subject.name}"
    yield f"{state.state:<12}  {utc_day_text(held.since)}  {what}"
    if state.text != held.subject.name:
        yield f"      {signature_phrase_and_key(state.text)}"
    words = [counted(state.crashes, "crash")]
    if state.last is not None:
        words.append(f"the last {format_utc_time(state.last)}")
    yield f"      {', '.join([*words, *held.owner_and_ticket()])}"
    if state.fix is not None:
        yield f"      {describe_fix(state.fix)}"
    if held.mark is not None and held.mark.until is not None:
        yield f"      until {utc_day_text(held.mark.until - 1)}"
    if held.note and (state.fix is None or held.note != describe_fix(state.fix)):
        yield f"      note: {held.note}"
    for mark in held.history if history else ():
        yield f"        {format_utc_time(mark.at)}  {mark.words()}"
