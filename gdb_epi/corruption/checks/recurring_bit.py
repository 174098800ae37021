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
    grows=True,
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
    for word in words:
        bit, ones = word.bits[0], _is_set(word)
        again = [
            other
            for other in words
            if other.bits[0] == bit
            and _is_set(other) == ones
            and (other.found, other.corrected) != (word.found, word.corrected)
        ]
        if again:
            yield _evidence(word, again)


def _words(context: Context) -> list[Evidence]:
    """Return one item for each damaged word: one bit, a place in memory, an unknown other use."""
    by_words: dict[tuple[object, ...], Evidence] = {}
    for evidence in context.evidence[:MAX_WORDS]:
        single = (
            len(evidence.bits) == 1
            and evidence.found is not None
            and evidence.corrected is not None
        )
        if single and isinstance(evidence.where, int) and not evidence.ambiguous:
            if evidence.id.startswith("P") and int(evidence.facts.get("rivals", 1)) > 1:
                continue  # which of its neighbours is the right one is not known
            by_words.setdefault((evidence.found, evidence.corrected), evidence)
    return list(by_words.values())


def _is_set(evidence: Evidence) -> bool:
    return bool((evidence.found or 0) >> evidence.bits[0] & 1)


def _evidence(word: Evidence, again: list[Evidence]) -> Evidence:
    assert isinstance(word.where, int)
    assert word.found is not None
    assert word.corrected is not None
    same_offset = [
        other
        for other in again
        if isinstance(other.where, int)
        and other.where // PAGE != word.where // PAGE
        and other.where % PAGE == word.where % PAGE
    ]
    places = ", ".join(f"{other.where:#x}" for other in (same_offset or again)[:4])
    what = f"bit {word.bits[0]} of the word at {word.where:#x} is wrong, and so it is at {places}"
    if same_offset:
        what += f", at the same offset {word.where % PAGE:#x} of other pages"
    return word_evidence(
        "M3" if same_offset else "M2",
        word.where,
        word.found,
        word.corrected,
        what,
        path=word.path,
        words=len(again) + 1,
    )
