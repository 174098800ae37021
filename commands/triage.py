# SPDX-License-Identifier: Apache-2.0
"""`epi triage`: the one-screen answer."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.registry import argument, command
from gdb_epi.report import Report
from gdb_epi.session import Session


@command(
    "triage",
    arguments=(
        argument("--evidence", action="store_true", help="also what each statement rests on"),
        argument("--all", action="store_true", help="every frame and note, however many"),
        argument("--for-shell", action="store_true", help="name commands of the shell, not of GDB"),
        argument("--db", help="the database to ask of earlier crashes"),
        argument("--no-db", action="store_true", help="ask no database"),
    ),
)
def show_triage(session: Session, args: Namespace) -> Report:
    """Say on one screen what happened, why, where, and what to do next.

    "Cause not known" is an answer. --evidence shows what the answer rests on, --json the record.
    """
    from gdb_epi.analysis import analyze

    record = analyze(session)
    if args.json:  # the record alone: nothing is looked up for a screen
        return Report("triage", data=record)
    from gdb_epi.fleet.earlier_crashes import EarlierCrashes, read_earlier_crashes
    from gdb_epi.record.record_parts import verdict_label
    from gdb_epi.render.source_lines import (
        line_that_ran,
        tasks_of_hang_answer,
        truncated_mapped_file,
    )
    from gdb_epi.render.triage import GDB, SHELL, Audience, render_triage
    from gdb_epi.util import shell_word

    ask = read_earlier_crashes
    decided, number, seen = EarlierCrashes() if args.no_db else ask(args.db, record)
    reader = Audience(
        GDB, evidence=args.evidence, whole=args.all, decided=decided, seen=seen, earlier=number,
        line=line_that_ran(session, record), tasks=tasks_of_hang_answer(session, record),
        database=f" --db {shell_word(args.db)}" if args.db else " --no-db" * args.no_db,
        ended_file=truncated_mapped_file(session, record),
    )  # fmt: skip
    if args.for_shell:  # its verbs take the number of a process in place of a core
        pid = record.get("process", {}).get("pid")
        reader = reader._replace(place=SHELL, core=str(pid))
    lines = render_triage(record, reader)
    return Report("triage", lines=lines, data=record, label=verdict_label(record))
