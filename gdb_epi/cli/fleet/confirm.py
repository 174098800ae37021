# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet confirm`: say that a finding is true."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gdb_epi.cli.fleet.decision import add_decision, run_decision

GROUP = "Every day"
HELP = "a finding is true: it stays raised, and is not raised again"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_decision(parser)


def run(args: Namespace) -> int:
    """Set the state. Raises InputError when there is no such finding."""
    return run_decision(args, "confirmed")
