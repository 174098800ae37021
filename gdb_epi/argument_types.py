# SPDX-License-Identifier: Apache-2.0
"""What users type, in GDB and in the shell: a number out of range is refused in one line."""

from __future__ import annotations

from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_WHOLE = (1 << 63) - 1  # what a database takes
MAX_SECONDS = 1e9  # 32 years
# `set epi NAME` gives --NAME another default.
SETTING_DEFAULTS = {
    "depth": "how many containers in containers are shown",
    "width": "how many items of a container are shown",
    "length": "how many characters of a text are shown",
    "limit": "how many lines, objects or places are shown",
}


def whole_number(least: int = 1, most: int = MAX_WHOLE) -> Callable[[str], int]:
    """Return an argparse type: a whole number from `least` to `most`."""

    def parse_whole_number(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argument_error(text, "is not a whole number") from None
        if number < least:
            raise argument_error(text, f"is too small: it must be at least {least}")
        if number > most:
            raise argument_error(text, f"is too large: it must be at most {most}")
        return number

    return parse_whole_number


def positive_number(unit: str, most: float = MAX_SECONDS) -> Callable[[str], float]:
    """Return an argparse type: a number above 0, of seconds or of days."""

    def parse_positive_number(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not 0 < number <= most:
            raise argument_error(text, f"is not a positive number of {unit}, at most {most:g}")
        return number

    return parse_positive_number


def output_file_name(text: str) -> str | None:
    """Return the name of a file to write; None for "-", which is standard output."""
    return None if text == "-" else text


def argument_error(text: str, what: str) -> Exception:
    """Return argparse's error for a value, so that its message names the option too."""
    from argparse import ArgumentTypeError

    return ArgumentTypeError(f"{text!r} {what}")
