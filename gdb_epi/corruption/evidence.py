# SPDX-License-Identifier: Apache-2.0
"""Evidence about damaged memory or a wrong computation: facts, never judgement."""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.errors import Absent
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from typing import TypeVar

    Value = TypeVar("Value")

# Where the wrong value came from: memory holds it, or memory is right and a register is wrong.
MEMORY = "memory"
REGISTER = "register"
NO_FLIP = "no flipped bit of it alone explains this"  # at the end of a word's origin
ONCE_MORE = "given back before, and once more"  # of an object that was freed twice
REFERS = "refers to it"  # of a word's origin: whose pointer led there
UNKNOWN = "unknown"
# The fact that names a library whose code, elsewhere, has a constant that makes the same change.
MARKS = "marks"
# The id of what looks overwritten in more than a flip changes. It weighs nothing for damaged bits.
OVERWRITTEN = "overwritten"
# The id of what lacks references where nobody is known who can have given them back.
UNCOUNTED = "lost-reference"


class Evidence(NamedTuple):
    """One fact. `id` is an item of weights.json, which gives its group and its weight.

    `where` is an address (int) or a register's name, "" when the fact has no place. `found` and
    `corrected` are 64-bit words, None when the fact is not about a pair of words; `bits` the
    numbers of the bits that differ. `ambiguous` names the software that makes the very same
    picture, None when there is none. `summary` is a sentence that names what was compared with
    what.
    """

    id: str
    where: int | str
    found: int | None
    corrected: int | None
    bits: tuple[int, ...]
    path: str
    summary: str
    facts: Mapping[str, Any]
    ambiguous: str | None = None


class Skipped(NamedTuple):
    """A check, or a part of one, that was not made, and why; several names by commas."""

    check: str
    why: str


class NotChecked(Exception):
    """Raised by a check that cannot be made, or not to its end; the message is for Skipped."""


def require(value: Value | Absent) -> Value:
    """Return what a check cannot do without. Raises NotChecked where it is absent."""
    if isinstance(value, Absent):
        raise NotChecked(value.detail)
    return value


def changed_bits(held: int, corrected: int) -> tuple[int, ...]:
    """Return the numbers of the bits in which two 64-bit words differ, 0 the lowest."""
    changed = held ^ corrected
    return tuple(bit for bit in range(64) if changed >> bit & 1)


def word_evidence(
    id: str,
    where: int | str,
    held: int,
    corrected: int,
    summary: str,
    path: str = MEMORY,
    marks: str | None = None,
    **facts: object,
) -> Evidence:
    """Return evidence that a word should have been another one.

    `marks` names the library or the type whose code may set those bits as a mark, if any.
    """
    bits = changed_bits(held, corrected)
    if marks:
        facts[MARKS] = marks
    return Evidence(id, where, held, corrected, bits, path, summary, facts)


def plain_evidence(
    id: str, where: int | str, summary: str, path: str = UNKNOWN, **facts: object
) -> Evidence:
    """Return evidence that is not about a pair of words."""
    return Evidence(id, where, None, None, (), path, summary, facts)
