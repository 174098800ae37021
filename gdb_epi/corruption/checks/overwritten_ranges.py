# SPDX-License-Identifier: Apache-2.0
"""A range that was overwritten: one content goes over the edge of a block that is another's.

Two blocks of an allocator have two users. Data that begin in one and go on in the next were
written by a store that went beyond its block, before its start or behind its end, or that took one
place for another. Here something shows whose the block was: a container names an object there that
is none any more, a table of references has its place there, or the crash took a word there for a
pointer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gdb_epi.corruption.checks.overwritten_places import ID
from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.evidence import Evidence, plain_evidence
from gdb_epi.corruption.heap.address_descriptions import describe_address, describe_object_holding
from gdb_epi.corruption.heap.address_index import HEADS, address_index
from gdb_epi.corruption.heap.content_runs import ContentRun, content_runs
from gdb_epi.corruption.heap.item_tables import find_member_offset, list_length
from gdb_epi.corruption.heap.lost_objects import (
    find_slots_without_object,
    has_another_user,
    is_held_by_container_alone,
    is_in_frame,
    is_item_of_container,
)
from gdb_epi.corruption.heap.object_references import is_in_free_block
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD, POOL_SIZES
from gdb_epi.corruption.heap.readers import is_on_stack, words_at_fault
from gdb_epi.corruption.pointers.read_place import find_read_place
from gdb_epi.corruption.pointers.small_changes import is_one_byte_from_use
from gdb_epi.corruption.pointers.suspects import LOW, FaultWord, find_fault_words, find_suspects
from gdb_epi.corruption.registry import check
from gdb_epi.cpython.heap.object_search import HAVE_GC
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import DATA, TRANSFERS
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.fault.word_shapes import shape_note
from gdb_epi.sizes import ADDRESS_BITS, WORD, WORD_MASK, signed_word
from gdb_epi.typing_lite import NamedTuple

MAX_CLAIMS = 48  # places that are looked at
MAX_HOLDERS = 16  # words that name an object
MANY, MAX_COPIES = 4096, 6  # places of the wrong word
MAX_SLOTS = 16  # of containers
MIN_SHARE = 0.5  # of the searches of memory is left to the checks after this one
MIN_BESIDE = 8  # objects of a type in the same pool
MAX_COUNTED = 1 << 17  # by how much the address of a type was counted up or down
HEAD_ROOM = 3 * WORD  # bytes from a block's start to where a pointer into it may lead


class _WrongWordClaim(NamedTuple):
    """A wrong word, and what shows that something else belongs there.

    `alone`: nothing else is known to use the block, so that it was not given to anybody.
    """

    place: int
    why: str
    alone: bool
    proven: bool = False  # no content beside it has to show that it was written over
    plain: str = "a word of an object in use was overwritten"


@check("S:overwritten-range", needs="crash", costly=True, grows=True, order=16)
def overwritten_range(context: Context) -> Iterator[Evidence]:
    """Tell a range of foreign data that goes over the edge of a block in use.

    Innocent causes: this is one: a write behind a buffer's end or before its start, a fill with a
    wrong size. Freed memory that was given out again holds foreign data too, within its block; two
    buffers side by side may be filled alike. So the content has to go on in step over the edge
    (numbers in equal steps, a pattern that does not fit the blocks), or nothing but containers that
    take it for an object may name the block.
    """
    site = context.site
    if isinstance(site, Absent) or not isinstance(context.state.python, PythonState):
        return
    seen: set[int] = set()
    failed = site.kind in (DATA, *TRANSFERS)
    for claim in _find_wrong_word_claims(context) if failed else ():
        if claim.place in seen:
            continue
        seen.add(claim.place)
        if len(seen) > MAX_CLAIMS or context.share_of_searches_left() < MIN_SHARE:
            return
        runs = list(content_runs(context.target, claim.place))
        for run in runs:
            edge = _block_edge_crossed_by_run(context, run, claim.place)
            if edge is not None and (claim.alone or _continues_over_edge(context, run, edge)):
                yield _evidence_of_range(context, claim, run, edge)
                return
        if claim.proven:
            yield _evidence_of_range(context, claim, runs[0] if runs else None, None)
            return
    yield from _evidence_of_wrong_pool_headers(context)


def _evidence_of_wrong_pool_headers(context: Context) -> Iterator[Evidence]:
    """Tell a header of a pool that data run over, of a pool that something at hand lies in.

    The pools before and after it are whole, so one lies there.
    """
    index = address_index(context)
    values = [
        run.end - 1
        for word in find_fault_words(context)
        for place in _addresses_of_wrong_word(context, word)
        for run in content_runs(context.target, place)
    ]
    if isinstance(context.site, Absent) or context.site.kind not in (DATA, *TRANSFERS):
        values += words_at_fault(context)  # malloc gave up over a block that is not its own
    elif not isinstance(context.fault, Absent):
        values += [context.fault.registers.get(name, 0) for name in GENERAL]
    bases = dict.fromkeys((at & -size, size) for at in values if at >= LOW for size in POOL_SIZES)
    for base, size in bases:
        if index.pool_size(base) or index.pool_size(base - size) != size:
            continue
        if index.pool_size(base + size) != size or is_on_stack(context, base):
            continue
        for run in content_runs(context.target, base + WORD):
            if run.start <= base and run.end >= base + 3 * WORD:
                summary = (
                    f"{run.end - run.start} bytes from {run.start:#x} on were overwritten: "
                    f"{run.what}, over the header of pymalloc's pool at {base:#x}. They begin "
                    f"{describe_address(context, run.start)}"
                    f"{_describe_user_of_block(context, run.start)}"
                )
                plain = (
                    f"{run.end - run.start} bytes were written over the data of Python's "
                    f"allocator: {run.kind_in_words}"
                )
                yield plain_evidence(
                    ID, base + WORD, summary, start=run.start, end=run.end, plain=plain
                )
                return


def _evidence_of_range(
    context: Context, claim: _WrongWordClaim, run: ContentRun | None, edge: int | None
) -> Evidence:
    held = read_word(context.target, claim.place) or 0
    word = f"the word at {claim.place:#x}, {held:#x}{shape_note(held)}, "
    if run is None:
        return plain_evidence(
            ID, claim.place, f"{word}was overwritten: {claim.why}", plain=claim.plain
        )
    summary = f"{run.end - run.start} bytes from {run.start:#x} on were overwritten: {run.what}"
    summary += "" if edge is None else f", over the edge of the block at {edge:#x}"
    summary += f"; {word}is one of them, and {claim.why}"
    where, user = describe_address(context, run.start), _describe_user_of_block(context, run.start)
    summary += f". They begin {where}{user}" if where else ""
    plain = (
        f"{run.end - run.start} bytes of memory in use were overwritten with {run.kind_in_words}"
    )
    return plain_evidence(ID, claim.place, summary, start=run.start, end=run.end, plain=plain)


def _describe_user_of_block(context: Context, address: int) -> str:
    """Say who names the block that an address lies in, and begins no object of its own."""
    index = address_index(context)
    bounds = index.bounds_of_block(address)
    heads = () if bounds is None else [bounds[0] + head for head in HEADS]
    if bounds is None or any(map(index.object_type, heads)):
        return ""
    for place in context.places_of_word(bounds[0], MAX_HOLDERS):
        owner = describe_object_holding(context, place)
        if owner and not index.in_free_block(place):
            return f", which {owner} names"
        region = context.target.region_at(place)
        if region is not None and region.is_file_mapped and region.path is not None:
            return f", which a variable of {region.path.rpartition('/')[2]} names"
    return ""


def _block_edge_crossed_by_run(context: Context, run: ContentRun, place: int) -> int | None:
    """Return the edge of a place's block, or of an object's in it, that a run goes over."""
    bounds = address_index(context).bounds_of_block(place)
    if bounds is None:
        return None
    start, end = bounds
    if run.period >= end - start:
        return None  # a column of blocks that are alike
    for edge, beyond in ((start, start - WORD), (end, end)):
        beside = address_index(context).bounds_of_block(beyond)
        if beside is not None and run.start <= edge - WORD and run.end >= edge + WORD:
            return edge
    return None


def _continues_over_edge(context: Context, run: ContentRun, edge: int) -> bool:
    """Whether content goes on over an edge as two buffers that are filled alike do not."""
    if run.in_step:
        return True
    bounds = address_index(context).bounds_of_block(edge)
    size = 0 if bounds is None else bounds[1] - bounds[0]
    return bool(run.period and size % run.period)


def _find_wrong_word_claims(context: Context) -> Iterator[_WrongWordClaim]:
    """Yield words that are not what belongs in their places, those of the failed access first."""
    yield from _claims_about_objects(context, _objects_at_hand_at_fault(context))
    yield from _claims_about_words_read(context)
    bad = find_slots_without_object(context)[:MAX_SLOTS]
    yield from _claims_about_objects(context, [slot.value for slot in bad])
    places = {slot.place for slot in bad if _is_neither_address_nor_small(context, slot.value)}
    for slot in bad:
        if slot.kind == "list" and not list_length(context, slot.owner):
            continue  # it counts more than it has room for
        why = f"it is a place of the {slot.kind} at {slot.owner:#x}, which is in use"
        named = _is_in_block_that_a_word_names(context, slot.place)
        beside = not places.isdisjoint((slot.place - WORD, slot.place + WORD))
        yield _WrongWordClaim(slot.place, why, named, named and beside and slot.place in places)


def _objects_at_hand_at_fault(context: Context) -> list[int]:
    """Return what the fault may have taken for objects, or places in them."""
    values = [
        place
        for word in find_fault_words(context)
        for place in _addresses_of_wrong_word(context, word)
    ]
    values += [suspect.value for suspect in find_suspects(context)]
    return [*dict.fromkeys((*values, *words_at_fault(context)))]


@once_per_run
def _addresses_of_wrong_word(context: Context, word: FaultWord) -> list[int]:
    """Return where a wrong word was read; where no code tells, places that hold it.

    Of many, as of a filling pattern, those where its run goes over the edge of a block.
    """
    read_from = find_read_place(context, word)
    if read_from is not None:
        return [read_from.slot]
    places = context.places_of_word(word.value, MANY) if word.value >= LOW else ()
    kept = [place for place in places if place % WORD == 0 and not is_on_stack(context, place)]
    if len(kept) <= MAX_COPIES:
        return kept
    bounds = address_index(context).bounds_of_block
    blocks = {start[0]: place for place in reversed(kept) if (start := bounds(place)) is not None}
    return [
        place
        for place in sorted(blocks.values())
        if any(
            _block_edge_crossed_by_run(context, run, place)
            for run in content_runs(context.target, place)
        )
    ][:MAX_COPIES]


def _claims_about_objects(context: Context, addresses: list[int]) -> Iterator[_WrongWordClaim]:
    """Yield the types, which are none, of what something names as an object."""
    index = address_index(context)
    for address in addresses:
        if context.share_of_searches_left() < MIN_SHARE:
            return
        bounds = index.bounds_of_block(address)
        if bounds is None or is_on_stack(context, address) or index.in_free_block(address):
            continue
        heads = [bounds[0] + head for head in HEADS if bounds[0] + head < bounds[1]]
        if any(map(index.object_type, heads)):
            continue
        for start in heads:
            kind = read_word(context.target, start + WORD) or 0
            if not kind or index.type_name(kind) is not None:
                continue
            # The collector's links lie in the object's own block, before it.
            has_links = start >= bounds[0] + GC_HEAD
            neighbour = _gc_neighbour_naming_object(context, start) if has_links else None
            if neighbour is not None and has_another_user(context, start):
                continue  # an object that was freed while it was in the collector's list
            if neighbour is not None and not _is_one_byte_from_type(context, kind):
                why = (
                    f"it should be the type of the object at {start:#x}: the collector's list "
                    f"leads there from the object at {neighbour:#x}"
                )
                yield _WrongWordClaim(start + WORD, why, True, True)
            elif start == address:
                yield from _claims_about_named_object(context, address, kind)


def _claims_about_named_object(
    context: Context, address: int, kind: int
) -> Iterator[_WrongWordClaim]:
    slots = {slot.place for slot in find_slots_without_object(context, {address})}
    holder = next(
        (
            place
            for place in context.places_of_word(address, MAX_HOLDERS)
            if place in slots or is_in_frame(context, place) or is_item_of_container(context, place)
        ),
        None,
    )
    if holder is None:
        return
    what = describe_address(context, holder) or "a word"
    why = f"it should be the type of the object at {address:#x}, which {what} still names"
    alone = not has_another_user(context, address) and is_held_by_container_alone(context, address)
    counted = _counted_from_type_clause(context, address, kind) if alone else ""
    plain = "the type of an object in use was overwritten" if counted else _WrongWordClaim.plain
    yield _WrongWordClaim(address + WORD, why + counted, alone, bool(counted), plain)


def _is_one_byte_from_type(context: Context, word: int) -> bool:
    """Whether one byte of a word, changed, makes it a type: then it may be a flipped bit."""
    index = address_index(context)
    for lane in range(ADDRESS_BITS // 8 + 2):
        for byte in range(256):
            near = word & ~(0xFF << 8 * lane) | byte << 8 * lane
            if near % WORD == 0 and context.target.region_at(near) and index.type_name(near):
                return True
    return False


def _gc_neighbour_naming_object(context: Context, address: int) -> int | None:
    """Return an object in use whose links of the collector's name the one at an address.

    An object leaves the list before its memory is given back (PyObject_GC_UnTrack, 3.8 to 3.15).
    """
    index, links = address_index(context), address - GC_HEAD
    for place in context.places_of_word(links, MAX_HOLDERS) if address % (2 * WORD) == 0 else ():
        for neighbour in (place + GC_HEAD, place + GC_HEAD - WORD):
            if neighbour % (2 * WORD) or index.in_free_block(place) or neighbour == address:
                continue
            count = read_word(context.target, neighbour) or 0  # an address: a row of them
            kind = read_word(context.target, neighbour + WORD) or 0
            if 0 < count < LOW and index.type_name(kind) and _is_gc_type(context, kind):
                return neighbour
    return None


def _is_gc_type(context: Context, kind: int) -> bool:
    """Whether objects of a type are in the collector's list (Py_TPFLAGS_HAVE_GC)."""
    at = find_member_offset(context, "PyTypeObject", "tp_flags")
    return at is not None and bool((read_word(context.target, kind + at) or 0) & HAVE_GC)


def _counted_from_type_clause(context: Context, address: int, kind: int) -> str:
    """Say how far a word is from a type that objects beside have, where it was counted up or down.

    By one bit a flip changes it.
    """
    index = address_index(context)
    types = Counter(
        read_word(context.target, block + head + WORD) or 0
        for block in index.used_pool_blocks(address)
        for head in HEADS[:3]
        if index.object_type(block + head) is not None
    )
    # What stands once or twice may be data that look like an object.
    several = [right for right, number in types.items() if number >= MIN_BESIDE]
    for right in sorted(several, key=lambda word: abs(kind - word)):
        near = 0 < abs(kind - right) < MAX_COUNTED and (kind ^ right).bit_count() > 1
        name = index.type_name(right) if near else None
        if name is not None and index.type_name(kind) is None:
            return (
                f"; objects beside are of type {name}, whose address is {abs(kind - right)} "
                f"{'less' if kind > right else 'more'}: something counted there, or wrote over "
                "its low bytes"
            )
    return ""


def _word_that_names_object(context: Context, address: int) -> int | None:
    """Return a word in use that names an object."""
    for place in context.places_of_word(address, MAX_HOLDERS):
        if not is_on_stack(context, place) and not is_in_free_block(context, place):
            return place
    return None


def _claims_about_words_read(context: Context) -> Iterator[_WrongWordClaim]:
    """Yield the words that the failed access took for pointers."""
    for word in find_fault_words(context):
        for place in _addresses_of_wrong_word(context, word):
            if place % WORD or is_on_stack(context, place):
                continue
            if _is_neither_address_nor_small(context, word.value) or 0 < word.value < NEAR_NULL:
                field = (
                    _pointer_member_by_type(context, place)
                    if _is_far_from_usable_address(context, word)
                    else ""
                )
                why = field or "the failed access took it for a pointer"
                yield _WrongWordClaim(place, why, False, bool(field))


def _is_far_from_usable_address(context: Context, word: FaultWord) -> bool:
    """Whether a word is more than a byte from any address that the access could have used."""
    distance = word.distance or 0
    near = is_one_byte_from_use(context, word.value, distance, None)
    return _is_neither_address_nor_small(context, word.value) and not near


def _pointer_member_by_type(context: Context, place: int) -> str:
    """Say which pointer of an object lies at a place by the object's type; "" for none.

    Of an object that is being taken down too, whose count of references is 0.
    """
    index = address_index(context)
    bounds = index.bounds_of_block(place)
    for start in (bounds[0] + head for head in HEADS) if bounds is not None else ():
        kind = read_word(context.target, start + WORD) or 0
        name = index.type_name(kind) if kind else None
        if name is None or index.in_free_block(start):
            continue
        for member in ("tp_dictoffset", "tp_weaklistoffset"):
            at = find_member_offset(context, "PyTypeObject", member)
            offset = signed_word(read_word(context.target, kind + at) or 0) if at else 0
            if 0 < offset == place - start:
                what = "attributes" if member == "tp_dictoffset" else "weak references"
                return f"the pointer to the {what} of the {name} at {start:#x} stands there"
    return ""


def _is_neither_address_nor_small(context: Context, word: int) -> bool:
    """Whether a word is no address of memory, and no small number of either sign."""
    return LOW <= word <= WORD_MASK - NEAR_NULL and context.target.region_at(word) is None


def _is_in_block_that_a_word_names(context: Context, place: int) -> bool:
    """Whether a word names the start of the block that a place lies in, or a head after it."""
    bounds = address_index(context).bounds_of_block(place)
    if bounds is None:
        return False
    starts = range(bounds[0], bounds[0] + HEAD_ROOM, WORD)
    return any(_word_that_names_object(context, start) is not None for start in starts)
