# SPDX-License-Identifier: Apache-2.0
"""R31: numbers that one bit makes agree with what stands beside them, as plain functions.

A count and its room, a row of rising numbers, a length and its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import compress, islice, pairwise
from operator import gt

from gdb_epi.corruption.heap.pool_census import GRAIN

MIN_COUNT_BIT = 20  # flags and sizes of 2^k and a few bytes are ordinary up to a megabyte
MIN_ITEMS = 5
MARKS = 2  # the topmost bits of a number, in which programs keep marks
# Bytes of an item: of numbers, pointers and small structs.
WIDTHS = (1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64)
MIN_IN_ROW = 16
ROW_MARGIN = 64  # so many times what lies between its neighbours a flip moves a number


def count_without_highest_bit(number: int, room: int, size: int) -> tuple[int, int] | None:
    """Return the number without its highest bit, and the size of items that then fill the room."""
    top = number.bit_length() - 1
    right = number ^ 1 << top if top >= MIN_COUNT_BIT else 0
    if right < MIN_ITEMS or number <= room:
        return None
    if top >= size - MARKS:
        return None
    for width in WIDTHS:
        if room - GRAIN < right * width <= room:
            return right, width
    return None


def number_out_of_row(numbers: memoryview, bits: int) -> tuple[int, int] | None:
    """Return which number of a rising row is one bit off its place, and the right one; or None.

    Zeros after the row are room that is not used yet.
    """
    falls = list(islice(compress(range(len(numbers)), map(gt, numbers, numbers[1:])), 3))
    used = len(numbers)
    if falls and not any(numbers[falls[-1] + 1 :]):
        used = falls.pop() + 1
    if len(falls) != 1 or used < MIN_IN_ROW or len(set(numbers[:used])) <= used // 2:
        return None
    right = [
        (number, numbers[number] ^ 1 << bit)
        for number in (falls[0], falls[0] + 1)
        if 0 < number < used - 1
        for bit in range(bits - MARKS)
        if numbers[number - 1] <= numbers[number] ^ 1 << bit <= numbers[number + 1]
        and 1 << bit >= ROW_MARGIN * (numbers[number + 1] - numbers[number - 1])
    ]
    return right[0] if len(right) == 1 else None


def wrong_lengths(
    words: list[int], registers: set[int], length_at: Callable[[int], int | None]
) -> Iterator[tuple[int, int]]:
    """Yield (index, right number) of lengths after pointers that have one high bit too many.

    What the code really used as a length is in a register, or its sum with the pointer is: two ints
    of 32 bits side by side are not.
    """
    for number, (text, length) in enumerate(pairwise(words), 1):
        top = length.bit_length() - 1
        if not MIN_COUNT_BIT <= top < 64 - MARKS:
            continue
        used = length in registers or text + length in registers
        right = length ^ 1 << top
        if used and right >= MIN_ITEMS and length_at(text) == right:
            yield number, right
