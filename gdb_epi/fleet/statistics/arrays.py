# SPDX-License-Identifier: Apache-2.0
"""Arrays of codes, and how their values, pairs and rows are counted.

A code is a small integer that stands for a text; ABSENT is none. numpy's own `unique` sorts, which
takes seconds for a million rows where counting in a table takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ABSENT = -1
MAX_TABLE = 16_000_000  # cells that are counted in a table
MIN_TABLE, MAX_EMPTY = 65_536, 64  # cells of any table, and for each thing that is counted


def count_pairs(a: Ints, b: Ints, weights: Ints | None = None) -> tuple[Ints, Ints, Ints]:
    """Return the distinct pairs of two columns of codes (0 and up) as columns, and their counts.

    With weights a row counts as often as its weight says (1 and up).
    numpy's unique over rows takes seconds at a million; counting takes milliseconds.
    """
    if not a.size:
        return a, b, a
    width = int(b.max()) + 1
    code = a * width + b
    size = (int(a.max()) + 1) * width
    if _countable(code, size):
        table = _counts(code, weights, size)
        pairs = np.flatnonzero(table)
        counts = table[pairs]
    else:
        pairs, number = np.unique(code, return_inverse=True)
        counts = _counts(number.ravel(), weights, pairs.size)
    return pairs // width, pairs % width, counts


def _counts(codes: Ints, weights: Ints | None, size: int) -> Ints:
    # Sums of whole numbers are exact in floating point up to 2^53.
    return np.bincount(codes, weights=weights, minlength=size).astype(np.int64)


def sum_by_code(codes: Ints, weights: Ints | Floats, size: int) -> Floats:
    """Return the sum of the weights of each code below `size` (and beyond, where there are any)."""
    return np.asarray(np.bincount(codes, weights=weights, minlength=size), dtype=np.float64)


def distinct_rows(columns: Sequence[Ints]) -> tuple[Ints, Ints, Ints]:
    """Number the distinct rows of columns of codes (-1 and up) in the order of their values.

    Return where one row of each number is, the number of every row, and how many rows have it.
    numpy's unique over rows sorts them as texts, which takes fifty times as long.
    """
    number, size = np.zeros(columns[0].size, dtype=np.int64), 1
    for column in columns:
        width = int(column.max(initial=ABSENT)) + 2
        if size * width > MAX_TABLE:
            number, size = _compact(number, size)
        number, size = number * width + column + 1, size * width
    number, size = _compact(number, size)
    where = np.zeros(size, dtype=np.int64)
    where[number] = np.arange(number.size)
    return where, number, np.bincount(number, minlength=size)


def _compact(codes: Ints, size: int) -> tuple[Ints, int]:
    """Number the codes (of 0 to `size` - 1) that occur in their order, and say how many do."""
    if not _countable(codes, size):
        distinct_codes, number = np.unique(codes, return_inverse=True)
        return number.ravel(), distinct_codes.size
    occurs = np.bincount(codes, minlength=size) > 0
    rank = np.cumsum(occurs) - 1
    return rank[codes], int(occurs.sum())


def count_distinct(codes: Ints) -> int:
    """Return how many different codes (0 and up) there are."""
    if not _countable(codes, int(codes.max(initial=0)) + 1):
        return int(np.unique(codes).size)
    return int(np.count_nonzero(np.bincount(codes)))


def _countable(codes: Ints, size: int) -> bool:
    """Whether a table of all codes below `size` is worth its memory; else they are sorted."""
    return size <= min(MAX_TABLE, MIN_TABLE + MAX_EMPTY * codes.size)
