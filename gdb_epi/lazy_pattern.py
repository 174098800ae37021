# SPDX-License-Identifier: Apache-2.0
"""Regular expressions that are compiled when a name first needs them.

To compile all those of the signature takes five times as long as to sign a stack (11 against 2 ms,
November 2026), and most processes sign one stack whose names need few of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable


class LazyPattern:
    """A regular expression, and texts of which one must occur wherever it matches."""

    __slots__ = ("_compiled", "_marks", "_text")

    def __init__(self, text: str, *marks: str) -> None:
        self._text = text
        self._marks = marks
        self._compiled: re.Pattern[str] | None = None

    def _compile_for(self, text: str) -> re.Pattern[str] | None:
        """Return the compiled expression, None where it cannot match."""
        for mark in self._marks:
            if mark in text:
                break
        else:
            if self._marks:
                return None
        if self._compiled is None:
            self._compiled = re.compile(self._text)
        return self._compiled

    def match(self, text: str, position: int = 0) -> re.Match[str] | None:
        """Match at a position."""
        pattern = self._compile_for(text)
        return pattern.match(text, position) if pattern is not None else None

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Match all of a text."""
        pattern = self._compile_for(text)
        return pattern.fullmatch(text) if pattern is not None else None

    def search(self, text: str) -> re.Match[str] | None:
        """Match anywhere."""
        pattern = self._compile_for(text)
        return pattern.search(text) if pattern is not None else None

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """Replace what matches."""
        pattern = self._compile_for(text)
        return pattern.sub(new, text, count=count) if pattern is not None else text

    def text_before_match(self, text: str) -> str:
        """Return what stands before the first match; all of the text without one."""
        match = self.search(text)
        return text[: match.start()] if match is not None else text

    def findall(self, text: str) -> list[str]:
        """Return all that matches, or its only group."""
        pattern = self._compile_for(text)
        return pattern.findall(text) if pattern is not None else []
