# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi corruption`: the evidence for damaged memory in a core, without GDB."""

from __future__ import annotations

from gdb_epi.argument_types import positive_number, whole_number
from gdb_epi.cli.support.messages import print_report
from gdb_epi.cli.support.process_files import (
    add_core_argument,
    add_process_file_options,
    process_files,
)
from gdb_epi.typing_lite import ArgumentParser, Namespace

GROUP = "One crash"
HELP = "was memory damaged: which word and bit, and what shows it"
READS_CORES = True


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_core_argument(parser)
    add_process_file_options(parser)
    parser.add_argument(
        "--sweep", action="store_true", help="check all memory, not only the cheap places"
    )
    parser.add_argument(
        "--seconds",
        type=positive_number("seconds"),
        metavar="S",
        help="most seconds of a sweep (120)",
    )
    parser.add_argument(
        "--budget", type=whole_number(), metavar="BYTES", help="most memory to read"
    )
    parser.add_argument(
        "--prior",
        metavar="NAME",
        help="how often memory fails there: ecc-servers, servers, consumer, log10 odds",
    )
    parser.add_argument(
        "--evidence", action="store_true", help="also weights, odds and names of checks"
    )
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(args: Namespace) -> int:
    """Print the evidence."""
    from gdb_epi.cli.support.live_process import run_on_named_process

    command = "epi corruption" + " --sweep" * args.sweep + " --evidence" * args.evidence
    if (code := run_on_named_process(args, command)) is not None:
        return code
    from gdb_epi.cli.support.open_core import open_core
    from gdb_epi.cli.support.progress_bar import ProgressBar
    from gdb_epi.process_state import ProcessState
    from gdb_epi.render.corruption import corruption_report, run_detectors_and_checks

    bar: list[ProgressBar] = []

    def progress(done: int, total: int) -> None:
        if not bar:
            bar.append(ProgressBar(total >> 20))
        bar[0].show(done >> 20, 0)

    with open_core(args.core, *process_files(args)) as target:
        study = run_detectors_and_checks(
            ProcessState(target),
            sweep=args.sweep,
            seconds=args.seconds,
            size=args.budget,
            prior=args.prior,
            progress=progress,
        )
        for drawn in bar:
            drawn.clear()
        report = corruption_report(study, numbers=args.evidence)
    return print_report(report, as_json=args.json)
