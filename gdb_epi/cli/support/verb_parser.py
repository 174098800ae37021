# SPDX-License-Identifier: Apache-2.0
"""The argparse parser of the verbs: a mistake is one line, and says what was probably meant."""

from __future__ import annotations

from argparse import HelpFormatter
from textwrap import fill
from typing import NoReturn

from gdb_epi.errors import UsageError
from gdb_epi.suggestions import SuggestingParser


class VerbParser(SuggestingParser):
    """Raises UsageError instead of printing the usage, which is longer than a small terminal."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the one-line message."""
        raise UsageError(f"{self.prog.partition(' ')[2]}: {message}", hint=f"{self.prog} --help")


class HelpText(HelpFormatter):
    """Keeps paragraphs apart, and breaks no word at a hyphen: names are copied from here."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = (
            fill(
                " ".join(paragraph.split()),
                width,
                initial_indent=indent,
                subsequent_indent=indent,
                break_on_hyphens=False,
                break_long_words=False,
            )
            for paragraph in text.split("\n\n")
        )
        return "\n\n".join(paragraphs)
