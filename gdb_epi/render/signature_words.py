# SPDX-License-Identifier: Apache-2.0
"""A signature in words: the frames of its line, and in short where the crash was and what it was.

In: the line of a key (SPEC.md, "Keys") and its category. Out: frames, or two cells of a table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

from gdb_epi.render.category_words import category_words
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import names_by_reason, sha256_hex

MAX_LINE = 2_880  # characters of a line that are examined
MAX_STORED = 4_096  # characters of a line that a database keeps; the key of a longer one is lost
MAX_DIGITS = 16
MAX_FRAMES = 12
MAX_WHERE = 48  # columns of a function's name
UNKNOWN = "?"
HUNG = "deadlock"  # begins the frames of threads that wait for each other
NATIVE, PYTHON = "native", "python"
_NO_HALF = "no native stack ("  # before the reason why the key `native` is absent
_ARROWS = ("<-", "<--", "=>")


class SignatureParts(NamedTuple):
    """A signature's line taken apart: its category and (language, function), innermost first."""

    category: str | None
    frames: tuple[tuple[str, str], ...]


def parse_signature_line(line: str, category: str | None) -> SignatureParts:
    """Parse `gsig/2 stable CATEGORY f <- g <-- py:h`; any other text is one frame.

    In a hang, what is waited for stands before a frame: `deadlock join py:f`, `task py:g`.
    """
    words = line[:MAX_LINE].split(" ", 3)
    if not words[0].startswith("gsig/"):
        return SignatureParts(category, ((NATIVE, line),) if line else ())
    if len(words) < 4:
        return SignatureParts(category or (words[2] if len(words) == 3 else None), ())
    frames: list[str] = [""]
    for word in words[3].split(" "):
        if word in _ARROWS:
            frames.append("")
        else:
            frames[-1] = f"{frames[-1]} {word}".strip()
    named = []
    for frame in filter(None, frames):
        python = f" {frame}".partition(" py:")[2]
        named.append((PYTHON, python) if python else (NATIVE, frame))
    return SignatureParts(category or words[2], tuple(named[:MAX_FRAMES]))


def where_and_what(line: str, category: str | None, *, hung: bool) -> tuple[str, str]:
    """Return the function a crash is recognised by, and what kind of death it was, for a table.

    Functions of the standard library that the program called come after its own.
    `hung`: every verdict says so, and the category only says how the process was ended.
    """
    words = parse_signature_line(line, category)
    python = [name for language, name in words.frames if language == PYTHON]
    native = [name for language, name in words.frames if language == NATIVE]
    outside = [name for name in python if name.partition(".")[0] not in sys.stdlib_module_names]
    where = (outside or python or native or [UNKNOWN])[0].partition(" ~")[0]
    where = where.removeprefix("__main__.")
    where = where if len(where) <= MAX_WHERE else where[: MAX_WHERE - 3] + "..."
    if hung:
        return where, "hung"
    what = category_words(words.category)
    return where, f"{what} in {native[0]}" if python and native else what


def named_signature(line: str) -> str:
    """Return a signature in words, and its key for `fleet show`; other texts as they are."""
    words = line.split(" ", 2)
    if len(words) < 3 or not words[0].startswith("gsig/"):
        return line
    where, what = where_and_what(line, None, hung=f" {HUNG} " in line)
    title = what if where == UNKNOWN else f"{what}, in {where}"
    key = "" if len(line) >= MAX_STORED else f" (key {hash_signature_line(line)})"
    return f'"{title}"{key}'


def hash_signature_line(line: str) -> str:
    """Return the key of a line: the hash of exactly that (SPEC.md, "Keys")."""
    from gdb_epi.signature.keys import DIGITS

    name = line.split(" ", 2)[1]
    return sha256_hex(line.encode("utf-8"))[: DIGITS.get(name, MAX_DIGITS)]


def absent_keys(absent: Mapping[str, object]) -> Iterator[str]:
    """Yield why keys are absent, each reason once."""
    pairs = []
    for name, reason in absent.items():
        why = str(reason)
        half = why.startswith(_NO_HALF) and why.endswith(")")
        pairs.append((name, why[len(_NO_HALF) : -1] if half else why))
    for why, names in names_by_reason(pairs).items():
        yield f"no key {', '.join(names)}: {why}"
