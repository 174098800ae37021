# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi tasks`: which task of asyncio or trio waits for which, without GDB."""

from __future__ import annotations

from gdb_epi.cli.support.messages import print_report, repeated_file_options
from gdb_epi.cli.support.process_files import (
    add_core_argument,
    add_process_file_options,
    process_files,
)
from gdb_epi.typing_lite import ArgumentParser, Namespace
from gdb_epi.util import shell_word

GROUP = "One crash"
HELP = "which task of asyncio or trio waits for which"
READS_CORES = True


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_core_argument(parser)
    add_process_file_options(parser)
    parser.add_argument("--tree", action="store_true", help="who waits for whom: the default")
    parser.add_argument("--stacks", action="store_true", help="a list with stacks, no tree")
    parser.add_argument("--each", action="store_true", help="also those that are alike, one by one")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(args: Namespace) -> int:
    """Print the tasks."""
    from gdb_epi.cli.support.live_process import run_on_named_process

    command = "epi tasks" + " --tree" * (not args.stacks) + " --each" * args.each
    if (code := run_on_named_process(args, command)) is not None:
        return code
    from gdb_epi.cli.support.open_core import open_core
    from gdb_epi.errors import InputError
    from gdb_epi.process_state import ProcessState
    from gdb_epi.render.task_tree import FRAMES, tasks_report

    with open_core(args.core, *process_files(args)) as target:
        state = ProcessState(target)
        try:
            report = tasks_report(state, FRAMES, tree=not args.stacks, each=args.each)
        except InputError as error:
            error.hint = f"gdb-epi triage {shell_word(args.core)}{repeated_file_options(args)}"
            raise
    return print_report(report, as_json=args.json)
