# SPDX-License-Identifier: Apache-2.0
"""R25: how many items an object says that it has, against the room that it has for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import MEMORY, Evidence, Skipped, word_evidence
from gdb_epi.corruption.heap.address_index import address_index
from gdb_epi.corruption.heap.memory import values_at_hand
from gdb_epi.corruption.heap.typed_walk import ObjectWalk, object_walk
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.strings.str_layout import str_form
from gdb_epi.cpython.paged_reader import PagedReader
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.sizes import WORD
from gdb_epi.typing_lite import NamedTuple

LEAST_BIT = 5  # a count that is wrong by fewer items is an error of counting
MOST_ITEMS = 1 << 40
MAX_LOOKED_AT = 64  # items that must be objects
SLACK = 4  # a block that shrinks in place keeps at most a quarter more (pymalloc_realloc, 3.8+)


class _Count(NamedTuple):
    """A count that is larger than the room: where it stands, and which counts would fit."""

    owner: int
    kind: str
    place: int
    held: int
    least: int
    most: int
    items: int  # address of the first one; 0 where items are bytes
    room: str  # the sentence that says how much room there is


@check(
    "R25",
    costly=True,
    grows=True,
    needs="python",
    order=57,
    innocent_causes=(
        "an extension that sets ob_size itself and counts wrongly: counts that are wrong by less "
        "than 32 items are left out; the object was freed or overwritten (then its items are no "
        "objects); the room was damaged, not the count (then nothing is said)."
    ),
)
def item_counts(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare the counts of lists, tuples, str, bytes and bytearrays with the room for items.

    Of the objects that the frames reach and those that the fault had at hand. A loop over such an
    object runs far beyond its items: what it dies of may look like anything, an overrun first.
    """
    walk = object_walk(context)
    if isinstance(walk, Absent):
        yield Skipped("R25", walk.detail)
        return
    for count in _too_large(context, walk):
        right = [
            value
            for bit in range(LEAST_BIT, 64)
            if count.least <= (value := count.held ^ 1 << bit) <= count.most
        ]
        if len(right) == 1 and (not count.items or _are_objects(walk, count.items, right[0])):
            yield word_evidence(
                "R25", count.place, count.held, right[0], MEMORY,
                f"{'length' if count.kind == 'str' else 'ob_size'} of the {count.kind} at "
                f"{count.owner:#018x} is {count.held:#x}, and "
                f"{count.room}; {right[0]}, one bit away, fits",
            )  # fmt: skip


def _too_large(context: Context, walk: ObjectWalk) -> Iterator[_Count]:
    reader = walk.reader
    size_at = reader.layout.offset("PyVarObject", "ob_size")
    if size_at is None:
        return
    of_kind: dict[str, list[int]] = {
        "list": [], "tuple": [], "bytes": [], "bytearray": [], "str": [],
    }  # fmt: skip
    for address, category in walk.visited:
        if category in ("list", "tuple"):
            of_kind[category].append(address)
    for value in dict.fromkeys((*walk.variables(), *values_at_hand(context))):
        name = walk.type_at(value)
        if name in ("bytes", "bytearray", "str"):
            of_kind[name].append(value)
    for kind, struct, member in (
        ("list", "PyListObject", "allocated"),
        ("bytearray", "PyByteArrayObject", "ob_alloc"),
    ):
        room_at = reader.layout.offset(struct, member)
        if room_at is not None:
            start_at = reader.layout.offset(struct, "ob_item", "ob_bytes") or 0
            places = size_at, room_at, start_at
            yield from _beyond_allocated(context, reader, kind, of_kind[kind], places)
    for kind, struct, member, width in (
        ("tuple", "PyTupleObject", "ob_item", WORD),
        ("bytes", "PyBytesObject", "ob_sval", 1),
    ):
        head = reader.layout.offset(struct, member)
        if head is not None:
            yield from _beyond_block(context, reader, kind, of_kind[kind], size_at, head, width)
    yield from _long_strings(context, reader, of_kind["str"])


def _long_strings(context: Context, reader: PagedReader, owners: list[int]) -> Iterator[_Count]:
    """Yield the compact str objects whose characters, and the NUL behind them, have no room."""
    form = str_form(reader.layout, 0)
    if form is None:
        return
    shapes: dict[tuple[int, int], list[int]] = {}
    for owner in owners:
        with suppress(UnreadableMemory):
            state = reader.u32(owner + form.state_at) & form.state_mask
            if state in form.kinds:
                shapes.setdefault(form.kinds[state], []).append(owner)
    for (head, width), alike in shapes.items():
        places = form.length_at, head, width
        for count in _beyond_block(context, reader, "str", alike, *places):
            yield count._replace(most=count.most - 1)


def _beyond_allocated(
    context: Context, reader: PagedReader, kind: str, owners: list[int], places: tuple[int, ...]
) -> Iterator[_Count]:
    """Yield the objects that say themselves how much room they have.

    list_resize() keeps allocated / 2 <= ob_size <= allocated (Objects/listobject.c); a bytearray
    has a byte more than it says. `places` are the offsets of the count, the room and the pointer.
    The room is right when the block that the items lie in has not much more.
    """
    index, is_list = address_index(context), kind == "list"
    sizes, rooms, starts = (reader.words([owner + at for owner in owners]) for at in places)
    for owner, held, room, start in zip(owners, sizes, rooms, starts, strict=True):
        if held <= room or not 0 < room < MOST_ITEMS:
            continue
        end = index.end_of_block(start) if start else None
        width = WORD if is_list else 1
        if end is None or not start + width * room <= end < start + width * held:
            continue
        least, most = (room >> 1, room) if is_list else (0, room - 1)
        items, text = (start if is_list else 0), f"it has room for {room}"
        yield _Count(owner, kind, owner + places[0], held, least, most, items, text)


def _beyond_block(
    context: Context,
    reader: PagedReader,
    kind: str,
    owners: list[int],
    size_at: int,
    head: int,
    width: int,
) -> Iterator[_Count]:
    """Yield the objects whose items follow them, in a block that is too small for them."""
    index = address_index(context)
    for owner, held in zip(owners, reader.words([o + size_at for o in owners]), strict=True):
        if held < 1 << LEAST_BIT:
            continue
        end = index.end_of_block(owner) or index.end_of_block(owner - 16)
        if end is None or owner + head + width * held <= end:
            continue
        if index.place_in_block(owner) not in (None, 0, 16):
            continue  # it is no object of its own: something like one inside of a block
        most = (end - owner - head) // width
        least = most - most // SLACK - 16 // width
        items = owner + head if kind == "tuple" else 0
        text = f"the block that it lies in has room for {most}"
        yield _Count(owner, kind, owner + size_at, held, max(least, 0), most, items, text)


def _are_objects(walk: ObjectWalk, items: int, count: int) -> bool:
    """Whether the first and the last of `count` items are objects, or NULL."""
    looked_at = min(count, MAX_LOOKED_AT)
    try:
        words = walk.reader.run(items, looked_at)
        words += walk.reader.run(items + WORD * (count - looked_at), looked_at)
    except UnreadableMemory:
        return False
    return all(walk.type_at(word) for word in words if word) and any(words)
