# SPDX-License-Identifier: Apache-2.0
"""Compare one row with its label: flagged, bit, address, path, symptom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corruption.examine import Row
from corruption.labels import REGISTER
from corruption.software_kinds import EXPECTED_SYMPTOMS

STRONG = ("strong", "proven-corruption")
FLAGGED = (*STRONG, "weak")


def is_strong(row: Row) -> bool:
    """Whether the word is `strong` or better."""
    return row["word"] in STRONG


def bit_named(row: Row) -> bool | None:
    """Whether the evidence that counted names the true bit; None when several were changed."""
    label = row["label"]
    if len(label.get("bits", ())) != 1:
        return None
    return any(_same_bit(sign, label) or _same_words(sign, label) for sign in _counted(row))


def address_named(row: Row) -> bool | None:
    """Whether it names the true place too: the word in memory, or a register for a CPU fault."""
    label = row["label"]
    if len(label.get("bits", ())) != 1:
        return None
    if label["path"] == REGISTER:
        counted = _counted(row)
        return any(isinstance(sign["where"], str) and _same_words(sign, label) for sign in counted)
    return any(_same_bit(sign, label) for sign in _counted(row))


def path_right(row: Row) -> bool | None:
    """Whether memory and CPU were told apart rightly; None when the score names no path."""
    return None if row["path"] == "unknown" else row["path"] == row["label"].get("path")


def symptom_right(row: Row) -> bool | None:
    """Whether the symptom is one that the kind must have; None where nothing is known of it."""
    label = row["label"]
    expected: Sequence[str] = label.get("symptoms") or EXPECTED_SYMPTOMS.get(label["kind"], ())
    return row["symptom"] in expected if expected else None


def _counted(row: Row) -> list[Row]:
    return [sign for sign in row["evidence"] if sign["best"]]


def _same_bit(row: Row, label: Row) -> bool:
    """Whether the evidence is about the very bit of memory, whatever word it calls it part of."""
    if not isinstance(row["where"], int) or label["address"] is None or len(row["bits"]) != 1:
        return False
    bit_number = 8 * row["where"] + row["bits"][0]
    return any(bit_number == 8 * where + bit for where, bit in _changed_bits(label))


def _changed_bits(label: Row) -> Iterator[tuple[int, int]]:
    """Yield (address, bit) of each word in which one bit was changed; a stuck lane has several."""
    yield int(label["address"], 16), label["bits"][0]
    for where, original, wrong in (map(_number, words) for words in label["more"]):
        if (original ^ wrong).bit_count() == 1:
            yield where, (original ^ wrong).bit_length() - 1


def _same_words(row: Row, label: Row) -> bool:
    """Whether it names the wrong word and the right one, of any result that was changed."""
    words = [(label["found"], label["original"])]
    words += [(wrong, original) for _, original, wrong in label["more"]]
    return any((row["found"], row["corrected"]) == tuple(map(_number, pair)) for pair in words)


def _number(text: str) -> int:
    return int(text, 16)
