# SPDX-License-Identifier: Apache-2.0
"""`epi corruption`: what speaks for damaged memory or a wrong computation, and what does not."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.argument_types import positive_number, whole_number
from gdb_epi.registry import argument, command
from gdb_epi.report import Report
from gdb_epi.session import Session


@command(
    "corruption",
    arguments=(
        argument(
            "--sweep", action="store_true", help="check all memory, not only the cheap places"
        ),
        argument(
            "--seconds",
            type=positive_number("seconds"),
            metavar="S",
            help="time limit of a sweep (120)",
        ),
        argument("--budget", type=whole_number(), metavar="BYTES", help="of memory to read"),
        argument("--prior", metavar="NAME", help="ecc-servers, servers, consumer, or log10 odds"),
        argument("--evidence", action="store_true", help="also weights, odds and names of checks"),
    ),
)
def show_corruption_evidence(session: Session, args: Namespace) -> Report:
    """Tell whether memory was damaged: where, and what shows it.

    What was not checked is listed with the reason. One core alone never says "hardware": the same
    bit, byte lane or CPU again on one host does. --sweep recomputes checksums over all memory,
    --evidence shows what each sign weighs; `epi explain NAME` has a page on it.
    """
    from gdb_epi.render.corruption import corruption_report, run_detectors_and_checks

    line = session.host.progress() if args.sweep and session.host is not None else None
    try:
        study = run_detectors_and_checks(
            session.state,
            sweep=args.sweep,
            seconds=args.seconds,
            size=args.budget,
            prior=args.prior,
            progress=line.show if line is not None else None,
        )
    finally:
        if line is not None:
            line.clear()
    return corruption_report(study, numbers=args.evidence)
