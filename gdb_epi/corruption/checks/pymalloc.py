# SPDX-License-Identifier: Apache-2.0
"""R9, R13, R11: pymalloc's pools, and the types and counts of the objects in their blocks.

Pools are checked against their own headers and free lists (R9); objects in blocks in use have type
words one bit from a type (R13), or reference counts with one absurd bit (R11).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import (
    MEMORY,
    Evidence,
    NotChecked,
    Skipped,
    plain_evidence,
    require,
    word_evidence,
)
from gdb_epi.corruption.heap.address_index import HEADS, address_index
from gdb_epi.corruption.heap.object_walk import object_walk
from gdb_epi.corruption.heap.pymalloc_pools import (
    FREE_AT,
    GC_HEAD,
    HEADER_SIZE,
    POOL_SIZES,
    Pool,
    PoolRepair,
    broken_off_lists,
    free_list_repair,
    heap_pieces,
    is_first_link_wild,
    measure_link_decrement,
    object_header_size,
    parse_pool,
    pool_header_repair,
)
from gdb_epi.corruption.heap.readers import is_on_stack, shared_object_search, words_at_fault
from gdb_epi.corruption.pointers.read_place import find_read_place
from gdb_epi.corruption.pointers.suspects import find_fault_words
from gdb_epi.corruption.registry import check
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.objects.namespaces import INLINE_VALUES
from gdb_epi.cpython.objects.str_layout import compact_str_size, str_object_layout
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.fault.variables_holding_address import IS
from gdb_epi.fault.word_shapes import shape_note, shape_of
from gdb_epi.hangs.external_termination import was_ended_from_outside
from gdb_epi.hangs.system_calls import read_system_call
from gdb_epi.sizes import WORD
from gdb_epi.target.memory_search import OutOfTime, find_word
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, memoized

_STR = 1 << 28
DEBUG_BYTES = b"\xfd" * 7
DEBUG_HEAD = 16  # of pymalloc's debug hooks: size, then a letter and 7 bytes 0xFD
MAX_CANDIDATES = 4096
MAX_HITS = 64
MAX_TYPES = 10_000
MIN_COUNT_BIT = 33  # of a count that is absurd; immortal ones have 32 bits (PEP 683)
MIN_SHORT_BIT = 24  # of counts of 32 bits (3.14, gh-126491)
MAX_COUNT = 1 << 12  # without the absurd bit
MAX_COUNT_BIT = 62
MANY = 8  # types in one pool
_IS_ZERO = b"\xff" + bytes(255)
_MORTAL = bytes(range(64)) + bytes(192)  # the highest byte of 32 bits: one of the top two: immortal
MAX_POOLS = 96  # of a default run
MAX_PAGE = POOL_SIZES[0]
CUT = 0x100  # what has 0 as lowest byte
MIN_COPIES = 2  # of a wrong link, at the starts of other blocks
MIN_LANES = 3  # bytes of a link that a write changes, and hardware does not
MIN_CUT = 2  # links; of a single one a flip may have changed the lowest byte
MAX_WRONG = 24  # slots of containers that hold no object; more are an overwrite
STEP = 4096
WRITTEN_WHILE_FREE = "a free block of Python's allocator was written to"
INCREMENT = "an increment of the reference count of a freed object (use after free)"


class _TypeWordCandidate(NamedTuple):
    """A word at the place of a type, in a block in use."""

    place: int
    word: int
    head: int  # bytes from the block's start to the object
    room: int  # bytes of the block
    debug: bool  # after it lie the debug hooks' bytes


class BlockTypesCheck:
    """Collect the type words of blocks; judge them when all types are known."""

    def __init__(self, heap: ObjectSearch, context: Context) -> None:
        self._heap = heap
        self._context = context
        self._type_at = heap.type_at
        self._flags_at = heap.reader.layout.require("PyTypeObject", "tp_flags")
        self._heads: dict[int, int] = {}  # of words that were judged; -1: no type
        self._odd: dict[int, list[_TypeWordCandidate]] = {}
        self._absurd: list[tuple[int, int]] = []
        self._is_small_count = heap.reader.layout.offset("PyObject", "ob_overflow") is not None
        self._count_limit = 1 << (MIN_SHORT_BIT if self._is_small_count else MIN_COUNT_BIT)
        self._near_types: frozenset[int] | None = None
        self._types_and_near: frozenset[int] = frozenset()
        self.looked = 0

    def find_all_types(self) -> None:
        """Find every type first; then a sweep reads no memory but the pools. Raises OutOfTime."""
        for address, info in list(self._heap.types_by_address().items())[:MAX_TYPES]:
            self._heads[address] = object_header_size(info.flags)
        self._near_types = frozenset(
            address ^ 1 << bit for address in self._heads for bit in range(3, 64)
        ).difference(self._heads)
        self._types_and_near = self._near_types.union(self._heads)

    def note_words_of_pool(self, pool: Pool, data: bytes) -> None:
        """Take the blocks of one pool that are in use."""
        if pool.free is None:
            return
        words = memoryview(data[: len(data) & ~7]).cast("Q")
        has_debug = data[HEADER_SIZE + 9 : HEADER_SIZE + 16] == DEBUG_BYTES
        debug = DEBUG_HEAD if has_debug else 0
        places = [
            (head, (debug + head + self._type_at) >> 3)
            for head in (GC_HEAD, 0, 2 * GC_HEAD)
            if debug + head + self._type_at + 8 <= pool.block
        ]
        self.looked += pool.carved - len(pool.free)
        blocks = pool.used_block_offsets()
        if self._near_types is not None:
            blocks = self._blocks_worth_noting(pool, data, places)
        for at in blocks:
            self._note_words_of_block(pool, at, words, places, debug)

    def _blocks_worth_noting(
        self, pool: Pool, data: bytes, places: list[tuple[int, int]]
    ) -> Iterator[int]:
        """Yield the blocks in use with a word one bit from a type, or a count that is absurd.

        All blocks at once, by columns of words: a tenth of the time.
        """
        from array import array  # its strided slices become lists in half of a memoryview's time

        assert self._near_types is not None and pool.free is not None
        first, step, back = HEADER_SIZE >> 3, pool.block >> 3, self._type_at >> 3
        end = first + pool.carved * step
        words = array("Q", data[: 8 * end])
        worth_a_look: set[int] = set()
        for head, offset in places:
            column = words[first + offset : end : step].tolist()
            if self._types_and_near.isdisjoint(column):
                continue
            values = set(column)
            if not self._near_types.isdisjoint(values):
                worth_a_look.update(n for n, word in enumerate(column) if word in self._near_types)
            at = first + offset - back  # the counts before these words
            large = _blocks_with_large_counts(
                data[8 * at : 8 * end], 8 * step, is_small=self._is_small_count
            )
            worth_a_look.update(number for number in large if column[number] in self._heads)
            if len(values) < MANY and all(self._heads.get(word) == head for word in values):
                break  # each block holds such an object
        for number in sorted(worth_a_look):
            at = HEADER_SIZE + number * pool.block
            if at not in pool.free:
                yield at

    def _note_words_of_block(
        self, pool: Pool, at: int, words: memoryview, places: list[tuple[int, int]], debug: int
    ) -> None:
        """Take one block: its count when it has a type, else the words in the type's places."""
        odd: list[tuple[int, int]] = []
        for head, offset in places:
            word = words[(at >> 3) + offset]
            head_size = self._heads.get(word)
            if head_size is None:
                if self._near_types is None:
                    no_pointer = word & 7 or word < 0x10000 or word >> 47
                    head_size = -1 if no_pointer else self._head_size_of_type(word)
                elif word in self._near_types:
                    head_size = -1
            if head_size == head:
                count = words[(at >> 3) + offset - (self._type_at >> 3)]
                if count >= self._count_limit:
                    self._note_reference_count(pool.address + at + debug + head, count)
                return
            if head_size == -1 and word > 0xFFFF:
                odd.append((head, word))
        for head, word in odd:
            self._note_word_near_type(pool, at + debug, head, word, bool(debug))

    def _note_word_near_type(self, pool: Pool, at: int, head: int, word: int, debug: bool) -> None:
        if len(self._odd) < MAX_CANDIDATES * 16:
            place = pool.address + at + head + self._type_at
            room = pool.block - (DEBUG_HEAD if debug else 0)
            self._odd.setdefault(word, []).append(
                _TypeWordCandidate(place, word, head, room, debug)
            )

    def _head_size_of_type(self, word: int) -> int:
        """Return how many bytes lie before objects of a type; -1 when the word is no type.

        Each word is judged once; names of types are not read for it.
        """
        flags = self._type_flags(word)
        head_size = self._heads[word] = -1 if flags is None else object_header_size(flags)
        return head_size

    def _type_flags(self, word: int) -> int | None:
        """Return tp_flags of the type that a word is the address of; None for another word."""
        reader = self._heap.reader
        if word & 7 or word < 0x10000 or word >> 47:
            return None
        try:
            if not self._is_metatype(reader.type_of(word)):
                return None
            return self._heap.access.context.types.flags(word)
        except (UnreadableMemory, LayoutError):
            return None

    @memoized
    def _is_metatype(self, above: int) -> bool:
        """Whether a word is the address of `type`, or of what is derived from it."""
        reader = self._heap.reader
        try:
            if above & 7 or reader.type_of(reader.type_of(above)) != reader.type_of(above):
                return False
            return bool(reader.u64(above + self._flags_at) >> 31 & 1)
        except UnreadableMemory:
            return False

    def _note_reference_count(self, address: int, word: int) -> None:
        """Remember a count that is small but for one absurdly high bit."""
        lowest = MIN_COUNT_BIT
        if self._is_small_count:
            word &= 0x3FFFFFFF if word & 0xC0000000 == 0 else 0  # immortal: one of the top bits
            lowest = MIN_SHORT_BIT
        top = word.bit_length() - 1
        if not lowest <= top <= MAX_COUNT_BIT or len(self._absurd) >= MAX_HITS:
            return
        if 0 < word ^ 1 << top < MAX_COUNT:
            self._absurd.append((address, top))

    def repairs_as_evidence(self) -> Iterator[Evidence]:
        """Yield what one bit repairs."""
        types = [address for address, head in self._heads.items() if head >= 0][:MAX_TYPES]
        hits = 0
        flips = [1 << bit for bit in range(3, 64)]
        for address in types:
            if self._odd.keys().isdisjoint(map(address.__xor__, flips)):
                continue
            for flip in flips:
                for candidate in self._odd.get(address ^ flip, ()):
                    info = self._type_info_at(address)
                    if (
                        info is not None
                        and self._object_fits_block(candidate, info)
                        and hits < MAX_HITS
                    ):
                        hits += 1
                        yield self._evidence_of_wrong_type(candidate, info)
        for address, bit in self._absurd:
            word = self._heap.reader.u64(address)
            summary = (
                f"the reference count of the object at {address:#x} has bit {bit} set, and is "
                f"{word & ((1 << bit) - 1)} without it"
            )
            yield word_evidence("R11", address, word, word ^ 1 << bit, summary)

    def _type_info_at(self, address: int) -> TypeInfo | None:
        try:
            return self._heap.access.context.types.type_at(address)
        except (UnreadableMemory, LayoutError):
            return None

    def _object_fits_block(self, candidate: _TypeWordCandidate, info: TypeInfo) -> bool:
        """Whether an object of this type can be in that block."""
        address = candidate.place - self._type_at
        # An object of two words has nothing else to judge it by; types of singletons (None,
        # Ellipsis), whose objects are never in blocks, have that size too.
        if candidate.head != object_header_size(info.flags) or info.basicsize <= self._type_at + 8:
            return False
        size = candidate.head + (self._str_size(address, info) or info.basicsize)
        varies = info.itemsize or info.flags & INLINE_VALUES or candidate.debug
        if size > candidate.room or (
            not varies and (size + 15 & ~15) != (candidate.room + 15 & ~15)
        ):
            return False
        if (
            not self._heap.may_be_alive(address)
            or not self._heap.compare_gc_links(address, info).plausible
        ):
            return False
        return bool(find_word(self._context.target, address, limit=1).addresses)

    def _str_size(self, address: int, info: TypeInfo) -> int | None:
        """Return the size of a compact str, whose type's basicsize is that of another form."""
        if not info.flags & _STR or info.full_name != "str":
            return None
        form = str_object_layout(self._heap.reader.layout, info.address)
        return compact_str_size(self._context.target, form, address)

    def _evidence_of_wrong_type(self, candidate: _TypeWordCandidate, info: TypeInfo) -> Evidence:
        address = candidate.place - self._type_at
        summary = (
            f"the object at {address:#x} in a block of {candidate.room} bytes in use has no type; "
            f"one bit away is {info.qualified_name}, whose size fits, "
            "and count and links are an object's"
        )
        return word_evidence(
            "R13", candidate.place, candidate.word, info.address, summary, type=info.qualified_name
        )


def _blocks_with_large_counts(data: bytes, step: int, *, is_small: bool) -> list[int]:
    """Return the numbers of blocks whose first word may be a count with one absurd bit.

    Of such a one the third byte is 0, and one above is not. `step` is the size of a block.
    """
    is_high = 0
    for byte in (3,) if is_small else (4, 5, 6, 7):
        column = data[byte::step]
        is_high |= int.from_bytes(column.translate(_MORTAL) if is_small else column, "little")
    third = data[2::step]
    absurd = is_high & int.from_bytes(third.translate(_IS_ZERO), "little")
    if not absurd:
        return []
    return [number for number, byte in enumerate(absurd.to_bytes(len(third), "little")) if byte]


@check("R9", costly=True, grows=True, needs="python")
def check_pymalloc_pools(context: Context) -> Iterator[Evidence | Skipped]:
    """Check pool headers and free lists, and the type words of objects in blocks in use.

    By default of the pools that the fault touched; in a sweep of all. A type word counts only at a
    block in use, one bit from a type whose size fits the block, with a count and collector's links
    as an object has them.

    Innocent causes: a count raised in a freed object (low bits of a link: ambiguous), a crash
    inside the allocator, a process stopped from outside inside it, overruns (many bits), stale
    headers of empty pools.
    """
    if require(context.state.python).layout.free_threaded:
        raise NotChecked("free-threaded builds use mimalloc, not pymalloc")
    blocks = BlockTypesCheck(shared_object_search(context), context)
    if context.sweep:
        try:
            blocks.find_all_types()
        except (LayoutError, OutOfTime) as error:
            yield Skipped("R13", f"the types of the process: {error or 'out of time'}")
    search = _PoolSearch(context)
    pools = search.all_pools() if context.sweep else search.pools_near_fault()
    number = 0
    for pool, data in pools:
        number += 1
        wrong = free_list_repair(pool, data)
        if not _may_pool_be_half_updated(context, pool.address, len(data)):
            if wrong is not None:
                yield _evidence_of_pool_word(wrong, pool.address)
                if wrong.is_low_bit:
                    yield from _evidence_of_zeroed_link_bytes(context, pool, data)
            elif pool.free is None:
                freed_count = _evidence_of_references_after_free(pool, data)
                if freed_count is not None:
                    yield freed_count
                elif is_first_link_wild(pool, data):
                    yield from _evidence_of_damaged_free_list(context, pool, data)
                else:
                    yield from _evidence_of_zeroed_link_bytes(context, pool, data)
        blocks.note_words_of_pool(pool, data)
    for place, wrong in search.headers:
        yield _evidence_of_pool_word(wrong, place)
    yield from blocks.repairs_as_evidence()
    context.counts["pools"] = number
    context.counts["blocks"] = blocks.looked
    if not number and search.complete:
        what = "in writable memory" if context.sweep else "at what the fault had at hand"
        yield Skipped("R9", f"no pool of pymalloc {what} (another allocator, or big objects)")
    if not search.complete:
        yield Skipped("R9", "the budget ended before all pools were seen")


def _may_pool_be_half_updated(context: Context, start: int, size: int) -> bool:
    """Tell whether a thread that was stopped from outside may be in the middle of changing a pool.

    pymalloc_alloc() and pymalloc_free() write count and free list one after the other
    (Objects/obmalloc.c); a thread between the two has an address of the pool in a register.
    """
    state, target = context.state, context.target
    return was_ended_from_outside(state.crash, state.fault) and any(
        start <= value < start + size
        for thread in target.threads()
        if read_system_call(target, thread) is None
        for value in thread.registers.values()
    )


def _evidence_of_pool_word(wrong: PoolRepair, pool: int) -> Evidence:
    summary = (
        f"{wrong.description} in pymalloc's pool at {pool:#x} holds {wrong.found:#x}; with "
        f"{wrong.corrected:#x} header and free list agree"
    )
    evidence = word_evidence("R9", wrong.where, wrong.found, wrong.corrected, summary)
    return evidence._replace(ambiguous=INCREMENT) if wrong.is_low_bit else evidence


def _evidence_of_damaged_free_list(context: Context, pool: Pool, data: bytes) -> Iterator[Evidence]:
    """Yield evidence that names no culprit: a freed block that was written to is handed out too.

    Where the fault went through the first free block, the list is damaged for certain; elsewhere
    it may be one that the allocator was about to change.
    """
    place = pool.address + FREE_AT
    first = int.from_bytes(data[FREE_AT : FREE_AT + 8], "little")
    summary = (
        f"freeblock in pymalloc's pool at {pool.address:#x} holds {first:#x}, no block of it, and "
        "no flipped bit makes it one: it was read through a link that was damaged, or from a freed "
        "block that was written to"
    )
    yield plain_evidence("R9:list", place, summary, path=MEMORY)
    for word in find_fault_words(context)[:1]:
        read_from = find_read_place(context, word)
        if read_from is not None and read_from.slot == place:
            why = _sign_of_program_write(context, pool, data, first)
            named = next(
                (v.name for v in context.state.variables_holding_bad_address if v.how == IS), None
            )
            of_what = f" (the number `{named}` of the program)" if named else shape_note(first)
            summary = (
                f"a list of free blocks is damaged: the first free block of pymalloc's pool "
                f"at {pool.address:#x} would be {first:#x}{of_what}, and the crash went there"
            )
            if why is None:
                yield plain_evidence("S:free-list", place, summary)
            else:
                summary += why.evidence
                yield plain_evidence("S:overwritten-place", place, summary, plain=why.plain)


class _SignOfProgramWrite(NamedTuple):
    """What shows that the program wrote to a free block, behind a sentence, and it in few words."""

    evidence: str
    plain: str


def _sign_of_program_write(
    context: Context, pool: Pool, data: bytes, first: int
) -> _SignOfProgramWrite | None:
    """Return what shows that a write, and no flipped bit, made the first link; None for nothing.

    The crash took a block that its pool counts already. A flipped bit of a link leads to a block
    that is none of the free ones: then one block more is left than was counted, or an object
    stands where no block begins.
    """
    left = pool.carved - pool.used + 1
    lists = broken_off_lists(pool, data)
    length, rest = lists[0] if lists else (0, 0)
    if length > max(left, 1) or _has_object_between_blocks(context, pool, data):
        return None
    is_alone = len(lists) < 2 or lists[1][0] < length
    if length == left > 1 and is_alone:
        shifted = any(rest >> 8 * n == first & (1 << 64 - 8 * n) - 1 for n in range(1, WORD))
        lanes = sum(map(bool, (first ^ rest).to_bytes(WORD, "little")))
        if shifted or lanes < MIN_LANES:
            return None
        return _SignOfProgramWrite(
            f". The {counted(length, 'block')} that should follow are whole, from {rest:#x} on: "
            "the block before them was written to while it was free",
            WRITTEN_WHILE_FREE,
        )
    index, start = address_index(context), pool.address + HEADER_SIZE
    words = memoryview(data[HEADER_SIZE : HEADER_SIZE + pool.carved * pool.block]).cast("Q")
    beginnings = words[:: pool.block // WORD]
    copies = [start + n * pool.block for n, word in enumerate(beginnings) if word == first]
    before = Counter(
        next(filter(None, (index.object_type(at - pool.block + head) for head in HEADS)), None)
        for at in copies
    )
    owner, number = before.most_common(1)[0] if before else (None, 0)
    if owner is not None and number >= MIN_COPIES:
        return _SignOfProgramWrite(
            f". {number} more blocks there begin with this value, each behind a {owner}: it was "
            "written behind the end of such an object",
            f"data were written behind the end of an object of type {owner}, over what follows it",
        )
    named = any(value.how == IS for value in context.state.variables_holding_bad_address)
    if not named and shape_of(first) is None:
        return None
    return _SignOfProgramWrite(", which is no address", WRITTEN_WHILE_FREE)


def _has_object_between_blocks(context: Context, pool: Pool, data: bytes) -> bool:
    """Tell whether an object stands where a flipped bit of a link leads: before a block's start.

    It takes the place of that block's link. Behind a start the link is left.
    """
    index = address_index(context)
    for bit in range(WORD.bit_length() - 1, (pool.block - 1).bit_length()):
        for head in HEADS:
            offset = (head - (1 << bit)) % pool.block
            for block in range(pool.carved if offset not in HEADS else 0):
                at = HEADER_SIZE + block * pool.block + offset
                count = int.from_bytes(data[at : at + WORD], "little")
                if 0 < count < MAX_COUNT and index.object_type(pool.address + at) is not None:
                    return True
    return False


def _evidence_of_zeroed_link_bytes(context: Context, pool: Pool, data: bytes) -> Iterator[Evidence]:
    """Yield a sign if links of several free blocks have 0 as lowest byte, and lead to no block.

    So does what ends a text behind its buffer. What is no link leads to objects. Or an object that
    is in use stands where such a link led.
    """
    index, heap, first = address_index(context), shared_object_search(context), HEADER_SIZE
    end = first + pool.carved * pool.block
    cut = []
    for at in range(first, end, pool.block):
        link = int.from_bytes(data[at : at + 8], "little")
        offset = link - pool.address
        if not link & 0xFF and first <= offset < end and (offset - first) % pool.block:
            cut += [pool.address + at] if index.object_type(link) is None else []
    if len(cut) >= MIN_CUT:
        summary = (
            f"{len(cut)} links of free blocks in pymalloc's pool at {pool.address:#x}, the first "
            f"at {cut[0]:#x}, have a lowest byte of 0 and lead to no block: a byte of 0 was "
            "written over each of them"
        )
        yield plain_evidence("S:overwritten-place", cut[0], summary)
        return
    for at in range(-(-first // CUT) * CUT, end, CUT):
        address = pool.address + at
        if index.object_type(address) is None:
            continue
        flags = heap.access.context.types.flags(heap.reader.type_of(address))
        if (at - first) % pool.block in (0, object_header_size(flags)):
            continue
        for place in context.places_of_word(address, MAX_HITS):
            inside = pool.address <= place < pool.address + pool.size
            if not inside and not is_on_stack(context, place) and not index.in_free_block(place):
                summary = (
                    f"the {index.object_type(address)} at {address:#x}, which {place:#x} names, "
                    "stands where no block of its pool begins: a link of the list of free blocks "
                    "led there, whose lowest byte was overwritten with 0"
                )
                yield plain_evidence("S:overwritten-place", address, summary)
                return


def _evidence_of_references_after_free(pool: Pool, data: bytes) -> Evidence | None:
    """Tell references that were taken from a freed block: its count is the link to the next."""
    steps, below = measure_link_decrement(pool, data)
    if not steps and not below:
        return None
    first = int.from_bytes(data[FREE_AT : FREE_AT + 8], "little")
    what = f"the number {-below}" if below else "the address of a block of it, or a little less"
    shifted = f", shifted by {counted(steps, 'byte')}" if steps else ""
    summary = (
        f"freeblock in pymalloc's pool at {pool.address:#x} holds {first:#x}, {what}{shifted}: a "
        f"link was counted down by {steps or below}, as "
        "whoever gives back a reference to an object that was freed does"
    )
    return plain_evidence("S:freed-count", pool.address + FREE_AT, summary)


class _PoolSearch:
    """Find pools; remember headers that one bit makes a pool's."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.headers: list[tuple[int, PoolRepair]] = []
        self.complete = True
        self._before: Pool | None = None  # what ends where the next place begins, if it is a pool

    def pools_near_fault(self) -> Iterator[tuple[Pool, bytes]]:
        """Yield the pools that registers and the stack's top point into."""
        seen: set[int] = set()
        for value in self._addresses_near_fault():
            for size in POOL_SIZES:
                start = value & -size
                if start in seen or len(seen) >= 2 * MAX_POOLS:
                    continue
                seen.add(start)
                data = try_read(self._context.target, start, size)
                if not data:
                    continue
                pool = parse_pool(start, data)
                if pool is not None:
                    yield pool, data
                    break
                self._note_header_between_pools(start, size, data)

    def _addresses_near_fault(self) -> Iterator[int]:
        """Yield addresses: where the wrong pointer lies, what it should be, what was at hand."""
        for word in find_fault_words(self._context)[:1]:
            read_from = find_read_place(self._context, word)
            if read_from is not None:
                yield read_from.slot
        for finding in self._context.findings:
            if finding.detector == "pointer_one_bit_off":
                yield from (int(place, 16) for place in finding.facts.get("where", ()))
                yield int(finding.facts["corrected"], 16)
        yield from words_at_fault(self._context)
        # Slots that name no object: its header may be what is wrong.
        walk = object_walk(self._context)
        wrong = [] if isinstance(walk, Absent) else walk.slots_without_object
        yield from (slot.value for slot in wrong if len(wrong) <= MAX_WRONG)

    def _note_header_between_pools(self, start: int, size: int, data: bytes) -> None:
        """Look at a place beside two pools that is no pool itself."""
        for beside in (start - size, start + size):
            memory = try_read(self._context.target, beside, size)
            pool = parse_pool(beside, memory) if memory else None
            if pool is None or pool.size != size:
                break
        else:
            wrong = pool_header_repair(start, size, data)
            if wrong is not None:
                self.headers.append((start, wrong))

    def all_pools(self) -> Iterator[tuple[Pool, bytes]]:
        """Yield the pools of anonymous writable memory."""
        for region, low, high in heap_pieces(self._context.target):
            if low == region.start:
                self._before = None
            if not self._context.budget.take_bytes(high - low):
                self.complete = False
                return
            yield from self._pools_in_piece(low, high)

    def _pools_in_piece(self, low: int, high: int) -> Iterator[tuple[Pool, bytes]]:
        data = try_read(self._context.target, low, high - low)
        if not any(data[::STEP]) and not data.strip(b"\0"):
            return
        at = -low % STEP
        while at + STEP <= len(data):
            pool = parse_pool(low + at, data[at : at + MAX_PAGE])
            if pool is not None:
                yield pool, data[at : at + pool.size]
            elif self._before is not None and not (low + at) % self._before.size:
                size = self._before.size
                self._note_header_between_pools(low + at, size, data[at : at + size])
            at += pool.size if pool is not None else STEP
            self._before = pool
