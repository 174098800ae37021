# SPDX-License-Identifier: Apache-2.0
"""`epi seen`: what the fleet knows of this core's signature."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.errors import InputError
from gdb_epi.registry import argument, command
from gdb_epi.report import Report
from gdb_epi.session import Session


@command("seen", arguments=(argument("--db", metavar="URL", help="database URL or SQLite file"),))
def show_fleet_history(session: Session, args: Namespace) -> Report:
    """Tell how often the fleet saw this crash, since when, and where.

    The signature is the key that groups this core (`epi signature`). SQLite databases are read
    without SQLAlchemy.
    """
    from gdb_epi.analysis import analyze
    from gdb_epi.fleet.questions.signature_history import (
        group_of_stored_core,
        history_lines,
        signature_history,
    )
    from gdb_epi.fleet.records.projection import group_key
    from gdb_epi.record.record_parts import get_group
    from gdb_epi.render.escape import wrap_text

    record = analyze(session)
    kind, key = group_key(record)
    if not key:
        raise InputError("there is no signature to look for", hint="epi signature --explain")
    kind, key = group_of_stored_core(args.db, str(record.get("core_key"))) or (kind, key)
    history = signature_history(args.db, kind, key, record)
    document = {"kind": kind, "key": key, **history._asdict()}
    lines = [*history_lines(history, of_a_core=True), f"Its key: {kind} {key}"]
    why = get_group(get_group(record, "signature"), "absent").get("native")
    if why and not history.this_one:
        lines += wrap_text(f"With the names of C functions it would be another key: {why}")
    return Report("seen", lines=lines, data=document)
