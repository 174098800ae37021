# SPDX-License-Identifier: Apache-2.0
"""R31: a count beside a pointer says more than the block has that the pointer names.

Structs of C and C++ keep an array as an address and a number of items. A loop with a number that is
too large runs over the array's end, through whatever follows, to the end of a mapping: an overrun,
by all that the crash itself shows.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, word_evidence
from gdb_epi.corruption.heap.address_index import BLOCK, address_index
from gdb_epi.corruption.heap.memory import read_words, values_at_hand
from gdb_epi.corruption.registry import check
from gdb_epi.errors import Absent
from gdb_epi.fault.reads import read_u64
from gdb_epi.fault.site import DATA
from gdb_epi.sizes import WORD, WORD_MASK

LEAST_BIT = 20  # flags and sizes of 2^k and a few bytes are ordinary up to a megabyte
LEAST_ITEMS = 5
GRAIN = 16  # bytes: an allocator's blocks have room for up to 15 that nobody asked for
MAX_STRUCT = 16  # words that are looked at
MAX_STRUCTS = 256
MAX_WRONG = 1
MARKS = 2  # the topmost bits of a number, in which programs keep marks
# Bytes of an item: of numbers, pointers and small structs.
WIDTHS = (1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64)


@check(
    "R31",
    costly=True,
    needs="crash",
    order=58,
    innocent_causes=(
        "a number that is no count of these items (without the one bit it must fill the block "
        "exactly; bits below the twentieth are left out), a capacity that was "
        "changed before the block was (such a number has no single high bit too many)."
    ),
)
def counts_beside_pointers(context: Context) -> Iterator[Evidence]:
    """Look at the structs in blocks that the fault had at hand.

    A number counts when the block that a pointer beside it names is smaller than so many items of
    any size, and without its highest bit so many items of one size fill it.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind != DATA:
        return
    wrong: dict[int, tuple[int, int, int, int]] = {}
    ends: dict[int, tuple[int, int]] = {}
    for start in values_at_hand(context)[:MAX_STRUCTS]:
        words = _words_of_struct(context, start)
        for place, held, right, width in _of_struct(context, start, words):
            wrong[place] = held, right, width, start
        ends.update(_ends_of_struct(context, start, words))
    if len(ends) == 1 and not wrong:
        yield from _wrong_end(*ends.popitem())
    if len(wrong) > MAX_WRONG:
        return
    for place, (held, right, width, start) in wrong.items():
        word_at = place & -WORD
        shift = 8 * (place - word_at)
        word = read_u64(context.target, word_at)
        if word is None:
            continue
        summary = (
            f"the number at {place:#018x}, in what begins at {start:#018x}, is {held}, and the "
            f"block that a pointer beside it names is smaller; {right} items of {width} bytes, one "
            "bit away, fill it"
        )
        yield word_evidence(
            "R31", word_at, word, word ^ (held ^ right) << shift & WORD_MASK, summary
        )


def _words_of_struct(context: Context, start: int) -> list[int]:
    """Return the words of a block that begins at an address; none of what is on a stack.

    There nothing tells what belongs together.
    """
    region = context.target.region_at(start)
    if start % WORD or region is None or "w" not in region.perms:
        return []
    index = address_index(context)
    end = index.end_of_block(start) if index.at(start) is not None else None
    if end is None:
        return []
    return read_words(context, start, min(MAX_STRUCT * WORD, end - start) // WORD).tolist()


def _ends_of_struct(
    context: Context, start: int, words: list[int]
) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield (place, (end, right end)) of a start, an end and an end of room that follow each other.

    So std::vector and many buffers of C say what they have. The room is right when it fills the
    block that begins at the start; the end lies outside of it, and one bit away within.
    """
    for number, (first, last, most) in enumerate(zip(words, words[1:], words[2:], strict=False)):
        room = _room(context, first) if first < most else None
        if room is None or not room - GRAIN < most - first <= room or first <= last <= most:
            continue
        near = [last ^ 1 << bit for bit in range(LEAST_BIT, 64)]
        right = [end for end in near if first <= end <= most]
        if len(right) == 1:
            yield start + WORD * (number + 1), (last, right[0])


def _wrong_end(place: int, words: tuple[int, int]) -> Iterator[Evidence]:
    held, right = words
    summary = (
        f"the end at {place:#018x} is {held:#x}, outside of the block between the start and the "
        f"end of the room that stand beside it; {right:#x}, one bit away, lies within"
    )
    yield word_evidence("R31", place, held, right, summary)


def _of_struct(
    context: Context, start: int, words: list[int]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield (place, number, right number, bytes of an item) of a struct."""
    rooms = [room for word in words if (room := _room(context, word)) is not None]
    if not rooms:
        return
    halves = [half for word in words for half in (word & 0xFFFFFFFF, word >> 32)]
    numbers = [(start + WORD * n, word) for n, word in enumerate(words)]
    numbers += [
        (start + 4 * n, half)
        for n, half in enumerate(halves)
        if half >> LEAST_BIT and half != words[n // 2]  # a number of 64 bits is there already
    ]
    for place, number in numbers:
        for room in rooms:
            fitting = _fitting(number, room, 64 if place % WORD == 0 and number >> 32 else 32)
            if fitting is not None:
                yield place, number, *fitting


def _room(context: Context, word: int) -> int | None:
    """Return how many bytes the block has that a word is the address of."""
    if word < 1 << 16 or word % GRAIN:
        return None
    index = address_index(context)
    pointee = index.at(word)
    if pointee is None or pointee.kind != BLOCK:
        return None
    end = index.end_of_block(word)
    return None if end is None else end - word


def _fitting(number: int, room: int, size: int) -> tuple[int, int] | None:
    """Return the number without its highest bit, and bytes of one of so many that fill a room."""
    top = number.bit_length() - 1
    right = number ^ 1 << top if top >= LEAST_BIT else 0
    if right < LEAST_ITEMS or number <= room:
        return None
    if top >= size - MARKS:
        return None
    for width in WIDTHS:
        if room - GRAIN < right * width <= room:
            return right, width
    return None
