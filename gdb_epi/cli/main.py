# SPDX-License-Identifier: Apache-2.0
"""The entry point of `gdb-epi`: find the verb, run it, turn errors into one line.

A verb is a module of gdb_epi.cli (or of a sub-package such as gdb_epi.cli.fleet) with HELP,
add_arguments(parser) and run(args), which returns an exit code, or None for 0. It may have GROUP
(its heading in the list of verbs), EPILOG, EXIT_CODES (both below its options) and READS_CORES.
Where a package names FOLDERS, its verbs are in these, whose GROUP is the heading of all of them.
Only the verb that is asked for is imported.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from importlib import import_module

from gdb_epi.errors import (
    EXIT_DONE,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    EndRequested,
    EpiError,
    UsageError,
)
from gdb_epi.typing_lite import TYPE_CHECKING, Namespace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from gdb_epi.cli.support.gdb_command import CommandVerb

PROGRAM = "gdb-epi"
EXIT_CODES = "0 done, 1 the tool failed, 2 wrong arguments, 3 an input was unusable"
SPECIAL_CODES = "4 an expectation was not met (repro, compare), 5 something is new (fleet screen)"
GC_THRESHOLD = 200_000


def main(words: Sequence[str] | None = None) -> int:
    """Run `gdb-epi WORDS...` and return its exit code."""
    arguments = list(sys.argv[1:] if words is None else words)
    # Decoding makes many small tuples and no cycles: the collector would only cost time.
    gc.set_threshold(GC_THRESHOLD)
    # Write what the terminal can show; never fail over a character that it does not have.
    from gdb_epi.render.escape import ERRORS, locale_charset

    named = os.environ.get("PYTHONIOENCODING") or os.environ.get("PYTHONUTF8") == "1"
    encoding = None if named else locale_charset()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            try:
                reconfigure(encoding=encoding, errors=ERRORS)
            except LookupError:
                reconfigure(encoding="ascii", errors=ERRORS)
    try:
        code = _dispatch_to_verb(PROGRAM, "gdb_epi.cli", arguments, guarded=words is None)
        sys.stdout.flush()
        return code
    except EpiError as error:
        return _print_error(error.one_line_text(), error.exit_code)
    except BrokenPipeError:  # `gdb-epi ... | head`: leave quietly
        _discard_buffered_output()
        return EXIT_DONE
    except EndRequested as end:
        end.stop_raising()
        if end.exit_code == EXIT_INTERRUPTED:
            return _print_error("interrupted", EXIT_INTERRUPTED)
        return end.exit_code
    except KeyboardInterrupt:
        return _print_error("interrupted", EXIT_INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - boundary
        return report_unexpected_error(error)


def exit_process(code: int) -> None:
    """End the process with an exit code, at once where nothing is left to be closed.

    Taking an interpreter apart costs 7 ms after a small core, and seconds after a large one. The
    installed script `gdb-epi` names this function: under another name that of an editable install
    would fail after the next `git pull`.
    """
    if "sqlalchemy" in sys.modules:
        sys.exit(code)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = code or EXIT_FAILED
    os._exit(code)


def _dispatch_to_verb(
    program: str, package: str, words: list[str], *, guarded: bool = False
) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        return _print_overview_of_verbs(program, package, asked=bool(words))
    if words[0] == "--version":
        from gdb_epi import __version__

        print(f"{PROGRAM} {__version__}")
        return EXIT_DONE
    verb = find_verb(package, words[0])
    if verb is None:
        from gdb_epi.loader import command_files

        if program == PROGRAM and words[0] in command_files():
            from gdb_epi.cli.support.gdb_command import (
                CommandVerb,
                commands_in_shell,
                names_no_core,
                run_gdb_command,
                run_without_core,
            )

            name, own = words[0], words[1:]
            if "-h" in own or "--help" in own:
                own = ["--help"]
            if names_no_core(name, own):
                verb_of_command = CommandVerb(name, of_core=False)
                given = _parse_by_argparse(verb_of_command, f"{program} {name}", own)
                return run_without_core(name, given)
            if name in commands_in_shell() and (not own or own[0].startswith("-")):
                # Options may stand before the core.
                core = _parse_by_argparse(CommandVerb(name), f"{program} {name}", own).core
                own.remove(core)
                own.insert(0, core)
            return run_gdb_command(name, own)
        raise _unknown_verb_error(program, package, words[0])
    name = f"{program} {words[0]}"
    if hasattr(verb, "__path__"):
        return _dispatch_to_verb(name, verb.__name__, words[1:])
    from gdb_epi.cli.support.quick_parser import QuickParser

    quick = QuickParser()
    verb.add_arguments(quick)
    values = quick.parse(words[1:]) or _parse_by_argparse(verb, name, words[1:])
    if guarded and getattr(verb, "READS_CORES", False):
        from gdb_epi.cli.support.supervisor import fork_reader_and_wait

        status = fork_reader_and_wait()
        if status is not None:
            return status
    try:
        return int(verb.run(values) or EXIT_DONE)
    except EpiError as error:
        words = error.hint.split()
        # `gdb-epi fleet top` would ask another database.
        if words[:2] == [PROGRAM, "fleet"] and len(words) == 3 + ("show" in words):
            from gdb_epi.cli.support.messages import repeated_database_option

            error.hint += repeated_database_option(values)
        raise


def _unknown_verb_error(program: str, package: str, word: str) -> UsageError:
    instead = _command_to_suggest(program, word)
    meant = None if instead else _nearest_word(package, word)
    if meant is not None:
        return UsageError(f"no verb {word!r}: did you mean {program} {meant}?")
    order = "; options come after the verb" if word[:2] == "--" else ""
    return UsageError(f"no verb {word!r}", hint=instead or f"{program} --help{order}")


def _nearest_word(package: str, word: str) -> str | None:
    """Return the verb, or the option before a verb, that is nearly the word."""
    from gdb_epi.suggestions import find_nearest_word

    if word.startswith("--"):
        option = find_nearest_word(word[2:], ("help", "version"))
        return f"--{option}" if option else None
    commands = commands_of_gdb(package)
    names = [*(name.replace("_", "-") for name in verb_module_names(package)), *commands]
    meant = find_nearest_word(word, names)
    if meant is None or meant in commands or find_verb(package, meant) is not None:
        return meant
    return None


# What people type for a decision -> the option of `fleet mark`.
_MARKS = dict.fromkeys(("ack", "acknowledge", "acknowledged"), "acknowledged") | {
    "fix": "fixed-in VERSION", "fixed": "fixed-in VERSION", "resolve": "fixed-in VERSION",
    "ignore": "ignore-until DAY", "mute": "ignore-until DAY", "snooze": "ignore-until DAY",
}  # fmt: skip


def _command_to_suggest(program: str, word: str) -> str:
    """Return what to do with a word that is no verb but a core, or a verb elsewhere, or ""."""
    if program == PROGRAM and os.path.isfile(word):
        return f"{program} triage {word}"
    if program == f"{PROGRAM} fleet" and word in _MARKS:
        return f"{program} mark signature KEY --{_MARKS[word]}"
    if program == f"{PROGRAM} fleet" and find_verb("gdb_epi.cli", word) is not None:
        return f"{PROGRAM} {word}"
    return ""


def _parse_by_argparse(verb: ModuleType | CommandVerb, program: str, words: list[str]) -> Namespace:
    """Parse by argparse, which shows help and explains mistakes."""
    from gdb_epi.cli.support.verb_parser import HelpText, VerbParser

    # Without a width argparse imports shutil, and with it five compression modules: 6 ms.
    try:
        width = max(os.get_terminal_size().columns - 2, 40)
    except (OSError, ValueError, AttributeError):
        width = 78
    # What stands below a verb's options: its EPILOG, and the exit codes.
    codes = getattr(verb, "EXIT_CODES", EXIT_CODES)
    parser = VerbParser(
        prog=program,
        description=verb.HELP,
        epilog=f"{getattr(verb, 'EPILOG', '')}\n\nExit code: {codes}.".strip(),
        allow_abbrev=False,
        formatter_class=lambda prog: HelpText(prog, width=width),
    )
    verb.add_arguments(parser)
    values: Namespace = parser.parse_args(words)
    return values


def find_verb(package: str, word: str) -> ModuleType | None:
    """Return the module of a verb, or None."""
    module = word.replace("-", "_")
    if word.startswith("-") or not module.isidentifier():
        return None
    for home in _packages_of_verbs(package):
        name = f"{home}.{module}"
        try:
            candidate = import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            continue
        if hasattr(candidate, "HELP"):
            return candidate
    return None


def verb_module_names(package: str) -> list[str]:
    """Return the names of the modules that may be a verb of a package, in order."""
    from pkgutil import iter_modules

    paths = [import_module(home).__path__[0] for home in _packages_of_verbs(package)]
    return sorted(module.name for module in iter_modules(paths))


def commands_of_gdb(package: str) -> list[str]:
    """Return the commands `epi NAME` that the shell runs too and that are no verbs of a package."""
    from gdb_epi.cli.support.gdb_command import commands_in_shell

    verbs = verb_module_names(package)
    shown = package == "gdb_epi.cli"
    return [name for name in commands_in_shell() if name not in verbs] if shown else []


def _packages_of_verbs(package: str) -> list[str]:
    folders = getattr(import_module(package), "FOLDERS", ())
    return [package, *(f"{package}.{folder}" for folder in folders)]


# The order of what verbs, or their folders, name as their GROUP.
_GROUPS = (
    "One crash",
    "Many crashes",
    "Look",
    "Find causes",
    "Every day",
    "Data",
    "Set-up",
    "Rarely",
)


def _print_overview_of_verbs(program: str, package: str, *, asked: bool) -> int:
    """Print the verbs; importing them all is fine here, nobody waits for help."""
    from textwrap import wrap

    lines = [(import_module(package).__doc__ or "").strip().splitlines()[0], ""]
    if program == PROGRAM:
        lines += [
            f"  {PROGRAM} triage CORE    start here: why this process died. It stores a record too",
            f"  {PROGRAM} stacks CORE    the Python stacks, nothing else",
            f"  {PROGRAM} triage PID     of a process that runs or hangs; GDB stops it a moment",
            "",
        ]
    lines.append(f"usage: {program} VERB ...")
    groups: dict[str, list[str]] = {}
    for name in verb_module_names(package):
        verb = find_verb(package, name)
        if verb is not None:
            home = sys.modules[verb.__name__.rpartition(".")[0]]
            head, below = f"  {name.replace('_', '-'):<12} ", " " * 15
            text = "\n".join(wrap(verb.HELP, 79, initial_indent=head, subsequent_indent=below))
            group = getattr(verb, "GROUP", "") or getattr(home, "GROUP", "")
            groups.setdefault(group, []).append(text)
    order = [*_GROUPS, *sorted(groups.keys() - set(_GROUPS))]
    for name in (name for name in order if name in groups):
        lines += ["", name or "Verbs", *groups[name]]
    if program == PROGRAM:
        more = commands_of_gdb(package)
        lines += ["", "More of one crash, as `epi NAME` in GDB: gdb-epi NAME CORE"]
        lines += wrap(" ".join(more), 78, initial_indent="  ", subsequent_indent="  ")
    lines += ["", f"Exit code: {EXIT_CODES},", f"{SPECIAL_CODES}."]
    lines += ["", f"{program} VERB --help says more."]
    print("\n".join(lines), file=sys.stdout if asked else sys.stderr)
    return EXIT_DONE if asked else EXIT_USAGE


def _print_error(line: str, code: int) -> int:
    from gdb_epi.fleet.paths import hide_passwords_in_line
    from gdb_epi.render.escape import escape

    print(f"{PROGRAM}: {escape(hide_passwords_in_line(line))}", file=sys.stderr)
    return code


def _discard_buffered_output() -> None:
    """Send what is still buffered nowhere, or Python would fail over it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def report_unexpected_error(error: Exception) -> int:
    """Say in one line what no verb foresaw, and return the exit code of a tool that failed."""
    if os.environ.get("GDB_EPI_DEBUG"):
        import traceback

        traceback.print_exc()
    if isinstance(error, OSError):
        _discard_buffered_output()
        line = str(error)
        # A write that fails for want of room names no file of its own.
        if error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            line = f"cannot write the answer: {error.strerror}"
            line += "; try: free some space, or another place"
        return _print_error(line, EXIT_FAILED)
    message = f"internal error: {type(error).__name__}: {error}"
    return _print_error(f"{message}; try: GDB_EPI_DEBUG=1 for the traceback", EXIT_FAILED)


if __name__ == "__main__":
    sys.exit(main())
