# SPDX-License-Identifier: Apache-2.0
"""The argparse parser of the verbs: a mistake is one line, and says what was probably meant."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any, NoReturn

from gdb_epi.errors import UsageError
from gdb_epi.suggestions import unknown_words


class OneLineParser(ArgumentParser):
    """Raises UsageError instead of printing the usage, which is longer than a small terminal."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the words. Raises UsageError for what cannot be parsed."""
        values, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(unknown_words(self, unknown))
        return values

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the one-line message."""
        raise UsageError(f"{self.prog.partition(' ')[2]}: {message}", hint=f"{self.prog} --help")
