# SPDX-License-Identifier: Apache-2.0
"""The command registry: `@command` and `argument()`.

A command is a function (session, args) -> Report in a file of its own under commands/. The GDB
adapter adds --json and --output to each, so no command implements them.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Callable

from gdb_epi.argument_types import positive_number, whole_number
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.report import Report
    from gdb_epi.session import Session

    Run = Callable[[Session, Namespace], Report]

_NAME = re.compile(r"[a-z][a-z-]*\Z")


class Argument(NamedTuple):
    """The flags and options of one argparse argument.

    `by_setting`: `set epi limit 5` sets the default of --limit. `completes`: what TAB offers,
    "names", "modules", "types", "findings" or nothing.
    """

    flags: tuple[str, ...]
    options: dict[str, Any]
    by_setting: bool = True
    completes: str = ""


class Command(NamedTuple):
    """One `epi` subcommand. `needs` is "process" or "nothing" (works without a core).

    `shows_values`: what the answer of the command holds may be a text of the process, so nothing in
    it is reworded for the shell. `in_shell`: means something in a GDB that ends at once.
    """

    name: str
    run: Run
    arguments: tuple[Argument, ...]
    needs: str
    shows_values: bool
    in_shell: bool

    @property
    def summary(self) -> str:
        """Return the first line of the help text."""
        return (self.run.__doc__ or "").strip().splitlines()[0]


COMMANDS: dict[str, Command] = {}


def argument(*flags: str, by_setting: bool = True, completes: str = "", **options: Any) -> Argument:
    """Declare one argument; `options` are those of argparse."""
    return Argument(flags, options, by_setting, completes)


def limit_argument(most: int, of: str) -> Argument:
    """Declare --limit: how many lines, frames or objects are shown."""
    text = f"{of} ({most})"
    return argument("--limit", type=whole_number(), default=most, metavar="N", help=text)


def budget_argument(seconds: float) -> Argument:
    """Declare --budget: how many seconds a search may take."""
    kind, text = positive_number("seconds"), f"seconds ({seconds:g})"
    return argument("--budget", type=kind, default=seconds, metavar="S", help=text)


def command(
    name: str,
    *,
    arguments: tuple[Argument, ...] = (),
    needs: str = "process",
    shows_values: bool = False,
    in_shell: bool = True,
) -> Callable[[Run], Run]:
    """Register the decorated function as `epi NAME`; the keywords are the fields of Command.

    Raises ValueError for a duplicate, an odd name, or a function without help text.
    """

    def register(run: Run) -> Run:
        if not _NAME.match(name):
            raise ValueError(f"bad command name {name!r}")
        if not (run.__doc__ or "").strip():
            raise ValueError(f"command {name!r} has no help text")
        registered = COMMANDS.get(name)
        if (
            registered is not None
            and registered.run.__code__.co_filename != run.__code__.co_filename
        ):
            raise ValueError(f"command {name!r} is registered twice")
        COMMANDS[name] = Command(name, run, tuple(arguments), needs, shows_values, in_shell)
        return run

    return register
