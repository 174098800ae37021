# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi man`: the manual page, made from the parsers and the commands."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from gdb_epi import __version__
from gdb_epi.cli.main import EXIT_CODES, SPECIAL_CODES
from gdb_epi.cli.support.verb_tree import verb_tree

GROUP = "Set-up"
HELP = "print the manual page: gdb-epi man | man -l -"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare nothing."""


def run(args: Namespace) -> None:
    """Print the page in roff."""
    print("\n".join(_manual_page_lines()))


def _manual_page_lines() -> Iterator[str]:
    yield f'.TH GDB-EPI 1 "" "gdb-epi {__version__}" "User Commands"'
    yield ".SH NAME"
    yield r"gdb\-epi \- tell why Python processes die, from their core dumps"
    yield ".SH SYNOPSIS"
    yield r"\fBgdb\-epi\fR \fIVERB\fR ..."
    yield ".SH VERBS"
    for verb in verb_tree():
        yield f'.SS "{_escape_roff(verb.usage())}"'
        end = "" if verb.help.endswith("...") else "."
        yield _escape_roff(f"{verb.help[:1].upper()}{verb.help[1:]}{end}")
        for option in verb.options:
            if option.flags != ("-h", "--help") and (option.flags or option.help):
                flags = ", ".join(rf"\fB{_escape_roff(flag)}\fR" for flag in option.flags)
                value = rf"\fI{_escape_roff(option.metavar)}\fR" if option.metavar else ""
                yield ".TP"
                yield " ".join(filter(None, (flags, value)))
                yield _escape_roff(option.help) if option.help else r"\&"
    yield ".SH COMMANDS OF GDB"
    yield _escape_roff(
        "In GDB, after `source gdb_epi' (gdb-epi gdbinit --install); `help epi NAME' tells more."
    )
    from gdb_epi.loader import load_commands
    from gdb_epi.registry import COMMANDS

    load_commands()
    for name, command in sorted(COMMANDS.items()):
        yield f".TP\n.B epi {_escape_roff(name)}\n{_escape_roff(command.summary)}"
    yield ".SH EXIT STATUS"
    yield _escape_roff(f"{EXIT_CODES}, {SPECIAL_CODES}.")
    yield ".SH SEE ALSO"
    yield ".BR gdb (1),\n.BR coredumpctl (1),\n.BR core (5)"


def _escape_roff(text: str) -> str:
    """Return a text in which roff reads nothing as a request or an escape."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    return rf"\&{text}" if text[:1] in (".", "'") else text
