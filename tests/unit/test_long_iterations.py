# SPDX-License-Identifier: Apache-2.0
"""How much of an iterator is left, read from the iterators of this very Python."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, permutations, product

import pytest
from support.fake_target import FakeTarget

from gdb_epi.cpython.layout.layout import load_layout
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.hangs.loops.long_iterations import TOO_MANY, count_members_left


class _OwnMemory(FakeTarget):
    def read(self, address: int, size: int) -> bytes:
        return ctypes.string_at(address, size)


def left(iterator: Iterator[object], kind: str) -> int:
    """Return what the decoder says of an iterator of this process."""
    layout = load_layout((sys.version_info.major, sys.version_info.minor))
    assert layout is not None
    return count_members_left(MemoryReader(_OwnMemory(), layout), id(iterator), kind)


MODULE = "itertools."
CASES = [
    (iter(permutations(range(5), 3)), f"{MODULE}permutations", 4 * 4 * 3),
    (iter(combinations(range(7), 3)), f"{MODULE}combinations", 6 * 5 * 4 // 6),
    (
        iter(combinations_with_replacement(range(4), 2)),
        f"{MODULE}combinations_with_replacement",
        6,
    ),
    (iter(product(range(4), "abc", range(2))), f"{MODULE}product", 3 * 3 * 2),
    (iter(range(10)), "range_iterator", 9),
]


@pytest.mark.parametrize(("iterator", "kind", "expected"), CASES)
def test_it_counts_down_and_never_says_too_much(
    iterator: Iterator[object], kind: str, expected: int
) -> None:
    next(iterator)
    shown = [left(iterator, kind)]
    shown += [left(iterator, kind) for _ in iterator]
    assert shown[0] == expected
    assert all(number <= len(shown) - 1 - turn for turn, number in enumerate(shown))
    assert left(iterator, kind) == 0


def test_all_permutations_of_19_are_too_many() -> None:
    iterator = permutations(range(19))
    next(iterator)
    assert left(iterator, f"{MODULE}permutations") > TOO_MANY
    assert left(iter([1, 2]), "list_iterator") == 0
