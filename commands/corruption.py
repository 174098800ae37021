# SPDX-License-Identifier: Apache-2.0
"""`epi corruption`: what speaks for damaged memory or a wrong computation, and what does not."""

from __future__ import annotations

from gdb_epi.argument_types import positive, whole
from gdb_epi.registry import argument, command
from gdb_epi.report import Report
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session


@command(
    "corruption",
    arguments=(
        argument(
            "--sweep", action="store_true", help="check all memory, not only the cheap places"
        ),
        argument("--seconds", type=positive("seconds"), metavar="S", help="of a sweep (120)"),
        argument("--budget", type=whole(), metavar="BYTES", help="of memory to read"),
        argument("--prior", metavar="NAME", help="ecc-servers, servers, consumer, or log10 odds"),
    ),
)
def corruption(session: Session, args: Namespace) -> Report:
    """Show the evidence for damaged memory: each item, what it was compared with, what it weighs.

    Candidates come with the bit, its direction and where the right value was found. What was not
    checked is listed with the reason. One core alone never says "hardware": the same bit, byte lane
    or CPU again on one host does. --sweep recomputes checksums over all memory.
    """
    from gdb_epi.render.corruption import corruption_report, run_study

    line = session.host.progress() if args.sweep and session.host is not None else None
    try:
        study = run_study(
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
    return corruption_report(study)
