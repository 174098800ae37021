# SPDX-License-Identifier: Apache-2.0
"""pymalloc's pools out of memory: which blocks are in use, and whether the header is consistent.

Pools are recognised by themselves: `maxnextoffset` and `szidx` in the header are two copies of the
block size. Reference: struct pool_header, Objects/obmalloc.c (3.8 to 3.11) and
Include/internal/pycore_obmalloc.h (3.12 to 3.15), the same in all: count (32 bits), freeblock,
nextpool, prevpool, arenaindex, szidx, nextoffset, maxnextoffset (32 bits each), 48 bytes. Pools
have 4 KiB, with the radix tree of 3.10 and later (bpo-37448) 16 KiB; blocks are multiples of 16.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from gdb_epi.cpython.heap.object_search import HAVE_GC
from gdb_epi.target.api import Region, Target
from gdb_epi.typing_lite import NamedTuple

HEADER = struct.Struct("<I4xQQQIIII")
COUNT_AND_FREE, LINK = struct.Struct("<I4xQ"), struct.Struct("<Q")
HEADER_SIZE = 48
GC_HEAD = 16  # bytes of the collector's links before an object
# Include/object.h: words of a managed dict, or of weak references, before the collector's head.
_PREHEADER = 1 << 3 | 1 << 4
POOL_SIZES = (16384, 4096)
SEARCH_PIECE = 1 << 20  # a multiple of the size of every pool
MAX_COUNTED = 16  # references to a freed object that were taken or given up
MAX_BESIDE = 4  # blocks beside the right ones, handed out from a damaged list
MAX_SHIFTED, MAX_SHIFTED_LINK = 7, 5  # bytes by which a number, and an address, may be shifted
MAX_SECOND_COUNT = 3  # references to the next freed object
DEFAULT_NAN = -8 << 48  # what arithmetic without a result gives
MAX_LINKS = 4  # the last links before the damage, each of which may be the wrong one
SIZE_CLASSES = 32  # up to 512 bytes
COUNT_AT, FREE_AT, SZIDX_AT, NEXT_AT, MAX_AT = 0, 8, 36, 40, 44


class Pool(NamedTuple):
    """A pool in use. `free` are offsets of free blocks, None when their list is damaged."""

    address: int
    size: int
    block: int
    used: int
    carved: int  # blocks that were ever handed out
    free: frozenset[int] | None

    def used_block_offsets(self) -> Iterator[int]:
        """Yield the offsets of blocks in use; empty when the free list is damaged."""
        if self.free is None:
            return
        for at in range(HEADER_SIZE, HEADER_SIZE + self.carved * self.block, self.block):
            if at not in self.free:
                yield at


def object_header_size(flags: int) -> int:
    """Return how many bytes lie before an object in its block, by its type's tp_flags.

    3.11 (bpo-44590 and later) put dict and values before the collector's head, 3.12 (gh-95649)
    the list of weak references too.
    """
    if not flags & HAVE_GC:
        return 0
    return 2 * GC_HEAD if flags & _PREHEADER else GC_HEAD


def heap_pieces(target: Target) -> Iterator[tuple[Region, int, int]]:
    """Yield the pieces of anonymous writable memory in which pools may be: mapping, start, end."""
    for region in target.regions():
        if region.path is None and "w" in region.perms and region.dumped > 0:
            end = region.dumped_end
            for start in range(region.start & -POOL_SIZES[0], end, SEARCH_PIECE):
                yield region, max(start, region.start), min(start + SEARCH_PIECE, end)


def read_pool_shape(
    address: int, data: bytes | memoryview, at: int = 0
) -> tuple[int, int, int] | None:
    """Return (size, block size, blocks carved) of the pool at an offset of `data`, an address.

    16 KiB of it are given where they are there. None for anything else, and for a pool without a
    block in use, whose header is left over. Its free list is not checked.
    """
    count, _free, _next, _prev, _arena, szidx, nextoffset, most = HEADER.unpack_from(data, at)
    if not count or szidx >= SIZE_CLASSES:
        return None
    block = szidx + 1 << 4
    size = most + block
    if size not in POOL_SIZES or address % size or len(data) - at < size:
        return None
    carved, rest = divmod(nextoffset - HEADER_SIZE, block)
    if rest or not 0 < carved <= (size - HEADER_SIZE) // block or count > carved + MAX_BESIDE:
        return None
    return size, block, carved


def is_emptied_pool(address: int, data: bytes) -> bool:
    """Tell whether `data` is a pool that has no block in use any more, with the header left over.

    It goes back to its arena, which writes over nextpool alone (insert_to_freepool). The list of
    its free blocks begins in the pool; a header that was overwritten has no such list.
    """
    if len(data) < HEADER_SIZE:
        return False
    count, freeblock, *_rest = HEADER.unpack_from(data)
    if count:
        return False
    shape = read_pool_shape(address, (1).to_bytes(4, "little") + data[4:])
    if shape is None:
        return False
    _size, block, carved = shape
    place, rest = divmod(freeblock - address - HEADER_SIZE, block)
    return not rest and 0 <= place < carved


def parse_pool(address: int, data: bytes | memoryview) -> Pool | None:
    """Return the pool that begins with `data`, as read_pool_shape() tells it."""
    shape = read_pool_shape(address, data)
    if shape is None:
        return None
    size, block, carved = shape
    count, freeblock = COUNT_AND_FREE.unpack_from(data)
    free = free_block_offsets(address, data, freeblock, block, carved)
    if free is not None and carved - len(free) != count:
        free = None
    return Pool(address, size, block, count, carved, free)


def free_block_offsets(
    address: int, data: bytes | memoryview, first: int, block: int, carved: int
) -> frozenset[int] | None:
    """Return the free blocks' offsets; None when a link leads elsewhere, or the list is a ring.

    A link is the first word of a free block; the first link is in the header.
    """
    offsets: set[int] = set()
    link = first
    end = HEADER_SIZE + carved * block
    while link:
        at = link - address
        if not HEADER_SIZE <= at < end or (at - HEADER_SIZE) % block or at in offsets:
            return None
        offsets.add(at)
        (link,) = LINK.unpack_from(data, at)
    return frozenset(offsets)


def broken_off_lists(pool: Pool, data: bytes) -> list[tuple[int, int]]:
    """Return (length, first block) of lists of blocks that lead to an end, the longest first.

    Of a list that is damaged, what lies behind the damage; a block in use may look like a last one.
    """
    end = HEADER_SIZE + pool.carved * pool.block
    links = {
        pool.address + at: int.from_bytes(data[at : at + 8], "little")
        for at in range(HEADER_SIZE, end, pool.block)
    }
    before: dict[int, list[int]] = {}
    for block, link in links.items():
        before.setdefault(link, []).append(block)
    lists = []
    for last in before.get(0, []):
        length, first = 1, last
        while len(named_by := before.get(first, [])) == 1:  # it cannot be a ring: it has an end
            length, first = length + 1, named_by[0]
        lists.append((length, first))
    return sorted(lists, reverse=True)


class PoolRepair(NamedTuple):
    """A word of a pool and what it should be; `is_low_bit` marks what an increment could do too."""

    where: int
    found: int
    corrected: int
    description: str
    is_low_bit: bool = False


def free_list_repair(pool: Pool, data: bytes) -> PoolRepair | None:
    """Return the one-bit change that makes a pool's free list consistent; None without one."""
    if pool.free is not None:
        return None
    _count, freeblock, *_ = HEADER.unpack_from(data)
    free = free_block_offsets(pool.address, data, freeblock, pool.block, pool.carved)
    if free is not None:  # whole, but not as long as the counts say
        wrong = _wrong_used_count(pool, data, len(free))
        # A link that changed leads past free blocks, or into a block in use, which holds no link:
        # it makes a whole list shorter, never longer. A count can have been raised, by whoever
        # took the pool for an object: then some link that leaves out a block would fit by chance.
        is_longer = len(free) > pool.carved - pool.used
        link = None if is_longer else _one_bit_wrong_link(pool, data, freeblock)
        if wrong is not None and link is not None:
            return None  # either explains it
        return wrong or link
    return _one_bit_wrong_link(pool, data, freeblock)


def measure_link_decrement(pool: Pool, data: bytes) -> tuple[int, int]:
    """Return by how much two links in freed blocks were counted down; zeros where none was.

    The second link was 0 and went below it. Because of the first, memory a few bytes before a free
    block was handed out, and the word there (the block's link, shifted) was taken for the next
    link. No flipped bit of a link leads there.
    """
    first = int.from_bytes(data[FREE_AT : FREE_AT + 8], "little", signed=True)
    for steps in range(MAX_SHIFTED):
        last = first >> 8 * steps
        if -MAX_COUNTED < last < 0 and first != DEFAULT_NAN:
            return steps, -last
    for steps in range(1, MAX_SHIFTED_LINK):
        left = (1 << 64 - 8 * steps) - 1  # what the shift leaves of an address
        at = ((first >> 8 * steps) - pool.address - HEADER_SIZE) & left
        # The shifted link may have been counted down too.
        if at < pool.carved * pool.block and -at % pool.block <= MAX_SECOND_COUNT:
            return steps, 0
    return 0, 0


def is_first_link_wild(pool: Pool, data: bytes) -> bool:
    """Whether the first link of a damaged list is no block, nor one that was counted up or down.

    What counts references in freed blocks changes the link of the block, or the 0 of the last one,
    in its lowest or its third byte.
    """
    if pool.free is not None:
        return False
    first = int.from_bytes(data[FREE_AT : FREE_AT + 8], "little")
    signed = first - (1 << 64) if first >> 63 else first
    near = HEADER_SIZE <= first - pool.address < pool.size
    return not near and not any(abs(signed) >> shift < MAX_COUNTED for shift in (0, 16))


def _one_bit_wrong_link(pool: Pool, data: bytes, freeblock: int) -> PoolRepair | None:
    """Return the link that one bit changes into one with which list and counts agree."""
    low: list[PoolRepair] = []
    # The offsets of the links of a damaged list, up to the one that leads nowhere.
    offsets, link = [FREE_AT], freeblock
    end = HEADER_SIZE + pool.carved * pool.block
    while link:
        at = link - pool.address
        if not HEADER_SIZE <= at < end or (at - HEADER_SIZE) % pool.block or at in offsets:
            break
        offsets.append(at)
        link = int.from_bytes(data[at : at + 8], "little")
    for where in reversed(offsets[-MAX_LINKS:]):
        word = int.from_bytes(data[where : where + 8], "little")
        what = "freeblock" if where == FREE_AT else "the link of a free block"
        high: list[PoolRepair] = []
        for bit in range(64):
            right = word ^ 1 << bit
            if _free_list_fits(pool, data, freeblock, where, right):
                group = low if bit < 4 else high
                group.append(PoolRepair(pool.address + where, word, right, what, bit < 4))
        # A link into a block in use goes on with what lies there, e.g. a count of 1, one bit from
        # 0: low bits count only when no link before gives a better answer.
        if high:
            return high[0] if len(high) == 1 else None
    return low[0] if len(low) == 1 else None


def _free_list_fits(pool: Pool, data: bytes, freeblock: int, where: int, link: int) -> bool:
    """Tell whether the free list is whole and as long as the counts say with one link changed."""
    changed = bytearray(data)
    changed[where : where + 8] = link.to_bytes(8, "little")
    first = link if where == FREE_AT else freeblock
    free = free_block_offsets(pool.address, bytes(changed), first, pool.block, pool.carved)
    if free is None:
        return False
    # A crash of the allocator that reads the first free block's link: it is counted already, and
    # still first.
    reading = where == FREE_AT
    used = pool.carved - len(free)
    return used == pool.used or (reading and used == pool.used - 1)


def _wrong_used_count(pool: Pool, data: bytes, free: int) -> PoolRepair | None:
    """Compare the count of used blocks with the free list; small differences are no single flip.

    A crash inside of the allocator, or a double free, leaves the count one off.
    """
    right = pool.carved - free
    if (right ^ pool.used).bit_count() != 1 or right ^ pool.used < 4 or right <= 0:
        return None
    word = int.from_bytes(data[:8], "little")
    return PoolRepair(pool.address, word, word ^ right ^ pool.used, "the count of blocks in use")


def pool_header_repair(address: int, size: int, data: bytes) -> PoolRepair | None:
    """Return the one-bit change of a count or size that makes a header a pool's.

    For a place where a pool must lie, because its neighbours are pools of this `size`. Only a
    change after which the free list is whole counts, and only a unique one.
    """
    count, _f, _n, _p, _a, szidx, nextoffset, most = HEADER.unpack_from(data)
    if not count or parse_pool(address, data) is not None:
        return None
    repairs: list[PoolRepair] = []
    members = ((COUNT_AT, count), (SZIDX_AT, szidx), (NEXT_AT, nextoffset), (MAX_AT, most))
    for at, value in members:
        for bit in range(2 if at == COUNT_AT else 0, 32):
            changed = bytearray(data)
            changed[at : at + 4] = (value ^ 1 << bit).to_bytes(4, "little")
            pool = parse_pool(address, bytes(changed))
            if pool is not None and pool.size == size and pool.free is not None:
                where = at & ~7
                word = int.from_bytes(data[where : where + 8], "little")
                right = int.from_bytes(changed[where : where + 8], "little")
                repairs.append(PoolRepair(address + where, word, right, "a number in the header"))
    return repairs[0] if len(repairs) == 1 else None
