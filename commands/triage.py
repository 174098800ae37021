# SPDX-License-Identifier: Apache-2.0
"""`epi triage`: the one-screen answer."""

from __future__ import annotations

from gdb_epi.registry import command
from gdb_epi.report import Report
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session


@command("triage")
def triage(session: Session, _args: Namespace) -> Report:
    """Say on one screen what died, where, who, why, and what could not be had.

    Every statement names its evidence; "cannot tell" is an answer. --json prints the record.
    """
    from gdb_epi.analysis import analyze
    from gdb_epi.render.triage import render_triage

    record = analyze(session)
    return Report("triage", lines=render_triage(record), data=record)
