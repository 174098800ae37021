# SPDX-License-Identifier: Apache-2.0
"""R8: the links of the collector's lists disagree, and one bit makes them agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import (
    Evidence,
    NotChecked,
    Skipped,
    changed_bits,
    plain_evidence,
    require,
    word_evidence,
)
from gdb_epi.corruption.heap.address_index import HEADS, address_index
from gdb_epi.corruption.heap.object_walk import object_walk
from gdb_epi.corruption.heap.readers import is_on_stack, read_words, shared_reader, words_at_fault
from gdb_epi.corruption.pointers.read_place import find_read_place, find_register_origin
from gdb_epi.corruption.pointers.small_changes import is_one_byte_from_use
from gdb_epi.corruption.pointers.suspects import LOW, find_fault_words
from gdb_epi.corruption.registry import check
from gdb_epi.cpython.heap.gc_lists import gc_list_heads
from gdb_epi.cpython.heap.object_search import HAVE_GC
from gdb_epi.cpython.memory_reader import CircularList, MemoryReader
from gdb_epi.cpython.runtime.gc import read_gc_state
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.sizes import ADDRESS_BITS, HALF_MASK, WORD
from gdb_epi.typing_lite import NamedTuple

MAX_NODES = 20_000_000  # of a sweep
MAX_COLLECTED = 30_000  # nodes that a default run follows when a collection runs
STRIDE = 4096  # nodes between two looks at the clock
FLIPS = tuple(1 << bit for bit in range(4, 64))  # objects are aligned to 16
WALK_PAGE_BITS = 16  # of pages that a walk along a list reads
WALK_PAGE = 1 << WALK_PAGE_BITS
MAX_WALK_PAGES = 2048
MAX_FLIPPED_BITS, MIN_OBJECTS, MANY_OBJECTS = 2, 8, 64
FLAGS = 3  # next: unreachable, and a space (3.14.0); prev: finalized, collecting


MAX_HOLDERS = 8  # words with the address of one link
MAX_BROKEN = 4
MIN_FIELDS, MAX_SIZE = 2, 1024  # of an object that was cleared; its bytes


class GcLinkRepair(NamedTuple):
    """A link word and what it should be; both with their flags."""

    where: int
    found: int
    corrected: int
    summary: str


@check("R8", costly=True, grows=True, needs="python")
def gc_links(context: Context) -> Iterator[Evidence | Skipped]:
    """Check that next and prev of the collector's lists name each other.

    By default around the addresses that the fault had at hand; in a sweep along all lists.

    Innocent causes: while a collection runs, prev holds reference counts (then prev links of that
    list agree nowhere, and only a link that one bit makes agree is evidence); overruns (many bits).
    """
    python = require(context.state.python)
    if python.layout.free_threaded or not python.layout.size("PyGC_Head"):
        raise NotChecked("free-threaded builds keep no lists of objects")
    links = GcLinkReader(shared_reader(context))
    repairs: dict[int, GcLinkRepair] = {}
    broken: list[int] = []  # nodes whose next leads to no object
    for node in _gc_heads_near_fault(context, links.size):
        if links.is_gc_head(node):
            yield from _evidence_of_link_overwritten_in_dealloc(context, links, node)
            for repair in links.one_bit_repairs(node):
                repairs.setdefault(repair.where, repair)
            if links.does_next_lead_nowhere(node):
                broken.append(node)
    if context.sweep:
        yield from _find_wrong_links_of_all_lists(context, python, links, repairs)
    elif not repairs:
        _check_links_of_reached_objects(context, links, repairs)
        yield from _walk_list_being_collected(python, links, repairs, broken)
    for repair in repairs.values():
        yield word_evidence("R8", repair.where, repair.found, repair.corrected, repair.summary)
    for node in dict.fromkeys(broken[:MAX_BROKEN]) if not repairs else ():
        yield from _evidence_of_overwritten_link(context, links, node)


def _evidence_of_link_overwritten_in_dealloc(
    context: Context, links: GcLinkReader, node: int
) -> Iterator[Evidence]:
    """Tell a link that leads nowhere, of an object whose last reference was just given back.

    Its tp_dealloc begins with PyObject_GC_UnTrack(), which writes through both links. Nobody had
    freed the object: then its count had been 0 before, and no dealloc would have been called; and
    where pymalloc keeps a link of its own is the first word of a free block, not the second.
    """
    words, fault, address = find_fault_words(context)[:1], context.fault, node + links.size
    if isinstance(fault, Absent) or not words or links.reader.word(address):
        return
    word, index = words[0], address_index(context)
    if word.value < LOW or word.distance is None or word.value != links.previous_node(node):
        return
    if index.offset_in_pool_block(node) not in HEADS[:2] or index.in_free_block(node):
        return
    at_hand = address in [fault.registers.get(name, 0) for name in GENERAL]
    if not at_hand or is_one_byte_from_use(context, word.value, word.distance, None):
        return
    place = links.place_of_prev(node)
    kind = index.type_name(links.reader.word(address + WORD))
    summary = (
        f"the word at {place:#x} was overwritten: it is a link of the collector of the {kind} at "
        f"{address:#x}, whose last reference was just given back, and holds {word.value:#x}"
    )
    yield plain_evidence("S:overwritten-place", place, summary)


def _evidence_of_overwritten_link(
    context: Context, links: GcLinkReader, node: int
) -> Iterator[Evidence]:
    """Tell a link that leads nowhere, where no flip made it so.

    Either the next node still names this one as its predecessor, or no node does and the link
    leads to a place where no head can be. After a mere bit flip the next node is sound. What was
    freed is in no list; its first word is a link of pymalloc's. Stacks and files hold no objects of
    the collector's, only words that look like their heads.
    """
    region = context.target.region_at(node)
    if region is None or region.is_file_mapped or is_on_stack(context, node):
        return
    index, held = address_index(context), links.next_node(node)
    holders = context.places_of_word(node, MAX_HOLDERS)
    before = _gc_heads_among_places(context, links, holders)
    # A false node: who leads to it is wrong.
    if before and _do_neighbour_blocks_begin_elsewhere(context, node + links.size):
        node, held = before[0], node
        holders = context.places_of_word(node, MAX_HOLDERS)
        before = _gc_heads_among_places(context, links, holders)
    if index.in_free_block(node):
        return
    what = f"it is a link of the collector, and holds {held:#018x}, which heads no object"
    for place in holders:
        next_node = links.node_of_prev(place)
        in_list = links.is_gc_head(next_node) and (
            links.previous_node(links.next_node(next_node)) == next_node
        )
        one_byte = any((held ^ next_node) >> shift <= 0xFF for shift in range(0, 64, 8)
                       if not (held ^ next_node) & (1 << shift) - 1)  # fmt: skip
        if next_node == node or not in_list or one_byte:
            continue
        what += (
            f"; the next object of the list, at {next_node + links.size:#x}, still names this one "
            "as the one before it"
        )
        break
    else:
        if index.object_type(node + links.size) is None or index.object_type(held + links.size):
            return  # no head at all, or what it leads to is one
        no_head = (
            held % 16
            or held >> ADDRESS_BITS
            or _do_neighbour_blocks_begin_elsewhere(context, held + links.size)
        )
        if links.is_link_a_number(held) and _was_wrong_word_read_at(context, node):
            what = "it is a link of the collector, and holds a number"
        elif before and len(holders) < MAX_HOLDERS and no_head:
            what += f"; {before[0]:#x} leads to this one as the next of the list"
        else:
            return
    yield plain_evidence(
        "S:overwritten-place", node, f"the word at {node:#x} was overwritten: {what}"
    )


def _gc_heads_among_places(
    context: Context, links: GcLinkReader, places: Sequence[int]
) -> list[int]:
    """Return the heads of objects of pymalloc's among places: their next stands there."""
    index = address_index(context)
    return [
        at
        for at in places
        if index.offset_in_pool_block(at) in HEADS[:2]
        and index.object_type(at + links.size) is not None
        and links.is_gc_head(at)
    ]


def _do_neighbour_blocks_begin_elsewhere(context: Context, address: int) -> bool:
    """Whether hardly any object of this pool begins at this offset in its block."""
    index = address_index(context)
    place, blocks = index.offset_in_pool_block(address), index.used_pool_blocks(address)
    begins = [n for at in blocks for n in HEADS if index.object_type(at + n) is not None]
    few = begins.count(place or 0) * MANY_OBJECTS <= len(begins)  # words look like objects
    return place is not None and len(begins) >= MIN_OBJECTS and few


def _was_wrong_word_read_at(context: Context, slot: int) -> bool:
    """Whether the wrong word of the failed access was read from there."""
    origins = (find_read_place(context, word) for word in find_fault_words(context)[:1])
    return any(origin is not None and origin.slot == slot for origin in origins)


def find_untracked_object_behind_register(context: Context, register: str) -> int | None:
    """Return the object in no list of the collector's whose link of 0 a register was read from.

    gc_list_remove() and _PyObject_GC_UNTRACK() write through both links of an object's head. They
    are 0 in an object that was untracked before, and in one that was freed or overwritten.
    """
    python, origin = context.state.python, find_register_origin(context, register)
    if not isinstance(python, PythonState) or origin is None or origin.slot is None:
        return None
    if python.layout.free_threaded or not python.layout.size("PyGC_Head"):
        return None
    links = GcLinkReader(shared_reader(context))
    for head in (origin.slot, origin.slot - WORD):
        if links.is_gc_head(head) and not links.next_node(head) and not links.previous_node(head):
            return head + links.size
    return None


def is_deallocated_twice(context: Context, address: int) -> bool:
    """Tell whether the tp_dealloc of a type failed with an object of it that was cleared before.

    Types of CPython's untrack an object first and clear it then; some keep its memory for the next.
    """
    python, fault = context.state.python, context.fault
    if not isinstance(python, PythonState) or isinstance(fault, Absent):
        return False
    reader, offset = shared_reader(context), python.layout.require
    kind = reader.word(address + offset("PyObject", "ob_type"))
    dealloc = reader.word(kind + offset("PyTypeObject", "tp_dealloc"))
    size = reader.word(kind + offset("PyTypeObject", "tp_basicsize"))
    fields = read_words(context, address + 2 * WORD, min(size, MAX_SIZE) // WORD - 2)
    function = context.functions.function_at(fault.pc)
    return (
        len(fields) >= MIN_FIELDS
        and not any(field & HALF_MASK for field in fields)
        and not reader.word(address)
        and function is not None
        and function.start == dealloc
    )


def _gc_heads_near_fault(context: Context, size: int) -> Iterator[int]:
    """Yield addresses that may be heads of tracked objects, each once."""
    seen: set[int] = set()
    places = [
        int(place, 16)
        for finding in context.findings
        if finding.detector == "pointer_one_bit_off"
        for place in finding.facts.get("where", ())
    ]
    for value in [*(at for place in places for at in (place, place - 8)), *words_at_fault(context)]:
        for node in (value, value - size):
            if node not in seen and not node & 15:
                seen.add(node)
                yield node


def _check_links_of_reached_objects(
    context: Context, links: GcLinkReader, repairs: dict[int, GcLinkRepair]
) -> None:
    """Look at the links of the objects that the frames reach, until one is wrong."""
    walk = object_walk(context)
    marked: list[GcLinkRepair] = []
    visited = () if isinstance(walk, Absent) else walk.visited
    for node, agrees, is_marked in links.heads_in_lists(
        [address for address, _category in visited]
    ):
        if (agrees and not is_marked) or not links.is_gc_head(node):
            continue
        if is_marked:
            marked += links.repairs_of_low_link_bits(node)
        if not agrees:
            for repair in links.one_bit_repairs(node):
                repairs.setdefault(repair.where, repair)
            if repairs:
                return
    if len(marked) == 1:  # a collection marks many
        repair = _refcount_field_overlapping_link(context, links, marked[0]) or marked[0]
        repairs[repair.where] = repair


def _refcount_field_overlapping_link(
    context: Context, links: GcLinkReader, mark: GcLinkRepair
) -> GcLinkRepair | None:
    """Return the field through which references were counted in a link; None without one.

    It holds the link's address, and one bit away is the object that the link belongs to: the link
    took the references that the object should have, and is not what was damaged.
    """
    link, index = mark.where, address_index(context)
    right = link + links.size
    if len(changed_bits(link, right)) != 1:
        return None
    beside = (links.next_node(link), links.previous_node(link))
    for place in context.places_of_word(link, MAX_HOLDERS):
        is_link = any(node <= place < node + links.size for node in beside)
        owner = None if is_link or is_on_stack(context, place) else index.object_with_field(place)
        if owner is not None:
            text = (
                f"the word at {place:#x}, in an object of type {owner[1]}, leads to a link of the "
                f"collector before an object of type {index.object_type(right)}, and one bit away "
                f"to the object; {mark.found - mark.corrected} of its references were counted "
                "in the link"
            )
            return GcLinkRepair(place, link, right, text)
    return None


def _find_wrong_links_of_all_lists(
    context: Context, python: PythonState, links: GcLinkReader, repairs: dict[int, GcLinkRepair]
) -> Iterator[Skipped]:
    seen: set[int] = set()
    nodes = 0
    for interpreter in python.interpreters:
        try:
            state = read_gc_state(links.reader, python.runtime, interpreter.address)
        except (UnreadableMemory, LayoutError) as error:
            yield Skipped("R8", f"the collector: {error}")
            continue
        if state.address in seen:
            continue
        seen.add(state.address)
        if state.collecting:
            yield Skipped("R8", "a collection runs: lists that it took apart are not walked")
        for name, head in gc_list_heads(state):
            count, why = links.find_wrong_links_of_list(head, repairs, context)
            nodes += count
            if why:
                yield Skipped("R8", f"{name}: {why}")
    context.counts["gc links"] = nodes


def _walk_list_being_collected(
    python: PythonState, links: GcLinkReader, repairs: dict[int, GcLinkRepair], broken: list[int]
) -> Iterator[Skipped]:
    """Look for the break in the lists that a running collection walks: it may be what it died of.

    It has put counts into the prev words of the nodes that it passed, so only next is followed; the
    nodes after the break it has not reached, and their prev words still are links. The nodes
    before a break are added to `broken`.
    """
    left = MAX_COLLECTED
    for interpreter in python.interpreters:
        try:
            state = read_gc_state(links.reader, python.runtime, interpreter.address)
        except (UnreadableMemory, LayoutError):
            continue
        for name, head in gc_list_heads(state) if state.collecting else ():
            node, count = links.first_node_with_broken_next(head, left)
            left -= count
            if node is not None and node != head:
                broken.insert(0, node)
                for repair in links.one_bit_repairs(node):
                    repairs.setdefault(repair.where, repair)
            if left <= 0:
                yield Skipped("R8", f"{name}: only the first {MAX_COLLECTED} objects by default")
                return


class GcLinkReader:
    """Read and judge links."""

    def __init__(self, reader: MemoryReader) -> None:
        self.reader = reader
        layout = reader.layout
        self.size = layout.size("PyGC_Head") or 16
        self._next_at = layout.require("PyGC_Head", "_gc_next")
        self._prev_at = layout.require("PyGC_Head", "_gc_prev")
        self._type_at = layout.require("PyObject", "ob_type")
        self._flags_at = layout.require("PyTypeObject", "tp_flags")
        spaces = layout.offset("_gc_runtime_state", "heap_size") is not None  # 3.14
        self._marks = (2,) if spaces else (1, 2)
        self._word = reader.word
        self._collected: dict[int, bool] = {}  # types that were judged
        self._walk_pages: dict[int, memoryview | None] = {}

    def next_node(self, node: int) -> int:
        """Return the next node."""
        return self._word(node + self._next_at) & ~FLAGS

    def previous_node(self, node: int) -> int:
        """Return the previous node."""
        return self._word(node + self._prev_at) & ~FLAGS

    def does_next_lead_nowhere(self, node: int) -> bool:
        """Whether the next of an object in a list is neither an object nor the head of the list."""
        after = self.next_node(node)
        return bool(after) and self.previous_node(after) != node and not self.is_gc_head(after)

    def is_link_a_number(self, held: int) -> bool:
        """Whether a link is no pointer, and no bit or two that were set in one that was 0."""
        return held < LOW and held.bit_count() > MAX_FLIPPED_BITS

    def place_of_prev(self, node: int) -> int:
        """Return the address of the prev word of a node."""
        return node + self._prev_at

    def node_of_prev(self, place: int) -> int:
        """Return the node whose prev word is at an address."""
        return place - self._prev_at

    def heads_in_lists(self, addresses: list[int]) -> Iterator[tuple[int, bool, bool]]:
        """Yield the heads of objects in lists: node, whether next leads back, or is marked."""
        nodes = [address - self.size for address in addresses]
        words = self.reader.words([node + self._next_at for node in nodes])
        prev_at, marks, links = self._prev_at, self._marks, ~FLAGS
        prevs = self.reader.words([(word & links) + prev_at for word in words])
        for node, word, prev in zip(nodes, words, prevs, strict=True):
            if word & links:
                yield node, prev & links == node, word & FLAGS in marks

    def is_gc_head(self, node: int) -> bool:
        """Whether an object that the collector may track lies after a head.

        Lists on the C stack and half-written ones look like nodes; they hold no type.
        """
        kind = self._word(node + self.size + self._type_at)
        if node & 15 or not kind:
            return False
        is_collected = self._collected.get(kind)
        if is_collected is None:
            is_collected = self._collected[kind] = self._is_gc_type(kind)
        return is_collected

    def _is_gc_type(self, kind: int) -> bool:
        """Whether a type's objects are the collector's."""
        at = self._type_at
        if not self._word(kind + self._flags_at) & HAVE_GC:
            return False
        above = self._word(kind + at)
        return bool(above) and self._word(self._word(above + at) + at) == self._word(above + at)

    def repairs_of_low_link_bits(self, node: int) -> Iterator[GcLinkRepair]:
        """Yield the low bit of a link that is set, where it marks nothing, or hardly anything.

        Bit 0 marks what a collection found unreachable, and in 3.14.0 the space of every object;
        bit 1 is used in prev only (Include/internal/pycore_gc.h).
        """
        where = node + self._next_at
        held = self._word(where)
        after = held & ~FLAGS
        if held & FLAGS in self._marks and self.is_gc_head(after):
            text = f"next of the collector's node at {node:#x} has a low bit set, as no other has"
            yield GcLinkRepair(where, held, after, text)

    def _is_linked_after(self, node: int, before: int) -> bool:
        """Whether a node is an object in a list, after `before`, and leads on properly."""
        if node == before or self.previous_node(node) != before or not self.is_gc_head(node):
            return False
        beyond = self.next_node(node)
        return beyond not in (0, node, before) and self.previous_node(beyond) == node

    def one_bit_repairs(self, node: int) -> Iterator[GcLinkRepair]:
        """Yield the one-bit changes that make the links of a node agree with its neighbours'."""
        after, before = self.next_node(node), self.previous_node(node)
        if not after or not before:
            return
        next_fits = self.previous_node(after) == node
        prev_fits = self.next_node(before) == node
        if not next_fits:
            yield from self._repairs_of_next(node, after, prev_fits=prev_fits)
        if not prev_fits and next_fits:
            yield from self._repairs_of_prev(node)

    def _repairs_of_next(self, node: int, after: int, *, prev_fits: bool) -> Iterator[GcLinkRepair]:
        where = node + self._next_at
        held = self._word(where)
        flips = [held ^ flip for flip in FLIPS]
        prevs = self.reader.words([(right & ~FLAGS) + self._prev_at for right in flips])
        for right, prev in zip(flips, prevs, strict=True):
            if prev & ~FLAGS == node and self._is_linked_after(right & ~FLAGS, node):
                text = f"next of the collector's node at {node:#x} leads to {after:#x}, which does"
                text += f" not lead back; {right & ~FLAGS:#x}, one bit away, does"
                yield GcLinkRepair(where, held, right, text)
                return
        where = after + self._prev_at
        held = self._word(where)
        right = node | held & FLAGS
        # Only where both nodes are in a list otherwise: their other links agree. And not where the
        # node that prev names leads here: then it is right, and `node` was left over in a list.
        agrees = self.next_node(held & ~FLAGS) == after
        one_bit = (held ^ right).bit_count() == 1
        if prev_fits and one_bit and not agrees and self.is_gc_head(after):
            beyond = self.next_node(after)
            if beyond not in (0, after, node) and self.previous_node(beyond) == after:
                text = (
                    f"prev of the collector's node at {after:#x} is one bit from {node:#x}, whose"
                )
                yield GcLinkRepair(where, held, right, text + " next it is")

    def _repairs_of_prev(self, node: int) -> Iterator[GcLinkRepair]:
        where = node + self._prev_at
        held = self._word(where)
        flips = [held ^ flip for flip in FLIPS]
        nexts = self.reader.words([(right & ~FLAGS) + self._next_at for right in flips])
        for right, after in zip(flips, nexts, strict=True):
            before = right & ~FLAGS
            if after & ~FLAGS != node or before == node or not self.is_gc_head(before):
                continue
            if self.next_node(self.previous_node(before)) == before:
                text = f"prev of the collector's node at {node:#x} does not lead back; "
                yield GcLinkRepair(
                    where, held, right, text + f"{right & ~FLAGS:#x}, one bit away, does"
                )
                return

    def first_node_with_broken_next(self, head: int, most: int) -> tuple[int | None, int]:
        """Return the first node whose next leads to no object, and how many were passed.

        None when the list comes back to its head, or after `most` nodes.
        """
        next_at, type_at = self._next_at, self.size + self._type_at
        word, is_collected = self._word, self._collected.get
        link = CircularList(head, next_at, FLAGS, self.size, type_at)
        nodes, kinds, why = self.reader.walk_circular_list(link, most)
        node = head
        for count, (after, kind) in enumerate(zip(nodes, kinds, strict=True)):
            if (after & 15 or not is_collected(kind)) and not self.is_gc_head(after):
                return node, count
            node = after
        if not why:
            return None, len(nodes)
        for count in range(len(nodes), most):
            after = word(node + next_at) & ~FLAGS
            if after == head:
                return None, count
            if (after & 15 or not is_collected(word(after + type_at))) and not self.is_gc_head(
                after
            ):
                return node, count
            node = after
        return None, most

    def find_wrong_links_of_list(
        self, head: int, repairs: dict[int, GcLinkRepair], context: Context
    ) -> tuple[int, str]:
        """Follow one list; return how many nodes it had, and why it ended early ("" if not)."""
        node, count = head, 0
        while count < MAX_NODES:
            node, passed = self._follow_agreeing_links(node, head)
            count += passed
            after = self.next_node(node)
            if self.previous_node(after) != node:
                repaired = list(self.one_bit_repairs(node))
                for repair in repaired:
                    repairs.setdefault(repair.where, repair)
                mended = [r for r in repaired if r.where == node + self._next_at]
                if mended:
                    after = mended[0].corrected & ~FLAGS
                elif not repaired:
                    return count, f"the links at {node:#x} agree under no single flip"
            if after == head:
                return count, ""
            node = after
            count += 1
            if context.budget.out_of_time():
                return count, f"time is up after {count} objects"
        return count, f"more than {MAX_NODES} objects"

    def _follow_agreeing_links(self, node: int, head: int) -> tuple[int, int]:
        """Follow a list while links agree; return the last node, and how many were passed.

        At most STRIDE nodes. It stops early before `head`, and before what is not in a whole page.
        """
        pages = self._walk_pages
        next_at, prev_at, last = self._next_at >> 3, self._prev_at >> 3, WALK_PAGE - 16
        after = self.next_node(node)
        for count in range(STRIDE):
            at = after & WALK_PAGE - 1
            number = after >> WALK_PAGE_BITS
            page = pages[number] if number in pages else self._load_walk_page(number)
            if page is None or after == head or at & 7 or at > last:
                return node, count
            if page[(at >> 3) + prev_at] & ~FLAGS != node:
                return node, count
            node = after
            after = page[(at >> 3) + next_at] & ~FLAGS
        return node, STRIDE

    def _load_walk_page(self, number: int) -> memoryview | None:
        if len(self._walk_pages) >= MAX_WALK_PAGES:
            self._walk_pages.clear()
        try:
            page = memoryview(self.reader.read(number << WALK_PAGE_BITS, WALK_PAGE)).cast("Q")
        except UnreadableMemory:
            page = None
        self._walk_pages[number] = page
        return page
