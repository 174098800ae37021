# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi memory`: what fills the memory of a process, without GDB."""

from __future__ import annotations

from gdb_epi.cli.support.messages import print_report
from gdb_epi.cli.support.process_files import (
    add_core_argument,
    add_process_file_options,
    process_files,
)
from gdb_epi.typing_lite import ArgumentParser, Namespace

GROUP = "One crash"
HELP = "what fills the memory: types, and the variables that hold most"
READS_CORES = True


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_core_argument(parser)
    add_process_file_options(parser)
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(args: Namespace) -> int:
    """Print what fills the memory."""
    from gdb_epi.cli.support.live_process import run_on_named_process

    if (code := run_on_named_process(args, "epi memory")) is not None:
        return code
    from gdb_epi.cli.support.open_core import open_core
    from gdb_epi.process_state import ProcessState
    from gdb_epi.render.causes.memory_use import memory_report

    with open_core(args.core, *process_files(args)) as target:
        report = memory_report(ProcessState(target))
    return print_report(report, as_json=args.json)
