# SPDX-License-Identifier: Apache-2.0
"""What begins at an address: an object of Python's, a block of an allocator, a function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.pymalloc_pools import (
    GC_HEAD,
    HEADER_SIZE,
    Pool,
    is_emptied_pool,
    parse_pool,
)
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.malloc_heap import FLAGS, HEAD_BYTES, IS_MMAPPED, MIN_CHUNK
from gdb_epi.fault.mapping_checks import may_execute
from gdb_epi.fault.memory_reads import read_word, try_read
from gdb_epi.sizes import ADDRESS_BITS, PAGE, PAGE_BITS, WORD, WORD_MASK
from gdb_epi.target.api import Region, view_memory_in_place
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple
from gdb_epi.util import memoized

if TYPE_CHECKING:
    from gdb_epi.cpython.memory_reader import MemoryReader

POOL_SIZES = (16384, 4096)  # 16 KiB from 3.10 (bpo-37448), 4 KiB before
HEADS = (0, 16, 32, 48)  # bytes before an object in its block: GC head, 3.11's managed words
MAX_NAME = 128
UNNAMED = "(a type whose name is in a file that is not here)"
MAX_POOLS = 4096  # kept; then they are read again
MAX_TUPLE = 1024  # bytes before an item that are searched for its tuple
MAX_SIBLINGS, MIN_SIBLINGS = 64, 3
MAX_COUNTED = 16  # references that are searched for
MEMBERS = 96  # bytes from an object's start in which its type's own fields lie

OBJECT, BLOCK, FREE, FUNCTION = "object", "block", "free", "function"
MAX_BESIDE = 64  # words that hold the type, of which memory is searched


class ThingAtAddress(NamedTuple):
    """What begins exactly at an address; `name` is the type of an object, else the allocator."""

    kind: str
    name: str


class _PoolBlock(NamedTuple):
    """A block of pymalloc's."""

    start: int
    end: int
    in_use: bool


class AddressIndex:
    """Answers about addresses of one process; each address is judged once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._reader = _reader_of(context)
        self._type_at = self._reader.layout.require("PyObject", "ob_type") if self._reader else 0
        self._types: dict[int, str | None] = {}
        self._pools: dict[tuple[int, int], Pool | None] = {}
        self._pools_by_page: dict[int, list[tuple[int, Pool]]] = {}

    @memoized
    def pointee_at(self, address: int) -> ThingAtAddress | None:
        """Return what begins at an address; None for the inside of something, or nothing."""
        region = self._context.target.region_at(address)
        if address < PAGE or address >> ADDRESS_BITS or region is None:
            return None
        if _is_known_executable(region):
            function = self._context.functions.function_at(address)
            begins = function is not None and function.start == address
            return ThingAtAddress(FUNCTION, "") if begins else None
        if address % 8:
            return None
        kind = self._read_object_type(address)
        free = self._is_free_pool_block(address, HEADS if kind is not None else HEADS[:1])
        if kind is not None:
            return ThingAtAddress(FREE if free is True else OBJECT, kind)
        if free is not None:
            return ThingAtAddress(FREE if free else BLOCK, "pymalloc")
        if address % 16 == 0 and self._is_used_chunk(address):
            return ThingAtAddress(BLOCK, "malloc")
        return None

    @memoized
    def object_type(self, address: int) -> str | None:
        """Return the type's name of the object that begins at an address, or None."""
        # Most words are asked about no more than this: what else begins there takes longer to tell.
        if address % WORD or not PAGE <= address < 1 << ADDRESS_BITS:
            return None
        name = self._read_object_type(address)
        if name is None or self._is_free_pool_block(address, HEADS) is True:
            return None
        region = self._context.target.region_at(address)
        return None if region is None or _is_known_executable(region) else name

    @memoized
    def mapped_one_bit_off(self, word: int) -> list[tuple[int, Region]]:
        """Return the addresses one bit away from a word, low bits first, with their mappings."""
        region_at = self._context.target.region_at
        flips = (word ^ 1 << bit for bit in range(64))
        near = [at for at in flips if at < 1 << ADDRESS_BITS]
        return [(at, region) for at in near if (region := region_at(at)) is not None]

    def objects_one_bit_off(self, word: int) -> list[int]:
        """Return the addresses one bit away from a word at which objects begin, low bits first."""
        reader = self._reader
        if reader is None:
            return []
        near = [at for at, _ in self.mapped_one_bit_off(word) if at >= PAGE and not at % WORD]
        kinds = reader.words([at + WORD for at in near])
        return [
            at
            for at, kind in zip(near, kinds, strict=True)
            if self._types.get(kind, "") is not None and self.object_type(at) is not None
        ]

    def addresses_with_type_word(self, addresses: Sequence[int], kind: int) -> list[int]:
        """Return the addresses that a type's address stands behind, as behind those of objects."""
        kinds = self._reader.words([at + WORD for at in addresses]) if self._reader else []
        return [at for at, held in zip(addresses, kinds, strict=False) if held == kind]

    def begins_with_gc_head(self, address: int) -> bool:
        """Tell whether a block begins there with the collector's links, which an object follows."""
        pointee = self.pointee_at(address)
        at_block = pointee is not None and pointee.kind == BLOCK
        return at_block and self.object_type(address + GC_HEAD) is not None

    def object_with_field(self, address: int) -> tuple[int, str] | None:
        """Return the object whose field, or the dict or tuple whose item, is at an address.

        Fields are the first MEMBERS bytes of objects in blocks of pymalloc that are in use: a
        list's storage, a cell's contents, a function's code. An entry of a dict has a str before
        it, and other entries beside it (the address is then that of the key's word).
        """
        block = self._block_of(address)
        start, _, in_use = block if block is not None else (0, 0, False)
        for head in HEADS:
            name = self._read_object_type(start + head) if in_use else None
            if name is not None and 8 <= address - start - head < MEMBERS:
                return start + head, name
        return self._tuple_with_item(address) or self._dict_entry_with_value_at(address)

    def do_others_hold_same_type_there(self, place: int, right: int) -> bool:
        """Tell whether other objects of the type that a field is of hold objects of one type there.

        And that type is that of the object at `right`. Only those near: in the same 16 KiB.
        """
        owner, kind = self.object_with_field(place), self.object_type(right)
        if owner is None or kind is None or owner[0] >= place:
            return False
        target, start = self._context.target, owner[0]
        base = start & -POOL_SIZES[0]
        pool_bytes = read_most_or_least(self._context, base, POOL_SIZES[0], POOL_SIZES[1])
        word = read_word(target, start + 8)
        at, kinds = 0, []
        for _ in range(MAX_SIBLINGS):
            at = pool_bytes.find((word or 0).to_bytes(8, "little"), at + 1)
            if at < 0:
                break
            sibling = base + at - 8
            value = (
                read_word(target, sibling + place - start)
                if sibling != start and not at % 8
                else None
            )
            kinds += [self.object_type(value)] if value else []
        return len(kinds) >= MIN_SIBLINGS and set(kinds) == {kind}

    def _tuple_with_item(self, address: int) -> tuple[int, str] | None:
        """Return the tuple, wherever it was allocated, whose item an address is."""
        target, starts = self._context.target, range(address - 24, address - MAX_TUPLE, -8)
        view = view_memory_in_place(target, starts[-1] + 8, 8 * len(starts))
        kinds: Iterable[int | None] = (read_word(target, start + 8) for start in starts)
        for start, kind in zip(
            starts, kinds if view is None else reversed(view.cast("Q").tolist()), strict=True
        ):
            if kind is None:
                return None
            may_be = kind > 4096 and not kind % 8 and self._types.get(kind, "tuple") == "tuple"
            if may_be and self._read_object_type(start) == "tuple":
                size = read_word(target, start + 16) or 0
                return (start, "tuple") if start + 24 <= address < start + 24 + 8 * size else None
        return None

    def _dict_entry_with_value_at(self, address: int) -> tuple[int, str] | None:
        """Tell the value of a dict's entry: (hash, key, value), or (key, value) from 3.11 on."""
        key = address - 8
        if self._pointee_type_at(key) != "str":
            return None
        for stride in (24, 16):
            beside = [self._pointee_type_at(key + step) for step in (-2 * stride, -stride, stride)]
            if beside.count("str") >= 2 and self._pointee_type_at(address + stride) is not None:
                return key, "dict"
        return None

    def _pointee_type_at(self, place: int) -> str | None:
        word = read_word(self._context.target, place)
        return self.object_type(word) if word else None

    def is_hash_of_object(self, address: int, word: int | None) -> bool:
        """Tell whether a word is the hash of the object at an address.

        That of an object without a __hash__ of its own is its address, rotated by 4
        (_Py_HashPointer, Python/pyhash.c, 3.8 to 3.15); a str keeps its own.
        """
        if not word or word == WORD_MASK or self._reader is None:
            return False
        if word == (address >> 4 | address << 60) & WORD_MASK:
            return True
        if self.object_type(address) != "str":
            return False
        at = self._reader.layout.require("PyASCIIObject", "hash")
        return read_word(self._context.target, address + at) == word

    def is_string_hash_field(self, address: int) -> bool:
        """Whether a str or bytes object that fills its block of pymalloc's has its hash there."""
        within = self.offset_in_pool_block(address)
        if within is None or self._reader is None:
            return False
        fields = (("PyASCIIObject", "hash"), ("PyBytesObject", "ob_shash"))
        return within in [self._reader.layout.offset(*field) for field in fields]

    def may_begin_object(self, address: int) -> bool:
        """Whether an object could begin there, with or without heads: a block of pymalloc does."""
        return self.offset_in_pool_block(address) in HEADS[:3]

    def is_past_start_in_pool_block(self, address: int) -> bool:
        """Tell whether an address lies in a block of pymalloc, but where no object can begin."""
        place = self.offset_in_pool_block(address)
        return place is not None and place not in HEADS[:3]

    def offset_in_pool_block(self, address: int) -> int | None:
        """Return how far an address lies after the start of its pymalloc block."""
        block = self._block_of(address)
        return None if block is None else address - block.start

    def in_damaged_pool(self, address: int) -> bool:
        """Tell whether an address lies in a pool whose free blocks are not known."""
        pools = (self._read_pool(address & -size, size) for size in POOL_SIZES)
        return any(pool is not None and pool.free is None for pool in pools)

    def pool_size(self, base: int) -> int:
        """Return the size of the pool of pymalloc's that begins at an address; 0 for none."""
        pools = (self._read_pool(base, size) for size in POOL_SIZES if base % size == 0)
        return next((pool.size for pool in pools if pool is not None), 0)

    def in_emptied_pool(self, address: int) -> bool:
        """Tell whether an address lies in a pool whose blocks were all freed."""
        for size in POOL_SIZES:
            base = address & -size
            pool_bytes = read_most_or_least(self._context, base, size, size)
            if is_emptied_pool(base, pool_bytes):
                return address >= base + HEADER_SIZE
        return False

    def _read_pool(self, base: int, size: int) -> Pool | None:
        """Return the pool that begins there; memory is read and its free list walked once."""
        key = base, size
        if key not in self._pools:
            if len(self._pools) >= MAX_POOLS:
                self._pools.clear()
            target, pool = self._context.target, None
            if target.region_at(base) is not None:  # an error takes longer
                view = view_memory_in_place(target, base, POOL_SIZES[0])
                memory = (
                    read_most_or_least(self._context, base, POOL_SIZES[0], size)
                    if view is None
                    else view
                )
                pool = parse_pool(base, memory) if memory else None
            self._pools[key] = pool
        return self._pools[key]

    def _possible_pools_of(self, address: int) -> list[tuple[int, Pool]]:
        """Return start and contents of what may be the pymalloc pool that holds an address."""
        pools = self._pools_by_page.get(address >> PAGE_BITS)
        if pools is None:
            if len(self._pools_by_page) >= MAX_POOLS:
                self._pools_by_page.clear()
            bases = [(address & -size, size) for size in POOL_SIZES]
            pools = self._pools_by_page[address >> PAGE_BITS] = [
                (base, pool)
                for base, size in bases
                if (pool := self._read_pool(base, size)) is not None and pool.size == size
            ]
        return pools

    def end_of_items(self, address: int) -> int | None:
        """Return where the items end of a tuple at an address; None for other objects."""
        if self._reader is None or self.object_type(address) != "tuple":
            return None
        head = self._reader.layout.require("PyTupleObject", "ob_item")
        size_at = self._reader.layout.require("PyVarObject", "ob_size")
        count = read_word(self._context.target, address + size_at)
        return None if count is None else address + head + 8 * count

    def end_of_block(self, address: int) -> int | None:
        """Return where the block ends that lies at an address; None where none is known to.

        Any address inside of a block of pymalloc's; of malloc's the one that it gave. The last word
        of a chunk of glibc's is the first of the following header (malloc/malloc.c).
        """
        block = self._block_of(address)
        if block is not None:
            return block.end
        size_word = read_word(self._context.target, address - 8) if not address % 16 else None
        if size_word is None:
            return None
        end = address - HEAD_BYTES + (size_word & ~FLAGS)
        if size_word & IS_MMAPPED and address % PAGE == HEAD_BYTES:
            region = self._context.target.region_at(address)
            return end if region is not None and address < end <= region.end else None
        return end + 8 if self._is_used_chunk(address) else None

    def _block_of(self, address: int) -> _PoolBlock | None:
        """Return the block of pymalloc's that holds an address; None outside of any."""
        for base, pool in self._possible_pools_of(address):
            if pool.free is not None:
                within = address - base - HEADER_SIZE
                offset = HEADER_SIZE + within // pool.block * pool.block
                if within < 0:
                    return None
                start = base + offset
                return _PoolBlock(start, start + pool.block, offset not in pool.free)
        return None

    def bounds_of_block(self, address: int) -> tuple[int, int] | None:
        """Return where the block of pymalloc's begins and ends that holds an address.

        Of a pool whose list of free blocks is damaged too: the block may be free there.
        """
        for base, pool in self._possible_pools_of(address):
            number, _ = divmod(address - base - HEADER_SIZE, pool.block)
            if 0 <= number < pool.carved:
                start = base + HEADER_SIZE + number * pool.block
                return start, start + pool.block
        return None

    def used_pool_blocks(self, address: int) -> list[int]:
        """Return the blocks in use of the pool of pymalloc's that holds an address."""
        for base, pool in self._possible_pools_of(address):
            return [base + offset for offset in pool.used_block_offsets()]
        return []

    def reference_count(self, address: int, counted: int = 8) -> int | None:
        """Return the reference count of an object; None when it is immortal or shared.

        `counted`: how many bytes of it count. Through a pointer whose low bits were flipped the
        bytes from the third, or the fifth, on were counted up and down.
        """
        reader = self._reader
        if reader is None or reader.layout.offset("PyObject", "ob_ref_local") is not None:
            return None
        count = read_word(self._context.target, address)
        if count is None:
            return None
        if reader.layout.offset("PyObject", "ob_overflow") is not None:
            count &= 0xFFFFFFFF
        count &= (1 << 8 * counted) - 1
        return count if 0 < count < MAX_COUNTED else None

    def in_free_block(self, address: int) -> bool:
        """Tell whether an address lies inside of a block that pymalloc has free."""
        block = self._block_of(address)
        return block is not None and not block.in_use

    def free_link_increment(self, address: int) -> int:
        """Return by how much the link was counted up that begins a block of pymalloc's.

        0 for any other word. No object has as many references as an address is large.
        """
        word = read_word(self._context.target, address)
        for base, pool in self._possible_pools_of(address):
            within, rest = divmod((word or 0) - base - HEADER_SIZE, pool.block)
            is_start = (address - base - HEADER_SIZE) % pool.block == 0
            if is_start and 0 <= within < pool.carved and rest < MAX_COUNTED:
                return rest
        return 0

    def is_in_free_block_with_counted_link(self, address: int) -> bool:
        """Tell whether a word lies in a free block whose link was counted up, as references are.

        Only of a pool whose list of free blocks that broke: the collector marks the links of living
        objects by the same bit. Pointers to other things are multiples of 8.
        """
        for base, pool in self._possible_pools_of(address):
            within = address - base - HEADER_SIZE
            if pool.free is None and 0 <= within < pool.carved * pool.block:
                return 0 < self.free_link_increment(address - within % pool.block) < 8
        return False

    # -- objects ----------------------------------------------------------------------------

    def _read_object_type(self, address: int) -> str | None:
        reader = self._reader
        kind = reader.word(address + self._type_at) if reader is not None else 0
        if reader is None or kind % 8 or kind < 4096 or not reader.word(address):
            return None
        return self.type_name(kind)

    def type_name(self, kind: int) -> str | None:
        """Return the name of the type at an address; None for anything but a type.

        Three levels up must be types too.
        """
        if kind not in self._types:
            self._types[kind] = None
            with suppress(UnreadableMemory, LayoutError):
                self._types[kind] = self._read_type_name_if_type(kind)
        return self._types[kind]

    def _read_type_name_if_type(self, kind: int) -> str | None:
        reader = self._reader
        assert reader is not None
        meta = reader.word(kind + self._type_at)
        above = reader.word(meta + self._type_at)
        if meta % 8 or not above or reader.word(above + self._type_at) != above:
            return None
        return (
            self._read_type_name(reader, kind)
            if self._read_type_name(reader, meta) is not None
            else None
        )

    def _read_type_name(self, reader: MemoryReader, kind: int) -> str | None:
        """Return a type's name, UNNAMED where its text lies in a file that is not here."""
        name = reader.type_name(kind)
        if not isinstance(name, Absent):
            # "method-wrapper" is no identifier, and type("Any[name]", (), {}) makes what one likes.
            return name if 0 < len(name) < MAX_NAME and name.isprintable() else None
        at = reader.field(kind, "PyTypeObject", "tp_name")
        region = reader.target.region_at(at)
        return UNNAMED if region is not None and region.path and not region.dumped else None

    # -- allocators -------------------------------------------------------------------------

    def _is_free_pool_block(self, address: int, heads: Sequence[int]) -> bool | None:
        """Tell whether a block of pymalloc is free that begins there, or so far before it.

        None when none does.
        """
        for base, pool in self._possible_pools_of(address):
            offset = address - base
            for head in heads:
                within = offset - head - HEADER_SIZE
                if within >= 0 and within % pool.block == 0:
                    return pool.free is not None and offset - head in pool.free
        return None

    def _is_used_chunk(self, address: int) -> bool:
        """Tell whether glibc's malloc has a block in use there: its size leads to another chunk."""
        size_word = read_word(self._context.target, address - 8)
        if size_word is None:
            return False
        size = size_word & ~FLAGS
        region = self._context.target.region_at(address)
        if (
            size < MIN_CHUNK
            or size % 16
            or region is None
            or address - HEAD_BYTES + size >= region.end
        ):
            return False
        following = read_word(self._context.target, address - 8 + size)
        if following is None or not following & 1:
            return False
        after = following & ~FLAGS
        return after >= 16 and after % 16 == 0 and address - HEAD_BYTES + size + after <= region.end


def _is_known_executable(region: Region) -> bool:
    return may_execute(region) and "?" not in region.perms


def _reader_of(context: Context) -> MemoryReader | None:
    python = context.state.python
    if not isinstance(python, PythonState):
        return None
    from gdb_epi.cpython.memory_reader import MemoryReader

    try:
        return MemoryReader(context.target, python.layout)
    except LayoutError:
        return None


def read_most_or_least(context: Context, start: int, most: int, least: int) -> bytes:
    """Return `most` bytes, or `least` where no more can be read; b"" without those."""
    return try_read(context.target, start, most) or try_read(context.target, start, least)


@once_per_run
def address_index(context: Context) -> AddressIndex:
    """Return the index that all checks share."""
    return AddressIndex(context)


@once_per_run
def find_others_of_type(context: Context, address: int, kind: int) -> list[int]:
    """Return objects of a type: those of the same pool, and the first ones of memory."""
    places = {at - WORD for at in context.places_of_word(kind, MAX_BESIDE)}
    near = places.union(find_others_of_type_in_pool(context, address, kind))
    return address_index(context).addresses_with_type_word(sorted(near), kind)


@once_per_run
def find_others_of_type_in_pool(context: Context, address: int, kind: int) -> list[int]:
    """Return the objects of a type in the same pool."""
    beside = address_index(context).used_pool_blocks(address)
    near = [block + head for block in beside for head in HEADS[:2]]
    return address_index(context).addresses_with_type_word(near, kind)
