# SPDX-License-Identifier: Apache-2.0
"""A flip changes one word: what several containers hold is another bug's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gdb_epi.corruption.pointers import one_bit_neighbours as pointers
from gdb_epi.corruption.pointers import suspects
from gdb_epi.corruption.pointers.suspects import is_at_most_once_off_stacks

STACK, FRAME, HEAP = 0x7FFC_0000_0000, 0x7F00_0000_0000, 0x5555_0000_0000


@pytest.mark.parametrize(
    ("places", "once"),
    [
        ([], True),
        ([STACK, FRAME], True),
        ([HEAP, STACK, STACK + 8, FRAME], True),
        ([HEAP, HEAP + 64], False),
    ],
)
def test_copies_on_stacks_do_not_count(
    places: list[int], once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suspects, "is_on_stack", lambda _context, at: at >= STACK)
    monkeypatch.setattr(suspects, "is_in_data_stack", lambda _context, at: FRAME <= at < STACK)
    context: Any = SimpleNamespace(places_of_word=lambda _value, limit: tuple(places[:limit]))
    assert is_at_most_once_off_stacks(context, 1) is once


@pytest.mark.parametrize(
    ("perms", "path", "data"),
    [
        ("rw-", "/bin/x", True),
        ("r--", "/bin/x", True),
        ("r-x", "/bin/x", False),
        ("rw-", None, False),
    ],
)
def test_code_is_no_data_of_a_file(perms: str, path: str | None, data: bool) -> None:
    """What a call went to must be a function: inside of one a random number leads often enough."""
    region = SimpleNamespace(perms=perms, path=path)
    context: Any = SimpleNamespace(target=SimpleNamespace(region_at=lambda _at: region))
    assert pointers._is_data_or_function_of_file(context, HEAP) is data
