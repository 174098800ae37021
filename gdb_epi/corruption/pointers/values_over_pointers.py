# SPDX-License-Identifier: Apache-2.0
"""A text or a number that began before a pointer and ends within it, over its lower bytes.

What is left above is the upper part of an address. So ends a copy into a field that is too short,
and a number of 8 bytes that was written into 4.
"""

from __future__ import annotations

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.address_descriptions import find_malloc_chunk
from gdb_epi.corruption.heap.address_index import address_index
from gdb_epi.corruption.heap.malloc_chunks import HEAD, heap_chunks, is_in_free_chunk
from gdb_epi.corruption.heap.object_references import is_in_free_block
from gdb_epi.fault.memory_reads import read_up_to, read_word
from gdb_epi.fault.word_shapes import MAX_PLAIN, double_shape
from gdb_epi.sizes import HALF_MASK, WORD
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

MAX_BACK = 256  # bytes before a pointer in which its text begins
MIN_BEFORE, MIN_OVER, MAX_OVER = 6, 2, 4  # characters of a text before a pointer, and over it
MIN_SOUND, MAX_ALIKE = 3, 1 << 12  # blocks of one size that are alike, and that are looked at
_WITHOUT_FIELDS = ("str", "bytes", "int", "tuple", "dict")  # they hold any data, or items
_PRINTABLE = frozenset(range(0x20, 0x7F))


class PartlyOverwrittenPointer(NamedTuple):
    """What goes over the first `over` bytes of a pointer, and where that begins."""

    what: str
    start: int
    over: int
    is_text: bool


def find_value_over_pointer(
    target: Target, slot: int, value: int
) -> PartlyOverwrittenPointer | None:
    """Return what began before a word and ends within it; the rest is that of an address."""
    if slot % WORD:
        return None
    before = read_up_to(target, slot - MAX_BACK, MAX_BACK)
    if len(before) < MAX_BACK:
        before = read_up_to(target, slot - 2 * WORD, 2 * WORD)
    if len(before) < 4:
        return None
    raw = value.to_bytes(WORD, "little")
    text = raw.partition(b"\0")[0]
    if MIN_OVER <= len(text) <= MAX_OVER and _PRINTABLE.issuperset(text):
        length = 0
        while length < len(before) and before[-1 - length] in _PRINTABLE:
            length += 1
        if MIN_BEFORE <= length < len(before) and _is_upper_part(target, value, len(text) + 1):
            whole = (before[len(before) - length :] + text).decode("ascii")
            return PartlyOverwrittenPointer(
                f"the text {whole!r}", slot - length, len(text) + 1, True
            )
    # Compilers place doubles at multiples of 8; this one was written through a pointer to a float.
    number = int.from_bytes(before[-4:] + raw[:4], "little")
    shape = double_shape(number) if number & HALF_MASK else None
    if shape is None or not _is_upper_part(target, value, 4):
        return None
    plain = shape.why.rpartition(" ")[2]
    if len(plain) > MAX_PLAIN or "floating-point number " not in shape.why:
        return None
    return PartlyOverwrittenPointer(f"the floating-point number {plain}", slot - 4, 4, False)


def _is_upper_part(target: Target, value: int, count: int) -> bool:
    """Whether a word without its lower bytes is the upper part of addresses of the process."""
    upper = value >> 8 * count
    low = upper << 8 * count
    return upper > 0 and any(
        region.start <= low | (1 << 8 * count) - 1 and low < region.end
        for region in target.regions()
    )


def pointer_place_clause(context: Context, slot: int, cut: PartlyOverwrittenPointer) -> str:
    """Say what shows that a pointer belongs where something else ended; "" where nothing does.

    A block that was freed and given out again may keep the upper bytes of an old pointer behind a
    shorter text. So of a text others of the same size have to show where it begins and that a
    pointer follows.
    """
    if is_in_free_block(context, slot):
        return ""
    index = address_index(context)
    if not cut.is_text:
        owner = index.object_with_field(slot)
        if owner is None or owner[1] in _WITHOUT_FIELDS or cut.start < owner[0] + 2 * WORD:
            return ""
        return f"the object of type {owner[1]} at {owner[0]:#x} is in use"
    within = index.offset_in_pool_block(slot)
    chunk = None if within is not None else find_malloc_chunk(context, slot)
    if within is None and chunk is None:
        return ""
    start = slot - within if within is not None else chunk[0] if chunk is not None else 0
    if cut.start < start:
        return ""
    others = (
        index.used_pool_blocks(slot) if chunk is None else _blocks_of_chunk_size(context, chunk[1])
    )
    text_at, pointer_at = cut.start - start, slot - start
    upper = (read_word(context.target, slot) or 0) >> 8 * cut.over
    sound: dict[int, int] = {}
    for other in others:
        pointer = read_word(context.target, other + pointer_at) or 0
        text = read_up_to(context.target, other + text_at, pointer_at - text_at)
        ends = text.find(b"\0")
        if other == start or pointer >> 8 * cut.over != upper:
            continue
        if ends < MIN_OVER or not _PRINTABLE.issuperset(text[:ends]):
            continue
        if context.target.region_at(pointer) is not None:
            sound[pointer] = sound.get(pointer, 0) + 1
    most = max(sound.values(), default=0)
    if most < MIN_SOUND:
        return ""
    pointer = next(word for word, number in sound.items() if number == most)
    return (
        f"{most} other blocks of its size have a shorter text there, and {pointer:#x} where this "
        "one has the end of it"
    )


@once_per_run
def _blocks_of_chunk_size(context: Context, usable: int) -> list[int]:
    """Return where the blocks in use of malloc's main heap of one size begin."""
    chunks = heap_chunks(context)
    starts = [
        chunks.start + WORD * (at + HEAD)
        for at, head in zip(chunks.places, chunks.heads, strict=True)
        if (head & ~7) - WORD == usable
    ]
    return [start for start in starts[:MAX_ALIKE] if not is_in_free_chunk(context, start)]


def text_over_record_clause(target: Target, slot: int) -> str:
    """Say that a text goes on over a field that holds an address in the records beside; or "".

    Records of an array are alike. Text that took the place of several was put into freed memory;
    one that ends within the field may stand there in place of an address, as short strings do.
    """
    before, after = (
        read_up_to(target, slot - MAX_BACK, MAX_BACK),
        read_up_to(target, slot, MAX_BACK),
    )
    memory, at = before + after, len(before)
    end = at
    while at and memory[at - 1] in _PRINTABLE:
        at -= 1
    while end < len(memory) and memory[end] in _PRINTABLE:
        end += 1
    if len(before) - at < MIN_BEFORE or end - len(before) < WORD:
        return ""
    for step in range(max(2 * WORD, (end - at) & -WORD), MAX_BACK // 2 + 1, WORD):
        beside = [read_word(target, slot + number * step) for number in (-2, -1, 1, 2)]
        leads = [word is not None and target.region_at(word) is not None for word in beside]
        if any(all(leads[number : number + 2]) for number in range(3)):
            return (
                f"the text {memory[at:end].decode()!r} goes on over it from "
                f"{slot - len(before) + at:#x}, where the records "
                f"beside, {step} bytes apart, hold addresses"
            )
    return ""
