# SPDX-License-Identifier: Apache-2.0
"""The `epi` prefix command, and one GDB command for every entry of the registry.

Help texts and completion are made from the registry, without importing argparse.
Exit codes: `$epi_status` holds the exit code of the last `epi` command.
A failing command raises gdb.GdbError, which stops a `-x` script with exit status 1.
"""

from __future__ import annotations

import os

import gdb

from gdb_epi.errors import EXIT_DONE, EXIT_FAILED, EpiError, InputError, SoftError, UsageError
from gdb_epi.gdbhost.output import gdb_error, show_text, write_file
from gdb_epi.loader import load_commands
from gdb_epi.registry import COMMANDS, Argument, Command
from gdb_epi.render.escape import escape

COMMON_HELP = (
    ("--json", "print JSON instead of text"),
    ("--output FILE", "write into FILE, replacing it in one step"),
)
STATUS_VARIABLE = "epi_status"
HELP_WIDTH = 79  # columns: GDB breaks longer lines of a help text within words


def help_text(command: Command) -> str:
    """Return the text of `help epi NAME`."""
    shown = []
    for argument in command.arguments:
        word = _value_placeholder(argument)
        if _is_flag(argument):
            word = f"{', '.join(argument.flags)} {word}".rstrip()
        shown.append((word, str(argument.options.get("help") or "").replace("%%", "%")))
    shown += COMMON_HELP
    usage = " ".join(_usage_word(argument) for argument in command.arguments)
    width = max(len(word) for word, _ in shown)
    # The lines of a docstring for a terminal of 80 columns
    text = command.run.__doc__ or ""
    paragraphs = "\n".join(line.strip() for line in text.strip().splitlines()).split("\n\n")
    lines = _filled_lines(" ".join(paragraphs[0].split()))
    for paragraph in paragraphs[1:]:
        lines += ["", *_filled_lines(" ".join(paragraph.split()))]
    usage = f"Usage: epi {command.name} {usage}".rstrip() + " [--json] [--output FILE]"
    lines += ["", *_filled_lines(usage, 6), ""]
    for word, about in shown:
        lines += _filled_lines(f"  {word:<{width}}  {about}".rstrip(), width + 4)
    return "\n".join(lines)


def _filled_lines(text: str, indent: int = 0) -> list[str]:
    """Return a text as lines, `indent` before all but the first. Importing textwrap costs 5 ms."""
    lines = [""]
    head = len(text) - len(text.lstrip())
    for word in text.split(" "):
        if len(lines[-1]) + len(word) > HELP_WIDTH and len(lines[-1]) > head:
            lines[-1] = lines[-1].rstrip()
            lines.append(" " * indent)
        lines[-1] += word + " "
    return [line.rstrip() for line in lines]


def option_words(command: Command) -> list[str]:
    """Return the long options of a command, for completion."""
    own = [flag for a in command.arguments for flag in a.flags if flag.startswith("--")]
    return sorted({*own, "--json", "--output", "--help"})


def files_with_prefix(beginning: str) -> list[str]:
    """Return the files whose path starts so; folders end with a slash."""
    folder, name = os.path.split(beginning)
    try:
        entries = sorted(os.scandir(folder or "."), key=lambda entry: entry.name)
    except OSError:
        return []
    return [
        os.path.join(folder, entry.name) + "/" * entry.is_dir()
        for entry in entries
        if entry.name.startswith(name) and (name or not entry.name.startswith("."))
    ]


def _is_flag(argument: Argument) -> bool:
    return argument.flags[0].startswith("-")


def _value_placeholder(argument: Argument) -> str:
    options = argument.options
    if options.get("action") in ("store_true", "store_false", "count"):
        return ""
    if options.get("choices"):
        return "{" + ",".join(map(str, options["choices"])) + "}"
    name = argument.flags[-1].lstrip("-")
    return str(options.get("metavar") or name.upper())


def _usage_word(argument: Argument) -> str:
    word = _value_placeholder(argument)
    many = argument.options.get("nargs")
    if _is_flag(argument):
        word = f"{argument.flags[-1]} {word}".rstrip()
        return word if argument.options.get("required") else f"[{word}]"
    if many in ("?", "*"):
        return f"[{word}]" + ("..." if many == "*" else "")
    return f"{word}..." if many == "+" else word


def install_commands() -> None:
    """Register `epi` and its subcommands; again when sourced again."""
    from gdb_epi.gdbhost import convenience_functions, parameters
    from gdb_epi.gdbhost.sessions import shared_sessions

    try:
        shared_sessions().broken = load_commands()
    except SystemExit as error:  # a plugin: it would end the GDB 18 process
        broken = SoftError("load", "gdb_epi.commands", f"a command file exits: {error}")
        shared_sessions().broken = [broken]
    EpiPrefix()
    for command in COMMANDS.values():
        name = f"Epi{command.name.title().replace('-', '')}"
        type(name, (EpiCommand,), {"__doc__": help_text(command)})(command)
    parameters.install_parameters()
    convenience_functions.install_functions()
    set_epi_status_variable(EXIT_DONE)


class EpiPrefix(gdb.Command):  # type: ignore[misc]
    """Tell why a Python process died.

    Start with `epi triage`: what happened, and what to do next. Then `epi bt`,
    `epi locals`, `epi list`; of a hang `epi locks`, `epi tasks`, `epi bt --all`.
    `epi doctor` says what is missing and what to type. `help epi NAME` says more.

    $epi_status is the exit code of the last command: 0 done, 1 failed, 2 usage,
    3 nothing usable loaded, 4 expectation not met.
    """

    def __init__(self) -> None:
        super().__init__("epi", gdb.COMMAND_DATA, prefix=True)

    def invoke(self, text: str, from_tty: bool) -> None:
        """Show the subcommands; GDB comes here too for an unknown one."""
        word = text.split(None, 1)[0] if text.strip() else ""
        if word in ("", "help"):
            gdb.execute(f"help epi {text.strip().removeprefix('help')}".strip(), from_tty)
            return
        from gdb_epi.suggestions import find_nearest_word

        meant = find_nearest_word(word, COMMANDS)
        if meant is not None:
            error = UsageError(f"no command `epi {word}': did you mean `epi {meant}'?")
        else:
            error = UsageError(f"no command `epi {word}'", hint="help epi")
        set_epi_status_variable(error.exit_code)
        raise gdb_error(error.one_line_text())


class EpiCommand(gdb.Command):  # type: ignore[misc]
    """One `epi` subcommand."""

    def __init__(self, command: Command) -> None:
        self._command = command
        super().__init__(f"epi {command.name}", gdb.COMMAND_DATA)

    def invoke(self, text: str, from_tty: bool) -> None:
        """Run the command; whatever happens, GDB lives on and $epi_status tells."""
        self.dont_repeat()
        set_epi_status_variable(EXIT_FAILED)  # also what an interrupted command leaves
        try:
            set_epi_status_variable(run_command(self._command, text))
        except EpiError as error:
            set_epi_status_variable(error.exit_code)
            raise gdb_error(error.one_line_text()) from None
        except gdb.error as error:
            raise gdb_error(f"epi {self._command.name}: GDB says: {error}") from None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - boundary: a command
            raise gdb_error(_report_internal_error(self._command, error)) from None

    def complete(self, text: str, word: str | None) -> list[str]:
        """Complete options, the file after --output, and what the command takes.

        gdb.COMPLETE_FILENAME would complete the whole text as one file name in GDB 13.
        """
        words = text.split(" ")
        wanted = words[-1]
        if len(words) > 1 and words[-2] == "--output":
            completions = files_with_prefix(wanted)
        else:
            completions = self._completion_words(wanted)
        cut = len(wanted) - len(word or "")
        return [name[cut:] for name in completions]

    def _completion_words(self, beginning: str) -> list[str]:
        if beginning.startswith("-"):
            return [word for word in option_words(self._command) if word.startswith(beginning)]
        kind = next((a.completes for a in self._command.arguments if a.completes), "")
        if not kind:
            return []
        from gdb_epi.gdbhost.completion import completions
        from gdb_epi.gdbhost.sessions import shared_sessions

        try:
            return completions(kind, shared_sessions().current_session(), beginning)
        except (Exception, SystemExit):  # noqa: BLE001 - boundary: GDB would print a traceback
            return []


def run_command(command: Command, text: str) -> int:
    """Parse, run and show one command; return its exit code."""
    from gdb_epi.gdbhost.arguments import HelpShown, parse_command_arguments
    from gdb_epi.gdbhost.sessions import shared_sessions

    try:
        arguments = parse_command_arguments(command, text)
    except HelpShown:
        return EXIT_DONE
    session = shared_sessions().current_session()
    if command.needs == "process" and not session.has_target:
        raise InputError("no process and no core", hint="core-file FILE, or attach PID")
    report = command.run(session, arguments)
    masks = session.has_target and not getattr(arguments, "secrets", False)
    if arguments.json:
        from gdb_epi.render.report_json import render_report_json

        shown = render_report_json(report, session.mask_secrets if masks else None)
    else:
        from gdb_epi.gdbhost.parameters import wants_color
        from gdb_epi.render.report_text import render_report

        shown = render_report(report, color=not arguments.output and wants_color())
        shown = session.mask_secrets(shown) if masks else shown
    if arguments.output:
        write_file(arguments.output, shown)
    else:
        show_text(shown)
    return report.exit_code


def set_epi_status_variable(code: int) -> None:
    """Set $epi_status."""
    gdb.set_convenience_variable(STATUS_VARIABLE, code)


def _report_internal_error(command: Command, error: BaseException) -> str:
    """Write what a bug report needs to standard error; return the one line."""
    import platform
    import traceback

    from gdb_epi import __version__

    if gdb.parameter("python print-stack") == "full":
        lines = "".join(traceback.format_exception(error)).split("\n")
        gdb.write("\n".join(map(escape, lines)), gdb.STDERR)
    python = platform.python_version()
    inferior = gdb.selected_inferior()
    kind = inferior.connection.type if inferior.connection else "nothing"
    gdb.write(f"  gdb-epi {__version__}, GDB {gdb.VERSION}, Python {python}\n", gdb.STDERR)
    executable = escape(str(gdb.current_progspace().filename))
    gdb.write(f"  loaded: {kind}, executable {executable}\n", gdb.STDERR)
    what = escape(f"{type(error).__name__}: {error}".splitlines()[0])
    return (
        f"internal error in `epi {command.name}': {what}; try: set python print-stack full, "
        "repeat the command, and report the lines above"
    )
