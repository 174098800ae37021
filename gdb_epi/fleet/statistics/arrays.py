# SPDX-License-Identifier: Apache-2.0
"""Arrays of codes, and how their values, pairs and rows are counted.

A code is a small integer that stands for a text; ABSENT is none. numpy's own `unique` sorts, which
takes seconds for a million rows where counting in a table takes milliseconds. Columns of a
population are as narrow as their codes allow: `widen` comes before a product of two of them.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ABSENT = -1
MAX_TABLE = 16_000_000  # cells that are counted in a table
MAX_MARKS = 64_000_000  # the same, of one byte each
MAX_CODE = 1 << 62
MIN_TABLE, MAX_EMPTY = 65_536, 64  # cells of any table, and for each thing that is counted
BLOCK = 1 << 16  # rows that are counted at a time: what is made of them stays in the CPU's cache


def narrow_codes(codes: Ints, least: type[np.signedinteger[Any]] = np.int8) -> Ints:
    """Return codes in the smallest type that holds them twice, so that a sum of two fits."""
    low, high = int(codes.min(initial=0)), int(codes.max(initial=0))
    for kind in (np.int8, np.int16, np.int32):
        most = np.iinfo(kind).max // 2
        if np.iinfo(kind).bits >= np.iinfo(least).bits and -most <= low and high <= most:
            return codes.astype(kind, copy=False)
    return codes


def absent_column(size: int) -> Ints:
    """Return a column of that many ABSENT, which takes no memory."""
    return np.broadcast_to(np.int8(ABSENT), (size,))


def widen_codes(codes: Ints) -> Ints:
    """Return codes in 64 bits, in which products with another number of codes fit."""
    return codes.astype(np.int64, copy=False)


def count_pairs(
    a: Ints, b: Ints, weights: Ints | None = None, among: Bools | None = None
) -> tuple[Ints, Ints, Ints]:
    """Return the distinct pairs of two columns of codes (0 and up) as columns, and their counts.

    With weights a row counts as often as its weight says (1 and up), with a mask only those
    `among` it do (and other codes may be ABSENT).
    numpy's unique over rows takes seconds at a million; counting takes milliseconds.
    """
    width = int(b.max(initial=ABSENT)) + 1
    size = (int(a.max(initial=ABSENT)) + 1) * width
    if weights is None and size and size <= _table_cells_worth_allocating(a.size):
        table: Any = np.zeros(size, dtype=np.int32 if a.size < 1 << 31 else np.int64)
        increment = table.dtype.type(1)
        for code in _pair_codes(a, b, width, among):
            np.add.at(table, code, increment)
        pairs = np.flatnonzero(table)
        return pairs // width, pairs % width, widen_codes(table[pairs])
    if among is not None:
        a, b = a[among], b[among]
        weights = None if weights is None else weights[among]
    if not a.size:
        return widen_codes(a), widen_codes(b), widen_codes(a)
    code = a.astype(np.int64)
    code *= width
    code += b
    if weights is not None and _table_is_worthwhile(code, size):
        table = _weighted_counts(code, weights, size)
        pairs = np.flatnonzero(table)
        counts = table[pairs]
    elif weights is None:  # places in the sorted texts take three times as long
        pairs, counts = np.unique(code, return_counts=True)
    else:
        pairs, number = np.unique(code, return_inverse=True)
        counts = _weighted_counts(number.ravel(), weights, pairs.size)
    return pairs // width, pairs % width, counts


def without_pairs(pairs: tuple[Ints, Ints, Ints], a: Ints, b: Ints) -> tuple[Ints, Ints, Ints]:
    """Return what `count_pairs` has counted without some of its rows."""
    if not a.size:
        return pairs
    width = int(pairs[1].max()) + 1
    code, gone = (widen_codes(first) * width + second for first, second in (pairs[:2], (a, b)))
    left = pairs[2].copy()
    np.subtract.at(left, np.searchsorted(code, gone), 1)
    kept = left > 0
    return pairs[0][kept], pairs[1][kept], left[kept]


def release_pages(column: Any) -> None:
    """Let the pages of a mapped file go, which are read again when they are needed."""
    while column is not None and not isinstance(column, np.memmap):
        column = column.base
    mapped = getattr(column, "_mmap", None)
    if mapped is not None:
        mapped.madvise(mmap.MADV_DONTNEED)


def distinct_pairs(a: Ints, b: Ints, among: Bools | None = None) -> tuple[Ints, Ints]:
    """Return the distinct pairs of two columns of codes (0 and up), in order, as columns.

    With a mask only the rows `among` it count; other codes may be ABSENT.
    """
    width = int(b.max(initial=ABSENT)) + 1
    size = (int(a.max(initial=ABSENT)) + 1) * width
    if not size or size > MAX_MARKS:
        return count_pairs(a, b, among=among)[:2]
    occurs = np.zeros(size, dtype=bool)
    for code in _pair_codes(a, b, width, among):
        occurs[code] = True
    pairs = np.flatnonzero(occurs)
    return pairs // width, pairs % width


def _pair_codes(a: Ints, b: Ints, width: int, among: Bools | None) -> Iterator[Ints]:
    """Yield the pairs of some rows after the other as codes."""
    for part in row_blocks(a.size):
        first, second = a[part], b[part]
        if among is not None:
            first, second = first[among[part]], second[among[part]]
        code = first.astype(np.int64)
        code *= width
        code += second
        yield code


def row_blocks(size: int, rows: int = BLOCK) -> Iterator[slice]:
    """Yield the rows of a column, so many of them at a time."""
    return (slice(first, first + rows) for first in range(0, size, rows))


def row_blocks_with_next_row(size: int) -> Iterator[slice]:
    """Yield what `row_blocks` does, each with the first row of the next one: for differences."""
    return (slice(part.start, part.stop + 1) for part in row_blocks(size))


def rows_under(mask: Bools) -> Ints:
    """Return the rows under a mask of all crashes, in 32 bits where these hold them.

    numpy's own places have 64, and are made anew each time: 80 MB of ten million.
    """
    rows: Ints = np.zeros(np.count_nonzero(mask), np.int32 if mask.size < 1 << 31 else np.int64)
    end = 0
    for part in row_blocks(mask.size):
        some = np.flatnonzero(mask[part])
        rows[end : end + some.size] = some + part.start
        end += some.size
    return rows


def count_codes(codes: Ints, size: int, among: Bools) -> Ints:
    """Return how many of the rows under a mask have each code (0 to `size` - 1)."""
    counts = np.zeros(size, dtype=np.int64)
    for part in row_blocks(codes.size):
        some = codes[part][among[part]]
        if size <= BLOCK:
            counts += np.bincount(some, minlength=size)
        else:
            np.add.at(counts, some, 1)
    return counts


def find_runs(linked: Bools) -> tuple[Ints, Ints]:
    """Return where each run of rows that are linked to the one before begins, and its length.

    A row that has no such neighbour is in no run, so that the answer is short where few have one.
    """
    at = np.flatnonzero(linked)
    if not at.size:
        return at, at
    opens = np.flatnonzero(np.diff(at, prepend=-2) > 1)
    lengths = np.diff(opens, append=at.size)
    return at[opens] - 1, lengths + 1


def mask_of_dense_runs(
    columns: Sequence[Ints], times: Ints, apart: Ints | Floats, least: int
) -> Bools:
    """Tell which rows are in a run of at least so many with the same codes.

    Rows are in the order of time, and each of a run follows the one before in the time that its
    code of the last column allows (`apart`). Sorting a block of rows takes place in the CPU's
    cache; what is left is short where runs are rare.
    """
    inside = np.zeros(times.size, dtype=bool)
    reach = (least - 1) * int(np.ceil(apart.max(initial=0)))
    latest, kind = int(times.max(initial=0)), times.dtype.type  # of another type all are copied

    def end_of_reach(end: int) -> int:
        until = kind(min(int(times[end - 1]) + reach, latest))
        return int(times.searchsorted(until, side="right"))

    start = 0
    while start < times.size:
        end = min(start + BLOCK, times.size)
        if (stop := end_of_reach(end)) - end > BLOCK:  # a busy time: a block as long as its end
            end, stop = stop, end_of_reach(stop)
        some = [column[start:stop] for column in columns]
        order = np.lexsort(some)
        linked = np.diff(times[start:stop][order]) <= apart[some[-1][order[1:]]]
        for column in some:
            linked &= column[order[1:]] == column[order[:-1]]
        goes_on = np.ones(max(order.size - least + 1, 0), dtype=bool)
        for i in range(least - 1):
            goes_on &= linked[i : i + goes_on.size]
        at = np.flatnonzero(goes_on)
        for i in range(least):
            inside[start + order[at + i]] = True
        start = end
    return inside


def rows_of_runs(begins: Ints, lengths: Ints) -> Ints:
    """Return the rows of runs, one run after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if ends.size else 0
    return np.asarray(np.arange(total) + np.repeat(begins - (ends - lengths), lengths))


def _weighted_counts(codes: Ints, weights: Ints | None, size: int) -> Ints:
    # Sums of whole numbers are exact in floating point up to 2^53.
    return np.bincount(codes, weights=weights, minlength=size).astype(np.int64, copy=False)


def sum_by_code(codes: Ints, weights: Ints | Floats, size: int) -> Floats:
    """Return the sum of the weights of each code below `size` (and beyond, where there are any)."""
    return np.asarray(np.bincount(codes, weights=weights, minlength=size), dtype=np.float64)


def distinct_rows(columns: Sequence[Ints]) -> tuple[Ints, Ints, Ints]:
    """Number the distinct rows of columns of codes (-1 and up) in the order of their values.

    Return where one row of each number is, the number of every row, and how many rows have it.
    numpy's unique over rows sorts them as texts, which takes fifty times as long.
    """
    rows = few_distinct_rows(columns, columns[0].size)
    assert rows is not None
    return rows


def few_distinct_rows(columns: Sequence[Ints], most: int) -> tuple[Ints, Ints, Ints] | None:
    """Return what `distinct_rows` does, or None as soon as there are more of them than `most`."""
    widths = [int(column.max(initial=ABSENT)) + 2 for column in columns]
    if prod(widths) <= _table_cells_worth_allocating(columns[0].size):
        return _few_distinct_rows_by_table(columns, widths, most)
    number, size = np.zeros(columns[0].size, dtype=np.int64), 1
    for column, width in zip(columns, widths, strict=True):
        # What no table holds is sorted, as seldom as it can be.
        if size * width > (MAX_TABLE if size <= MAX_TABLE else MAX_CODE):
            number, size = _renumber_codes(number, size)
            if size > most:
                return None
        number *= width  # an array of our own
        number += column
        number += 1
        size *= width
    number, size = _renumber_codes(number, size)
    if size > most:
        return None
    where = np.zeros(size, dtype=np.int64)
    where[number] = np.arange(number.size)
    return where, number, np.bincount(number, minlength=size)


def _few_distinct_rows_by_table(
    columns: Sequence[Ints], widths: Sequence[int], most: int
) -> tuple[Ints, Ints, Ints] | None:
    """Return what `few_distinct_rows` does, of rows of which a table has them all."""
    number: Any = np.zeros(columns[0].size, dtype=np.int32)
    occurs = np.zeros(prod(widths), dtype=bool)
    for part in row_blocks(number.size):
        code = number[part]  # a view
        for column, width in zip(columns, widths, strict=True):
            code *= width
            code += column[part]
            code += 1
        occurs[code] = True
    rank: Any = np.cumsum(occurs, dtype=np.int32) - 1
    size = int(np.count_nonzero(occurs))
    if size > most:
        return None
    where, counts = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for part in row_blocks(number.size):
        code = rank[number[part]]
        number[part] = code
        where[code] = np.arange(part.start, part.start + code.size)
        np.add.at(counts, code, 1)
    return where, number, counts


def _renumber_codes(codes: Ints, size: int) -> tuple[Ints, int]:
    """Number the codes (of 0 to `size` - 1) that occur in their order, and say how many do."""
    if not _table_is_worthwhile(codes, size):
        distinct_codes, number = np.unique(codes, return_inverse=True)
        return number.ravel(), distinct_codes.size
    occurs = np.bincount(codes, minlength=size) > 0
    rank = np.cumsum(occurs) - 1
    return rank[codes], int(occurs.sum())


def positions_in(keys: Ints, codes: Ints) -> Ints:
    """Return where each code is among distinct keys (0 and up, in order); ABSENT where it is not.

    A million searches among a million keys take a second, as each step of one leaves the CPU's
    cache; a table has the answer at once.
    """
    if not keys.size:
        return np.full(codes.size, ABSENT, dtype=np.int64)
    size = int(keys[-1]) + 1
    if _table_is_worthwhile(codes, size):
        table = np.full(size + 1, ABSENT, dtype=np.int32)  # the last place is of none
        table[keys] = np.arange(keys.size)
        return np.asarray(table[np.where(codes < size, codes, ABSENT)], dtype=np.int64)
    at = np.minimum(np.searchsorted(keys, codes), keys.size - 1)
    return np.where(keys[at] == codes, at, ABSENT)


def count_distinct(codes: Ints) -> int:
    """Return how many different codes (0 and up) there are."""
    if not _table_is_worthwhile(codes, int(codes.max(initial=0)) + 1):
        return int(np.unique(codes).size)
    return int(np.count_nonzero(np.bincount(codes)))


def _table_is_worthwhile(codes: Ints, size: int) -> bool:
    """Whether a table of all codes below `size` is worth its memory; else they are sorted."""
    return size <= _table_cells_worth_allocating(codes.size)


def _table_cells_worth_allocating(rows: int) -> int:
    return min(MAX_TABLE, MIN_TABLE + MAX_EMPTY * rows)
