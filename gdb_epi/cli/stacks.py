# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi stacks`: the Python stacks of a core, nothing else, as fast as can be.

No GDB, no judgement, no database: what one looks at first. Like `py-spy dump --core`.
"""

from __future__ import annotations

import os
import stat
import sys

from gdb_epi.cli.support.process_files import (
    add_core_argument,
    add_process_file_options,
    process_files,
)
from gdb_epi.typing_lite import TYPE_CHECKING, ArgumentParser, Namespace

if TYPE_CHECKING:
    from gdb_epi.target.corefile import CoreFileTarget

GROUP = "One crash"
HELP = "print the Python stacks of a core, nothing else"
READS_CORES = True
CORE_MAGIC = b"\x7fELF"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_core_argument(parser)
    add_process_file_options(parser)
    add = parser.add_argument
    add("--locals", action="store_true", help="values of locals too, and tasks; secrets are masked")
    add("--all", action="store_true", help="of locals: the whole of each value")
    add("--json", action="store_true", help="as JSON")
    parser.add_argument(
        "--color", choices=("auto", "on", "off"), default="auto", help="auto: on a terminal"
    )


def run(args: Namespace) -> int:
    """Print the stacks."""
    exe, sysroot = process_files(args)
    if args.core.isdecimal() or args.core.startswith("/proc/"):
        from gdb_epi.cli.support.live_process import run_on_named_process

        if (
            code := run_on_named_process(args, "epi bt --python" + " --locals" * args.locals)
        ) is not None:
            return code
        if args.core.isdecimal() and not os.path.lexists(args.core):
            from gdb_epi.cli.support.core_files import no_such_process_error

            raise no_such_process_error(args.core)
    if not _is_packed(args.core):
        from gdb_epi.target.corefile import CoreFileTarget

        return _print_stacks(CoreFileTarget.open(args.core, exe=exe, sysroot=sysroot), args)
    from gdb_epi.cli.support.open_core import open_core

    with open_core(args.core, exe, sysroot) as target:
        return _print_stacks(target, args)


def _is_packed(path: str) -> bool:
    """Whether a file must be unpacked; of what is no file, opening it as a core says what it is."""
    from gdb_epi.cli.support.core_files import is_remote

    if is_remote(path):
        return True  # opened_core() gets it
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False  # a FIFO would be waited for
        with open(path, "rb") as stream:
            return stream.read(4) != CORE_MAGIC
    except (OSError, ValueError):
        return False


def _print_stacks(target: CoreFileTarget, args: Namespace) -> int:
    if args.json:
        import json

        from gdb_epi.process_state import ProcessState
        from gdb_epi.record.stacks import stacks_json

        print(json.dumps(stacks_json(ProcessState(target), locals=args.locals)))
        return 0
    from gdb_epi.cli.support.messages import repeated_file_options
    from gdb_epi.cpython.runtime.python_state import decode_python
    from gdb_epi.errors import Absent, InputError
    from gdb_epi.render.escape import escape
    from gdb_epi.render.python_stacks import crashed_or_took_signal_words, python_stack_lines
    from gdb_epi.render.report_text import MAX_NOTES_OF_STACKS, soft_error_lines
    from gdb_epi.target.api import pid_of
    from gdb_epi.util import shell_word

    python = decode_python(target)
    cut = _cut_off_words(target)
    if isinstance(python, Absent):
        command = f"gdb-epi triage {shell_word(args.core)}{repeated_file_options(args)}"
        raise InputError(f"no Python stacks: {cut and f'{cut}; '}{python.detail}", hint=command)
    errors = [*target.soft_errors, *python.soft_errors]
    errors += [error for thread in python.threads() for error in thread.soft_errors]
    pid = pid_of(target)
    if args.locals:
        from gdb_epi.cli.support.triage_output import stacks_lines
        from gdb_epi.process_state import ProcessState
        from gdb_epi.record.stacks import stacks_json

        stacks = stacks_json(ProcessState(target), locals=True)
        ending = crashed_or_took_signal_words(target.crash(), pid)
        lines = list(stacks_lines(stacks, ending, whole=args.all))[1:]
    else:
        lines = [*map(escape, python_stack_lines(python, target.crash(), pid, cut))]
        if cut:  # what cannot be read follows from that
            follows = "cannot read", "truncated: the headers"
            errors = [e for e in errors if not any(words in e.message for words in follows)]
            errors = [e for e in errors if e.stage in ("core", "python")]
        lines += soft_error_lines(errors, MAX_NOTES_OF_STACKS)
    if args.color == "on" or (args.color == "auto" and sys.stdout.isatty()):
        from gdb_epi.render.color import colored_lines, wants_color

        lines = list(colored_lines(lines)) if wants_color(args.color, sys.stdout) else lines
    sys.stdout.write("".join(line + "\n" for line in lines))
    return 0


def _cut_off_words(target: CoreFileTarget) -> str:
    """Return how much of a core was cut off; "" for a whole one."""
    truncation = target.truncation()
    if not truncation.truncated:
        return ""
    from gdb_epi.render.fault_lines import cut_off_words

    missing = {"missing_bytes": truncation.missing_bytes, "reason": truncation.reason}
    how_much, _, why = cut_off_words(missing).partition(": ")
    return f"{how_much} is missing: {why}"
