# SPDX-License-Identifier: Apache-2.0
"""Arguments of `epi` commands: parsing that cannot end GDB, help texts, completion."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import Any, NoReturn

import gdb

from gdb_epi.errors import UsageError
from gdb_epi.registry import Argument, Command

# Every command has these.
COMMON = (
    Argument(("--json",), {"action": "store_true", "help": "print JSON"}),
    Argument(("--output",), {"metavar": "FILE", "help": "write into FILE, replacing it"}),
)


class HelpShown(Exception):
    """--help was asked for and printed."""


class Parser(ArgumentParser):
    """An ArgumentParser that raises; argparse's SystemExit would end the GDB 18 process."""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Raise instead of leaving the process."""
        if status:
            raise UsageError((message or "wrong arguments").strip(), hint=f"help {self.prog}")
        raise HelpShown

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the one-line message."""
        raise UsageError(f"{self.prog}: {message}", hint=f"help {self.prog}")


def parse(command: Command, text: str) -> Namespace:
    """Parse what follows `epi NAME`. Raises UsageError, or HelpShown after --help."""
    parser = Parser(prog=f"epi {command.name}", description=command.summary, allow_abbrev=False)
    for argument in (*command.arguments, *COMMON):
        parser.add_argument(*argument.flags, **_options(argument))
    return parser.parse_args(words_of(text))


def words_of(text: str) -> list[str]:
    """Split as GDB does: quotes and backslashes count."""
    try:
        return list(gdb.string_to_argv(text))
    except gdb.error as error:
        raise UsageError(str(error)) from None


def _options(argument: Argument) -> dict[str, Any]:
    options = dict(argument.options)
    if options.get("type") == "address":
        options["type"] = evaluate_address
    return options


def evaluate_address(text: str) -> int:
    """Evaluate a GDB expression ($pc, &_PyRuntime, 0x7f...) as an unsigned 64-bit address."""
    try:
        return int(gdb.parse_and_eval(text)) & (1 << 64) - 1
    except (gdb.error, OverflowError, ValueError) as error:
        raise ArgumentTypeError(f"{text}: {error}") from None
