# SPDX-License-Identifier: Apache-2.0
"""Numbers with their nouns, and probabilities."""

from __future__ import annotations

import pytest

from gdb_epi.render.corruption import _chance
from gdb_epi.util import counted, with_article


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (1, "thread state", "1 thread state"),
        (0, "thread state", "0 thread states"),
        (2, "crash", "2 crashes"),
        (1, "crash", "1 crash"),
        (3, "entry", "3 entries"),
        (2, "day", "2 days"),
    ],
)
def test_counted(number: object, noun: str, text: str) -> None:
    assert counted(number, noun) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "< 0.0001"),
        (0.00099, "0.00099"),
        (0.943, "0.94"),
        (0.9978, "0.9978"),
        (1.0, "> 0.9999"),
    ],
)
def test_no_probability_is_shown_as_certain(value: float, text: str) -> None:
    assert _chance(value) == text


def test_with_article() -> None:
    assert [with_article(noun) for noun in ("object", "str", "int", "")] == [
        "an object", "a str", "an int", "a ",
    ]  # fmt: skip
