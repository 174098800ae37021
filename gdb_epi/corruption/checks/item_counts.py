# SPDX-License-Identifier: Apache-2.0
"""R25, R31: a number of items against the room available for them.

R25: the number of items that a Python object claims to have. R31: a count beside a pointer, as C
and C++ structs keep their arrays. A loop with a number that is too large runs over the array's end,
through whatever follows, to the end of a mapping: an overrun, by all that the crash itself shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import compress
from operator import gt

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, require, word_evidence
from gdb_epi.corruption.heap.address_index import BLOCK, address_index
from gdb_epi.corruption.heap.malloc_chunks import HEAD, HeapChunks, heap_chunks
from gdb_epi.corruption.heap.object_references import may_be_old_reference_count
from gdb_epi.corruption.heap.object_types import HEAP_TYPE, ObjectType
from gdb_epi.corruption.heap.object_walk import ObjectWalk, object_walk
from gdb_epi.corruption.heap.one_bit_numbers import (
    MIN_COUNT_BIT,
    count_without_highest_bit,
    number_out_of_row,
    wrong_lengths,
)
from gdb_epi.corruption.heap.pool_census import GRAIN, PoolCensus, pool_census
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD, object_header_size
from gdb_epi.corruption.heap.readers import (
    is_on_stack,
    read_top_of_stack,
    read_words,
    words_at_fault,
)
from gdb_epi.corruption.registry import check
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.str_layout import str_object_layout
from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.wrong_values.marked_pointer import FAR_BIT, library_that_may_change_word
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.fault.fault_site import DATA
from gdb_epi.fault.find_fault import GENERAL, Fault
from gdb_epi.fault.malloc_heap import FLAGS
from gdb_epi.fault.memory_reads import read_u64, read_word, try_read
from gdb_epi.sizes import PAGE, WORD, WORD_MASK
from gdb_epi.typing_lite import NamedTuple

MIN_BIT = 5  # a count that is wrong by fewer items is an error of counting
MAX_ITEMS = 1 << 40
MAX_LOOKED_AT = 64  # items that must be objects
LARGEST_BLOCK = 512  # bytes that pymalloc gives (SMALL_REQUEST_THRESHOLD, Objects/obmalloc.c)
LAST_CHARACTER = 0x10FFFF
MAX_SUSPECTED = 64  # objects of all the heap; more counts that are too large are an overwrite
SLACK = 4  # a block that shrinks in place keeps at most a quarter more (pymalloc_realloc, 3.8+)
# Objects that say themselves how much room they have.
_SAID = (("list", "PyListObject", "allocated"), ("bytearray", "PyByteArrayObject", "ob_alloc"))
LONGEST_ACCESS = 64  # bytes
MAX_STRUCT = 16  # words that are looked at
MAX_STRUCTS = 256
MAX_WRONG = 1
MAX_IN_ROW = 1 << 16  # numbers
MAX_ITEM_SHIFT = 4  # items of up to 16 bytes that offsets count


class _CountTooLarge(NamedTuple):
    """A count that is larger than the room: where it is, and which counts would fit."""

    owner: int
    kind: str
    place: int
    held: int
    least: int
    most: int
    items: int  # address of the first one; 0 where items are bytes
    room: str  # the sentence that says how much room there is
    ends: tuple[int, int] | None = None  # where characters that a NUL follows begin, bytes of one


class _InlineItemsLayout(NamedTuple):
    """Offsets of an object whose items follow its head: of the count and of the items; their width.

    Up to GC_HEAD bytes lie before the object in its block.
    """

    count_at: int
    start: int
    width: int


def _inline_items_layouts(layout: Layout) -> dict[str, _InlineItemsLayout]:
    """Return where tuples and bytes have their items."""
    size_at = layout.require("PyVarObject", "ob_size")
    return {
        "tuple": _InlineItemsLayout(size_at, layout.require("PyTupleObject", "ob_item"), WORD),
        "bytes": _InlineItemsLayout(size_at, layout.require("PyBytesObject", "ob_sval"), 1),
    }


@check("R25", costly=True, grows=True, needs="python", order=57)
def item_counts(context: Context) -> Iterator[Evidence]:
    """Compare the counts of lists, tuples, str, bytes and bytearrays with the room for items.

    Of the objects that the frames reach and those that the fault had at hand. A loop over such an
    object runs far beyond its items: what it dies of may look like anything, an overrun first.

    Innocent causes: an extension that sets ob_size itself and counts wrongly: counts that are wrong
    by less than 32 items are left out; the object was freed or overwritten (then its items are no
    objects); the room was damaged, not the count (then nothing is said); references to an object
    that is gone, which began at the count: not said where a word names that place.
    """
    walk = require(object_walk(context))
    for count in _too_large_counts_near_fault(context, walk):
        yield from _evidence_of_wrong_count(context, walk, count)


@check("R25-heap", everywhere=True, needs="python", order=57)
def heap_item_counts(context: Context) -> Iterator[Evidence]:
    """Compare the counts of all objects in pools and in malloc's chunks with their room.

    What ran over the end of a damaged object may have left it long ago, or reached it by C code:
    neither frames nor registers lead to it then.

    Innocent causes: those of R25. Of one type more than a few such objects are no damage of one
    word, and nothing is said.
    """
    census, walk = require(pool_census(context)), require(object_walk(context))
    of_kind = _objects_counting_too_much(context, census, walk)
    if sum(map(len, of_kind.values())) > MAX_SUSPECTED:
        return
    seen = {item.where for item in context.evidence if item.id == "R25"}
    for count in _too_large_counts_of_objects(context, walk.reader, of_kind):
        if count.place not in seen:
            yield from _evidence_of_wrong_count(context, walk, count)


@check("R25-form", everywhere=True, needs="python", order=58)
def heap_string_flags(context: Context) -> Iterator[Evidence]:
    """Find str objects whose flags no str has, where one flipped flag makes all of them agree.

    The flags say where the characters lie and how wide they are (Include/cpython/unicodeobject.h,
    `state`, 3.8 to 3.15). A str that says "elsewhere" gives its own text as a pointer.

    Innocent causes: the object was freed or overwritten: then its characters do not end with its
    block; up to 3.11 a str whose characters lie elsewhere: then they do not either. Of more than a
    few nothing is said.
    """
    census, walk = require(pool_census(context)), require(object_walk(context))
    form, kind = str_object_layout(walk.reader.layout, 0), _types_with_item_counts(walk).get("str")
    if kind is None or form.state_mask > 0xFF:
        return
    right_bytes = bytes(state for state in range(0x100) if state & form.state_mask in form.kinds)
    wrong: list[tuple[int, int, int]] = []
    for blocks in census.classes:
        if blocks.block < form.head_size:
            continue
        row = blocks.all_block_words
        odd = row.blocks_of_type_without(kind.address, form.type_at, form.state_at, right_bytes)
        flags = row.words_of_blocks(odd, form.state_at)
        wrong += [
            (blocks.start_of_block(n), word, blocks.block)
            for n, word in zip(odd, flags, strict=True)
        ]
    for owner, word, block in wrong if len(wrong) <= MAX_SUSPECTED else ():
        length = read_word(context.target, owner + form.length_at) or 0
        right = [
            word ^ 1 << bit
            for bit in range(form.state_mask.bit_length())
            if _does_string_fill_block(
                walk, form.kinds.get((word ^ 1 << bit) & form.state_mask), owner, length, block
            )
        ]  # fmt: skip
        if len(right) == 1:
            summary = (
                f"the flags of the str at {owner:#x} are those of no str; with one other bit its "
                f"{length} characters and their NUL are where it says, and end with its block"
            )
            place = owner + form.state_at
            yield word_evidence("R25", place, word, right[0], summary)


def _does_string_fill_block(
    walk: ObjectWalk, shape: tuple[int, int] | None, owner: int, length: int, block: int
) -> bool:
    """Whether that many characters, none of them NUL, and a final NUL fill a block.

    Other things have the address of `str` in their second word, an array of attributes for one:
    there stand zeros, or what no character is.
    """
    if shape is None or not 0 < length < block:
        return False
    head, width = shape
    end = head + (length + 1) * width
    if not block - GRAIN < end <= block:
        return False
    try:
        text = walk.reader.read(owner + head, end - head)
    except UnreadableMemory:
        return False
    if width == 1:
        return not text[-1] and 0 not in text[:-1]
    *characters, last = memoryview(text).cast("I" if width == 4 else "H")
    return not last and all(0 < character <= LAST_CHARACTER for character in characters)


def _objects_counting_too_much(
    context: Context, census: PoolCensus, walk: ObjectWalk
) -> dict[str, list[int]]:
    """Return the objects that count more than their block holds, or than they say themselves.

    Those that count fewer than MIN_COUNT are wrong by less than what R25 looks at.
    """
    layout = walk.reader.layout
    size_at = layout.require("PyVarObject", "ob_size")
    type_at = layout.require("PyObject", "ob_type")
    form, fields = str_object_layout(layout, 0), _inline_items_layouts(layout)
    head = min(head for head, _width in form.kinds.values())
    fields["str"] = _InlineItemsLayout(form.length_at, head, 1)
    rooms = {
        name: (layout.require(struct, member), layout.size(struct) or 0)
        for name, struct, member in _SAID
    }
    of_kind = _empty_lists_by_type_name()
    types = _types_with_item_counts(walk)
    for blocks in census.classes:
        row = blocks.all_block_words
        for name, kind in types.items():
            head = object_header_size(kind.flags)
            left = blocks.block - head  # for the object
            if name in fields and left >= fields[name].start:
                at, start, width = fields[name]
                most = (left - start) // width
                numbers = row.blocks_counting_over(kind.address, head + type_at, head + at, most)
            elif name in rooms and 0 <= left - rooms[name][1] < GRAIN:
                at, room_at = size_at, rooms[name][0]
                large = row.blocks_counting_over(kind.address, head + type_at, head + at, 0)
                held, room = (
                    row.words_of_blocks(large, head + at),
                    row.words_of_blocks(large, head + room_at),
                )
                numbers = list(compress(large, map(gt, held, room)))
            else:
                continue
            counts = zip(numbers, row.words_of_blocks(numbers, head), strict=True)
            of_kind[name] += [
                blocks.start_of_block(number) + head
                for number, count in counts
                if census.is_reference_count(count)
            ]
    for name, owners in _chunk_objects_counting_too_much(
        census, walk, heap_chunks(context), fields
    ).items():
        of_kind[name] += owners
    return of_kind


def _chunk_objects_counting_too_much(
    census: PoolCensus, walk: ObjectWalk, chunks: HeapChunks, fields: dict[str, _InlineItemsLayout]
) -> dict[str, list[int]]:
    """Return the objects in chunks of malloc's, larger than pymalloc's blocks, that count more."""
    kinds = {
        built_in.address: (name, HEAD + object_header_size(built_in.flags) // WORD)
        for name, built_in in _types_with_item_counts(walk).items()
        if name in fields
    }
    of_kind = _empty_lists_by_type_name()
    words, last = chunks.words, len(chunks.words)
    large = chunks.places_of_size(LARGEST_BLOCK + 2 * WORD)
    for type_word in {first + 1 for _name, first in kinds.values()}:
        for place in [place for place in large if words[place + type_word] in kinds]:
            name, first = kinds[words[place + type_word]]
            if first + 1 != type_word or not census.is_reference_count(words[place + first]):
                continue
            at, start, width = fields[name]
            count, size = place + first + at // WORD, words[place + 1] & ~FLAGS
            if count < last and words[count] * width > size - WORD * (first - 1) - start:
                of_kind[name].append(chunks.start + WORD * (place + first))
    return of_kind


def _types_with_item_counts(walk: ObjectWalk) -> dict[str, ObjectType]:
    """Return the types that the walk met of which objects are looked at, by their names."""
    wanted = _empty_lists_by_type_name()
    return {
        kind.name: kind
        for kind in walk.kinds.types_met_so_far()
        if kind.name in wanted and not kind.flags & HEAP_TYPE
    }


def _empty_lists_by_type_name() -> dict[str, list[int]]:
    return {"list": [], "tuple": [], "bytes": [], "bytearray": [], "str": []}


def _evidence_of_wrong_count(
    context: Context, walk: ObjectWalk, count: _CountTooLarge
) -> Iterator[Evidence]:
    """Yield the one count, a bit away or two, that fits; nothing where several do."""
    bits = range(MIN_BIT, 64)
    near = [count.held ^ 1 << bit for bit in bits]
    right = [value for value in near if count.least <= value <= count.most]
    far = "one bit"
    if not right and count.ends:
        right = [
            value
            for number, nearby in enumerate(near)
            for bit in bits[number + 1 :]
            if count.least <= (value := nearby ^ 1 << bit) <= count.most
        ]
        far = "two bits"
    if count.ends:  # a NUL ends the characters, however long they are said to be
        right = [value for value in right if _ends_with_nul(walk, count.ends, value)]
    if len(right) > 1 and count.items:
        right = [value for value in right if not walk.type_name_at(_read_item(walk, count, value))]
    if len(right) == 1 and (not count.items or _are_end_items_objects(walk, count.items, right[0])):
        if may_be_old_reference_count(context, count.owner, count.place, count.held - right[0]):
            return
        summary = (
            f"{'length' if count.kind == 'str' else 'ob_size'} of the {count.kind} at "
            f"{count.owner:#018x} is {count.held:#x}, and "
            f"{count.room}; {right[0]}, {far} away, fits"
        )
        yield word_evidence("R25", count.place, count.held, right[0], summary)


def _read_item(walk: ObjectWalk, count: _CountTooLarge, number: int) -> int:
    """Return an item, counted from 0."""
    return walk.reader.word(count.items + WORD * number)


def _ends_with_nul(walk: ObjectWalk, ends: tuple[int, int], value: int) -> bool:
    """Whether a NUL follows that many characters: str and bytes objects end with one."""
    start, width = ends
    try:
        return not any(walk.reader.read(start + value * width, width))
    except UnreadableMemory:
        return False


def _too_large_counts_near_fault(context: Context, walk: ObjectWalk) -> Iterator[_CountTooLarge]:
    of_kind = _empty_lists_by_type_name()
    for address, category in walk.visited:
        if category in ("list", "tuple"):
            of_kind[category].append(address)
    for value in dict.fromkeys((*walk.values_of_variables(), *words_at_fault(context))):
        name = walk.type_name_at(value)
        if name in ("bytes", "bytearray", "str"):
            of_kind[name].append(value)
    yield from _too_large_counts_of_objects(context, walk.reader, of_kind)


def _too_large_counts_of_objects(
    context: Context, reader: MemoryReader, of_kind: dict[str, list[int]]
) -> Iterator[_CountTooLarge]:
    """Yield the counts of objects that are larger than their room."""
    offset = reader.layout.require
    for kind, struct, member in _SAID:
        room_at, start_at = offset(struct, member), offset(struct, "ob_item", "ob_bytes")
        places = offset("PyVarObject", "ob_size"), room_at, start_at
        yield from _counts_beyond_allocated(context, reader, kind, of_kind[kind], places)
    for kind, inline in _inline_items_layouts(reader.layout).items():
        yield from _counts_beyond_block(context, reader, kind, of_kind[kind], inline)
    yield from _strings_without_room(context, reader, of_kind["str"])


def _strings_without_room(
    context: Context, reader: MemoryReader, owners: list[int]
) -> Iterator[_CountTooLarge]:
    """Yield the compact str objects whose characters, and the NUL after them, have no room."""
    form = str_object_layout(reader.layout, 0)
    shapes: dict[tuple[int, int], list[int]] = {}
    for owner in owners:
        with suppress(UnreadableMemory):
            state = reader.u32(owner + form.state_at) & form.state_mask
            if state in form.kinds:
                shapes.setdefault(form.kinds[state], []).append(owner)
    for (head, width), alike in shapes.items():
        inline = _InlineItemsLayout(form.length_at, head, width)
        for count in _counts_beyond_block(context, reader, "str", alike, inline):
            yield count._replace(most=count.most - 1)


def _counts_beyond_allocated(
    context: Context, reader: MemoryReader, kind: str, owners: list[int], places: tuple[int, ...]
) -> Iterator[_CountTooLarge]:
    """Yield the objects that say themselves how much room they have.

    list_resize() keeps allocated / 2 <= ob_size <= allocated (Objects/listobject.c); a bytearray
    has a byte more than it says. `places` are the offsets of the count, the room and the pointer.
    The room is right when the block that the items lie in has not much more.
    """
    index, is_list = address_index(context), kind == "list"
    sizes, rooms, starts = (reader.words([owner + at for owner in owners]) for at in places)
    for owner, held, room, start in zip(owners, sizes, rooms, starts, strict=True):
        if held <= room or not 0 < room < MAX_ITEMS:
            continue
        end = index.end_of_block(start) if start else None
        width = WORD if is_list else 1
        if end is None or not start + width * room <= end < start + width * held:
            continue
        least, most = (room >> 1, room) if is_list else (0, room - 1)
        items, text = (start if is_list else 0), f"it has room for {room}"
        yield _CountTooLarge(owner, kind, owner + places[0], held, least, most, items, text)


def _counts_beyond_block(
    context: Context, reader: MemoryReader, kind: str, owners: list[int], inline: _InlineItemsLayout
) -> Iterator[_CountTooLarge]:
    """Yield the objects whose items follow them, in a block that is too small for them."""
    index, (count_at, start, width) = address_index(context), inline
    for owner, held in zip(owners, reader.words([o + count_at for o in owners]), strict=True):
        if held < 1 << MIN_BIT:
            continue
        end = index.end_of_block(owner) or index.end_of_block(owner - GC_HEAD)
        if end is None or owner + start + width * held <= end:
            continue
        if index.offset_in_pool_block(owner) not in (None, 0, GC_HEAD):
            continue  # it is no object of its own: something like one inside of a block
        most = (end - owner - start) // width
        least = most - most // SLACK - GRAIN // width
        items = owner + start if kind == "tuple" else 0
        text = f"the block that it lies in has room for {most}"
        ends = (owner + start, width) if kind in ("str", "bytes") else None
        yield _CountTooLarge(
            owner, kind, owner + count_at, held, max(least, 0), most, items, text, ends
        )


def _are_end_items_objects(walk: ObjectWalk, items: int, count: int) -> bool:
    """Whether the first and the last of `count` items are objects, or NULL."""
    looked_at = min(count, MAX_LOOKED_AT)
    try:
        words = walk.reader.consecutive_words(items, looked_at)
        words += walk.reader.consecutive_words(items + WORD * (count - looked_at), looked_at)
    except UnreadableMemory:
        return False
    return all(walk.type_name_at(word) for word in words if word) and any(words)


@check("R31", costly=True, needs="crash", order=58)
def check_counts_in_structs_at_hand(context: Context) -> Iterator[Evidence]:
    """Look at the structs in blocks that the fault had at hand.

    A number counts when the block that a pointer beside it names is smaller than so many items of
    any size, and without its highest bit so many items of one size fill it. Such a block may be a
    rising row of offsets: one that is a bit off its place leads an access, or a loop, far away.

    Innocent causes: a number that is no count of these items, such as two fields in one word
    (without the one bit it must fill the block exactly, and the access must have followed it; bits
    below the twentieth are left out), a capacity that was changed before the block was (such a
    number has no single high bit too many). Of a rising row of numbers: marks in
    their two topmost bits, and rows that are not quite sorted (all but one have to be, and the one
    bit is worth 64 times what lies between its neighbours).
    """
    site = context.site
    if isinstance(site, Absent) or site.kind != DATA:
        return
    wrong: dict[int, tuple[int, int, int, int]] = {}
    ends: dict[int, tuple[int, int]] = {}
    rows: set[int] = set()
    for start in words_at_fault(context)[:MAX_STRUCTS]:
        words = _words_of_struct(context, start)
        rows.update(word for word in (start, *words) if _room_of_block(context, word) is not None)
        for place, held, right, width in _wrong_counts_of_struct(context, start, words):
            wrong[place] = held, right, width, start
        ends.update(_wrong_end_pointers_of_struct(context, start, words))
    if len(ends) == 1 and not wrong:
        yield from _evidence_of_wrong_end_pointer(*ends.popitem())
    if not wrong and not ends:
        yield from _evidence_of_length_on_stack(context, site.fault)
    if not wrong and context.target.region_at(site.address or 0) is None:
        yield from _evidence_of_number_out_of_row(context, sorted(rows), site.address or 0)
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
        corrected = word ^ (held ^ right) << shift & WORD_MASK
        yield _evidence_of_wrong_number(context, word_at, word, corrected, summary)


def _evidence_of_wrong_number(
    context: Context, place: int, word: int, corrected: int, summary: str
) -> Evidence:
    """Return evidence of a number in a word; code of a library may keep a flag in it."""
    is_far = (word ^ corrected) >> FAR_BIT
    marks = library_that_may_change_word(context.state, word, corrected) if is_far else None
    return word_evidence("R31", place, word, corrected, summary, marks=marks)


def _evidence_of_length_on_stack(context: Context, fault: Fault) -> Iterator[Evidence]:
    """Yield the length beside a pointer to the text of a str or bytes object, which has its own."""
    python, start = context.state.python, fault.sp & -WORD
    if not isinstance(python, PythonState) or not is_on_stack(context, start):
        return
    layout, index = python.layout, address_index(context)
    length_of_bytes = layout.require("PyVarObject", "ob_size")
    forms = (
        ("bytes", layout.require("PyBytesObject", "ob_sval"), length_of_bytes),
        ("str", layout.size("PyASCIIObject") or 0, layout.require("PyASCIIObject", "length")),
    )

    def length_at(text: int) -> int | None:
        for kind, head, length in forms:
            if index.object_type(text - head) == kind:
                return read_word(context.target, text - head + length)
        return None

    words = read_top_of_stack(context, start).tolist()
    registers = {fault.registers.get(name, 0) for name in GENERAL}
    for number, right in wrong_lengths(words, registers, length_at):
        place, held = start + WORD * number, words[number]
        summary = (
            f"the number at {place:#018x} is {held:#x}, beside a pointer to the text of an object "
            f"whose length is {right:#x}, one bit away; a register holds it, or the end of so many "
            "bytes"
        )
        yield word_evidence("R31", place, held, right, summary)
        return


def _evidence_of_number_out_of_row(
    context: Context, rows: list[int], address: int
) -> Iterator[Evidence]:
    """Yield the one number of a rising row that led to an address where nothing is mapped."""
    for start in rows:
        room = min(_room_of_block(context, start) or 0, MAX_IN_ROW * WORD) & -WORD
        memory = try_read(context.target, start, room)
        for numbers in (memoryview(memory).cast("Q"), memoryview(memory).cast("I")):
            width = numbers.itemsize
            number, right = number_out_of_row(numbers, 8 * width) or (0, 0)
            place = start + width * number
            held = numbers[number] if number else 0
            if not number or not _does_flip_lead_to_unmapped(context, address, held ^ right):
                continue
            summary = (
                f"the number at {place:#018x} is {held:#x}, in a row of numbers that rise from "
                f"{start:#018x} on; {right:#x}, one bit away, lies between its neighbours"
            )
            shift = 8 * (place % WORD)
            word = int.from_bytes(memory[place - place % WORD - start :][:WORD], "little")
            corrected = word ^ (held ^ right) << shift
            yield _evidence_of_wrong_number(context, place & -WORD, word, corrected, summary)
            return


def _does_flip_lead_to_unmapped(context: Context, address: int, flipped: int) -> bool:
    """Whether a bit of an offset, or of a length that it ends, leads to where nothing is mapped.

    A loop of such a length stops right after the end of a mapping.
    """
    region_at = context.target.region_at
    if region_at(address - LONGEST_ACCESS) is not None:
        return True
    moves = [flipped << shift for shift in range(MAX_ITEM_SHIFT + 1)]
    return any(region_at(address + move) or region_at(address - move) for move in moves)


def _words_of_struct(context: Context, start: int) -> list[int]:
    """Return the words of a block that begins at an address; none of what is on a stack.

    There nothing tells what belongs together.
    """
    region = context.target.region_at(start)
    if start % WORD or region is None or "w" not in region.perms:
        return []
    index = address_index(context)
    end = index.end_of_block(start) if index.pointee_at(start) is not None else None
    if end is None:
        return []
    return read_words(context, start, min(MAX_STRUCT * WORD, end - start) // WORD).tolist()


def _wrong_end_pointers_of_struct(
    context: Context, start: int, words: list[int]
) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield (place, (end, right end)) of a start, an end and an end of room that follow each other.

    So std::vector and many buffers of C say what they have. The room is right when it fills the
    block that begins at the start; the end lies outside of it, and one bit away within.
    """
    for number, (first, last, most) in enumerate(zip(words, words[1:], words[2:], strict=False)):
        room = _room_of_block(context, first) if first < most else None
        if room is None or not room - GRAIN < most - first <= room or first <= last <= most:
            continue
        near = [last ^ 1 << bit for bit in range(MIN_COUNT_BIT, 64)]
        right = [end for end in near if first <= end <= most]
        if len(right) == 1:
            yield start + WORD * (number + 1), (last, right[0])


def _evidence_of_wrong_end_pointer(place: int, words: tuple[int, int]) -> Iterator[Evidence]:
    held, right = words
    summary = (
        f"the end at {place:#018x} is {held:#x}, outside of the block between the start and the "
        f"end of the room that stand beside it; {right:#x}, one bit away, lies within"
    )
    yield word_evidence("R31", place, held, right, summary)


def _wrong_counts_of_struct(
    context: Context, start: int, words: list[int]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield (place, number, right number, bytes of an item) of a struct."""
    rooms = [(word, room) for word in words if (room := _room_of_block(context, word)) is not None]
    if not rooms:
        return
    halves = [half for word in words for half in (word & 0xFFFFFFFF, word >> 32)]
    numbers = [(start + WORD * n, word) for n, word in enumerate(words)]
    numbers += [
        (start + 4 * n, half)
        for n, half in enumerate(halves)
        if half >> MIN_COUNT_BIT and half != words[n // 2]  # a number of 64 bits is there already
    ]
    for place, number in numbers:
        for items, room in rooms:
            fit = count_without_highest_bit(
                number, room, 64 if place % WORD == 0 and number >> 32 else 32
            )
            if fit is not None and _did_count_lead_access(context, items, number, fit):
                yield place, number, *fit


def _did_count_lead_access(context: Context, items: int, number: int, fit: tuple[int, int]) -> bool:
    """Whether the failed access shows that so many items were counted on.

    It is right after the items' memory, as a loop leaves it; or the count, or the end that it
    gives, is in a register, or led to the address. Numbers, flags and counts of references share a
    word otherwise: a length of 474 and a 1 beside it are the length and one bit too many.
    """
    right, width = fit
    site = context.site
    registers = {} if isinstance(site, Absent) else site.fault.registers
    used = {number, number * width, items + number * width}
    return (
        _is_access_right_after_items(context, items)
        or any(registers.get(name, 0) in used for name in GENERAL)
        or 0 <= _failed_address_or_zero(context) - items - (number - right) * width <= right * width
    )


def _is_access_right_after_items(context: Context, items: int) -> bool:
    """Whether the access is right after the memory that follows some items."""
    region = context.target.region_at(items)
    while region is not None and (after := context.target.region_at(region.end)) is not None:
        region = after
    return region is not None and region.end <= _failed_address_or_zero(context) < region.end + PAGE


def _failed_address_or_zero(context: Context) -> int:
    return 0 if isinstance(context.site, Absent) else context.site.address or 0


def _room_of_block(context: Context, word: int) -> int | None:
    """Return how many bytes the block has that a word is the address of."""
    if word < 1 << 16 or word % GRAIN:
        return None
    index = address_index(context)
    pointee = index.pointee_at(word)
    if pointee is None or pointee.kind != BLOCK:
        return None
    end = index.end_of_block(word)
    return None if end is None else end - word
