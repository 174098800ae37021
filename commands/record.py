# SPDX-License-Identifier: Apache-2.0
"""`epi record`: the whole record of this core as JSON."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.registry import command
from gdb_epi.report import Report, unfolded_lines
from gdb_epi.session import Session


@command("record", shows_values=True)
def show_record(session: Session, _args: Namespace) -> Report:
    """Show the record of this core, as the fleet database gets it.

    The same core gives the same record. What was left out is under `redaction`, what could not be
    had under `soft_errors`. --json prints it on one line.
    """
    import json

    from gdb_epi.analysis import analyze

    made = analyze(session)
    text = json.dumps(made, indent=2, ensure_ascii=True)
    return Report("record", lines=unfolded_lines(text), data=made)
