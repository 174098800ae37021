# SPDX-License-Identifier: Apache-2.0
"""Any command `epi NAME`, in the shell: `gdb-epi NAME CORE ...`. GDB runs it once and ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from gdb_epi.cli.support.live_process import attach_and_run, is_process_number, refuse_process_files
from gdb_epi.cli.support.process_files import (
    add_core_argument,
    add_process_file_options,
    process_files,
)
from gdb_epi.errors import EXIT_UNUSABLE_INPUT, EpiError, InputError, UsageError
from gdb_epi.loader import load_commands
from gdb_epi.registry import COMMANDS
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import shell_word

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable

ANSWER = "answer"
_REFUSED_CORE = "is not a core dump: "  # as GDB says it
_COMMAND_OF_GDB = r"(?<![-\w])(help )?epi ([a-z]+)"  # as a hint names it


def run_gdb_command(name: str, words: Sequence[str]) -> int:
    """Run `epi NAME` on the core or process that the first word names, and print its answer.

    The other words are the command's own, but for --exe and --sysroot. Returns the exit code.
    Raises UsageError, InputError, NoUsableGdb.
    """
    if name not in commands_in_shell():
        raise UsageError(f"{name} works in GDB only", hint=f"source gdb_epi, then epi {name}")
    from argparse import ArgumentParser

    parser = ArgumentParser(prog=f"gdb-epi {name}", add_help=False, allow_abbrev=False)
    add_process_file_options(parser)
    files, own = parser.parse_known_args(list(words[1:]))
    command = " ".join(["epi", name, *map(_quote_for_command_parser, own)])

    def reword_for_shell(answer: str) -> str:
        return answer if "--json" in own else reword_answer_for_shell(name, answer, words[0])

    try:
        core = words[0]
        if is_process_number(core):
            refuse_process_files(files)
            return attach_and_run(core, [command], reword=reword_for_shell)
        if len(files.sysroot or ()) > 1:
            hint = "that one alone; triage, stacks and corruption take several"
            raise UsageError(f"{name} takes one --sysroot, as GDB does", hint=hint)
        exe, sysroot = process_files(files)
        return _run_on_core(core, command, exe, sysroot, reword_for_shell)
    except EpiError as error:
        error.hint = _hint_as_typed_in_shell(error.hint, words[0])
        raise


def names_no_core(name: str, words: Sequence[str]) -> bool:
    """Tell whether a command that works without a core was given none: a page, a layout."""
    from gdb_epi.cli.support.core_files import is_remote

    if name not in commands_in_shell() or COMMANDS[name].needs != "nothing" or "--help" in words:
        return False
    return not any(is_process_number(w) or is_remote(w) or os.path.lexists(w) for w in words)


def run_without_core(name: str, values: Namespace) -> int:
    """Run such a command here, without GDB, and print its answer. Raises what it raises."""
    from gdb_epi.cli.support.messages import print_report
    from gdb_epi.render.report_text import render_report
    from gdb_epi.session import Session

    try:
        report = COMMANDS[name].run(Session(None), values)
    except EpiError as error:
        error.hint = _hint_as_typed_in_shell(error.hint, "")
        raise
    if values.json:
        return print_report(report, as_json=True)
    sys.stdout.write(reword_answer_for_shell(name, render_report(report), "") + "\n")
    return report.exit_code


def reword_answer_for_shell(name: str, answer: str, core: str) -> str:
    """Return what a command answered with commands for the shell; values of the process stay."""
    from gdb_epi.render.escape import fold_line, screen_width

    ours = not COMMANDS[name].shows_values  # a text of the process may look like a hint
    lines = []
    for line in answer.split("\n"):
        typed = _hint_as_typed_in_shell(line, core) if ours or line.startswith("note: ") else line
        lines += [line] if typed == line else fold_line(typed, screen_width())
    return "\n".join(lines)


def commands_in_shell() -> list[str]:
    """Return the names of the commands that the shell runs too; some are verbs as well."""
    load_commands()
    return sorted(name for name, command in COMMANDS.items() if command.in_shell)


class CommandVerb:
    """A command of GDB as the shell takes it: what its help and the completion of shells show."""

    def __init__(self, name: str, *, of_core: bool = True) -> None:
        from inspect import cleandoc

        self._command = COMMANDS[name]
        self._of_core = of_core
        text = _hint_as_typed_in_shell(cleandoc(self._command.run.__doc__ or ""), "CORE")
        summary, _, self.EPILOG = text.partition("\n")
        self.HELP = summary.removesuffix(".")

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare those of the command, after the core."""
        if self._of_core:
            add_core_argument(parser)
        for argument in self._command.arguments:
            options = {key: value for key, value in argument.options.items() if key != "type"}
            options["help"] = _hint_as_typed_in_shell(options.get("help", ""), "CORE")
            if not argument.flags[0].startswith("-"):
                options.setdefault("metavar", argument.flags[0].upper())
            if options.get("nargs") == "*":  # else argparse calls it required
                options.setdefault("default", ())
            parser.add_argument(*argument.flags, **options)
        parser.add_argument("--json", action="store_true", help="print JSON")
        if self._of_core:
            add_process_file_options(parser)


def _hint_as_typed_in_shell(hint: str, core: str) -> str:
    """Return a hint whose commands of GDB are those to paste into the shell; "" is no core."""
    import re

    def shell_command(match: re.Match[str]) -> str:
        name = match[2]
        if name not in commands_in_shell():
            return match[0]
        if match[1]:
            return f"gdb-epi {name} --help"
        if not core and COMMANDS[name].needs == "nothing":
            return f"gdb-epi {name}"
        return f"gdb-epi {name} {shell_word(core) if core else 'CORE'}"

    return re.sub(_COMMAND_OF_GDB, shell_command, hint)


def _run_on_core(
    core: str, command: str, exe: str | None, sysroot: str | None, reword: Callable[[str], str]
) -> int:
    from subprocess import DEVNULL, PIPE, STDOUT
    from subprocess import run as run_process

    from gdb_epi.cli.support.core_files import core_at
    from gdb_epi.cli.support.native_gdb import (
        NoUsableGdb,
        core_command_line,
        executable_for_gdb,
        find_gdb,
        gdb_environment,
        why_gdb_is_not_started,
    )
    from gdb_epi.cli.support.open_core import ScratchFolder, unpacked_core_path
    from gdb_epi.target.corefile import CoreFileTarget

    gdb = find_gdb(None)
    if gdb is None:
        raise NoUsableGdb("no gdb found")
    scratch = ScratchFolder()
    try:
        with unpacked_core_path(core_at(core), scratch) as (path, _damaged):
            target = CoreFileTarget.open(path, exe=exe, sysroot=sysroot)
            exe = executable_for_gdb(target, exe)
            refused = why_gdb_is_not_started(target, exe, sysroot)
            if refused is not None:
                raise InputError(refused, hint="--sysroot DIR")
            answer = os.path.join(scratch.path(), ANSWER)
            asked = [f"{command} --output {answer}", "quit $epi_status"]
            words = core_command_line(path, exe, sysroot, gdb, asked)
            done = run_process(
                words, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT, env=gdb_environment(), check=False
            )
        if not os.path.exists(answer):
            raise _error_of_gdb(done.stdout.decode("utf-8", "replace"), done.returncode, core)
        with open(answer, encoding="utf-8", errors="replace") as stream:
            sys.stdout.write(reword(stream.read().rstrip("\n") + "\n"))
    finally:
        scratch.remove()
    return done.returncode


def _error_of_gdb(printed: str, code: int, core: str) -> EpiError:
    """Return what a command said that gave no answer, with its own exit code."""
    if _REFUSED_CORE in printed:
        refused = f"{core}: GDB cannot open this core: it was cut off, or is damaged"
        return InputError(refused, hint=f"gdb-epi triage {shell_word(core)}, which can")
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    message, _, hint = (lines[-1] if lines else f"GDB ended with {code}").partition("; try: ")
    error: EpiError = InputError(message.removeprefix("epi "), hint=hint or "gdb-epi doctor")
    error.exit_code = code or EXIT_UNUSABLE_INPUT
    return error


def _quote_for_command_parser(word: str) -> str:
    """Return a word as the command's own parser takes it apart."""
    return f"'{word}'" if any(c.isspace() for c in word) and "'" not in word else word
