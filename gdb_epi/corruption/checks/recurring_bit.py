# SPDX-License-Identifier: Apache-2.0
"""M2, M3: the same bit again in other words, and at the same offset of other pages."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, word_evidence
from gdb_epi.corruption.registry import check
from gdb_epi.sizes import PAGE

MAX_WORDS = 256


@check(
    "M:again",
    order=95,
    innocent_causes=(
        "copies of one wrong word are one error, and count once; a bug that sets one flag bit in "
        "many words, which is why only words that other checks hold for damaged are compared and "
        "ambiguous ones are not."
    ),
)
def recurring(context: Context) -> Iterator[Evidence]:
    """Compare the one-bit differences that other checks have found in memory with each other.

    A bad cell or line of a memory part changes the same bit, in the same direction, wherever it is
    met: the words differ, the bit does not.
    """
    words = _words(context)
    for one in words:
        bit, ones = one.bits[0], _is_set(one)
        again = [
            other
            for other in words
            if other.bits[0] == bit
            and _is_set(other) == ones
            and (other.found, other.corrected) != (one.found, one.corrected)
        ]
        if again:
            yield _evidence(one, again)


def _words(context: Context) -> list[Evidence]:
    """Return one item for each damaged word: one bit, a place in memory, an unknown other use."""
    found: dict[tuple[object, ...], Evidence] = {}
    for one in context.evidence[:MAX_WORDS]:
        single = len(one.bits) == 1 and one.found is not None and one.corrected is not None
        if single and isinstance(one.where, int) and not one.ambiguous:
            if one.id.startswith("P") and int(one.facts.get("rivals", 1)) > 1:
                continue  # which of its neighbours is the right one is not known
            found.setdefault((one.found, one.corrected), one)
    return list(found.values())


def _is_set(one: Evidence) -> bool:
    return bool((one.found or 0) >> one.bits[0] & 1)


def _evidence(one: Evidence, again: list[Evidence]) -> Evidence:
    assert isinstance(one.where, int)
    assert one.found is not None
    assert one.corrected is not None
    same_offset = [
        other
        for other in again
        if isinstance(other.where, int)
        and other.where // PAGE != one.where // PAGE
        and other.where % PAGE == one.where % PAGE
    ]
    places = ", ".join(f"{other.where:#x}" for other in (same_offset or again)[:4])
    what = f"bit {one.bits[0]} of the word at {one.where:#x} is wrong, and so it is at {places}"
    if same_offset:
        what += f", at the same offset {one.where % PAGE:#x} of other pages"
    return word_evidence(
        "M3" if same_offset else "M2", one.where, one.found, one.corrected, one.path, what,
        words=len(again) + 1,
    )  # fmt: skip
