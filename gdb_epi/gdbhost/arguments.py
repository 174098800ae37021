# SPDX-License-Identifier: Apache-2.0
"""Arguments of `epi` commands: parsing that cannot end GDB, help texts, completion."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from typing import NoReturn

import gdb

from gdb_epi.argument_types import SETTING_DEFAULTS, output_file_name
from gdb_epi.errors import UsageError
from gdb_epi.gdbhost.parameter_values import number_setting
from gdb_epi.registry import Argument, Command
from gdb_epi.sizes import WORD_MASK
from gdb_epi.suggestions import SuggestingParser

# Every command has these.
COMMON = (
    Argument(("--json",), {"action": "store_true", "help": "print JSON"}),
    Argument(
        ("--output",),
        {"type": output_file_name, "metavar": "FILE", "help": "write into FILE, replacing it"},
    ),
)


class HelpShown(Exception):
    """--help was asked for and printed."""


class RaisingArgumentParser(SuggestingParser):
    """An ArgumentParser that raises; argparse's SystemExit would end the GDB 18 process."""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Raise instead of leaving the process."""
        if status:
            raise UsageError((message or "wrong arguments").strip(), hint=f"help {self.prog}")
        raise HelpShown

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the one-line message."""
        raise UsageError(f"{self.prog}: {message}", hint=f"help {self.prog}")


def parse_command_arguments(command: Command, text: str) -> Namespace:
    """Parse what follows `epi NAME`. Raises UsageError, or HelpShown after --help."""
    parser = RaisingArgumentParser(
        prog=f"epi {command.name}", description=command.summary, allow_abbrev=False
    )
    for argument in (*command.arguments, *COMMON):
        options = dict(argument.options)
        name = argument.flags[0].removeprefix("--")
        if argument.by_setting and name in SETTING_DEFAULTS and (value := number_setting(name)):
            options["default"] = str(value)  # checked as if it had been typed
        if options.get("type") == "address":
            options["type"] = evaluate_address
        elif options.get("type") == "literal":  # a word with its quotes
            del options["type"]
        parser.add_argument(*argument.flags, **options)
    values: Namespace = parser.parse_args(_split_arguments_of_command(command, text))
    return values


def _split_arguments_of_command(command: Command, text: str) -> list[str]:
    if not any(argument.options.get("type") == "literal" for argument in command.arguments):
        return split_gdb_words(text)
    valued = {
        flag
        for argument in (*command.arguments, *COMMON)
        for flag in argument.flags
        if flag.startswith("-") and "action" not in argument.options
    }
    words: list[str] = []
    before = ""
    for word in split_keeping_quotes(text):
        words += split_gdb_words(word) if word.startswith("-") or before in valued else [word]
        before = word
    return words


def split_keeping_quotes(text: str) -> list[str]:
    """Split at blanks outside of quotes, and leave quotes and backslashes where they are.

    GDB's own splitting removes the quotes: d['3'] would become d[3], which is another key.
    """
    words: list[str] = []
    word, quote, escaped = "", "", False
    for character in text:
        if character.isspace() and not quote and not escaped:
            words += [word] if word else []
            word = ""
            continue
        word += character
        if escaped or character == "\\":
            escaped = not escaped
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
    return [*words, word] if word else words


def split_gdb_words(text: str) -> list[str]:
    """Split as GDB does: quotes and backslashes count."""
    try:
        return list(gdb.string_to_argv(text))
    except gdb.error as error:
        raise UsageError(str(error)) from None


def evaluate_address(text: str) -> int:
    """Evaluate a GDB expression ($pc, &_PyRuntime, 0x7f...) as an unsigned 64-bit address."""
    try:
        return int(gdb.parse_and_eval(text)) & WORD_MASK
    except (gdb.error, OverflowError, ValueError) as error:
        raise ArgumentTypeError(f"{text}: {error}") from None
