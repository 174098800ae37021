# SPDX-License-Identifier: Apache-2.0
"""What lies at an address of the process: a block of an allocator, an object, a stack, a file."""

from __future__ import annotations

from bisect import bisect_right

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.address_index import HEADS, address_index
from gdb_epi.corruption.heap.item_tables import find_member_offset, find_table_owner
from gdb_epi.corruption.heap.malloc_chunks import HEAD, heap_chunks, is_in_free_chunk
from gdb_epi.corruption.heap.object_types import SLOTS
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.corruption.heap.readers import is_on_stack
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.secrets import is_secret_name
from gdb_epi.errors import Absent
from gdb_epi.fault.malloc_heap import FLAGS, PREV_INUSE
from gdb_epi.fault.mapping_checks import RED_ZONE, may_execute
from gdb_epi.fault.memory_reads import read_word, try_read
from gdb_epi.locks.glibc_threads import read_stack_lists
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Region

MAX_KEY, MAX_DIGITS = 24, 5  # characters of a key that is told
ENDED = "in the stack of a thread that has ended"
LEFT_BY_OTHER = "in the stack of another thread, where its functions have returned"
MIN_LETTERS = 4  # with which a text constant begins
MAX_LEFT = 1 << 20  # bytes below a stack pointer that are looked at


def begins_free_chunk(context: Context, address: int) -> bool:
    """Tell whether a free block of malloc's main heap begins at an address."""
    region = context.target.region_at(address)
    if address % (2 * WORD) or region is None or region.path is not None:
        return False
    if "w" not in region.perms or is_on_stack(context, address):
        return False
    chunk = find_malloc_chunk(context, address)
    return chunk is not None and chunk[0] == address and _is_chunk_free(context, chunk)


def _is_chunk_free(context: Context, chunk: tuple[int, int]) -> bool:
    """Tell whether a block is free by two witnesses: a zeroed header after it is no witness.

    A free block is followed by a header without PREV_INUSE and with the block's own size; a block
    of the tcache is known by its key.
    """
    start, usable = chunk
    if not is_in_free_chunk(context, start):
        return False
    behind = start + usable - WORD
    size, head = read_word(context.target, behind), read_word(context.target, behind + WORD)
    return head is None or bool(head & PREV_INUSE) or size == usable + WORD


def describe_address(context: Context, address: int) -> str:
    """Say what lies at an address of the process: "16 bytes into a list in use"; "" for nothing."""
    region = context.target.region_at(address)
    if region is None:
        return ""
    if _may_be_stack(region):
        for thread in context.target.threads():
            if region.start <= thread.sp < region.end:
                return f"in the stack of thread {thread.tid}"
    if is_in_ended_stack(context, address):
        return ENDED
    if region.path is not None and not region.path.startswith("["):
        return _describe_slot_of_type(context, address) or f"in {region.path.rpartition('/')[2]}"
    index = address_index(context)
    within = index.offset_in_pool_block(address)
    if within is not None:
        return _describe_in_pool(context, address, address - within)
    chunk = find_malloc_chunk(context, address)
    if chunk is not None:
        start, size = chunk
        if _is_chunk_free(context, chunk):
            return f"{address - start} bytes into {size} free bytes of malloc's"
        block = f"a block of malloc's with {size} bytes"
        return _describe_item(context, address, start) or f"{address - start} bytes into {block}"
    if index.in_damaged_pool(address):
        return "in a pool of pymalloc's whose list of free blocks is broken"
    if index.in_emptied_pool(address):
        return "in a pool of pymalloc's whose blocks are all free"
    return "in anonymous memory"


def _describe_in_pool(context: Context, address: int, start: int) -> str:
    index = address_index(context)
    if index.in_free_block(address):
        return f"{address - start} bytes into a free block of pymalloc's"
    for head in HEADS:
        owner = start + head
        if index.offset_in_pool_block(owner) != head:
            break  # the block ends before: there begins the next one
        kind = read_word(context.target, owner + WORD)
        name = index.object_type(owner)
        if name is None and kind and read_word(context.target, owner) == 0:  # its count
            name = index.type_name(kind) and f"{index.type_name(kind)} whose reference count is 0"
        if name is None or address < owner - GC_HEAD:
            continue
        if address < owner:
            return f"in the collector's links of an object of type {name}"
        if address == owner:
            return f"the reference count of an object of type {name}"
        first = owner + (find_member_offset(context, "PyTupleObject", "ob_item") or 0)
        if name == "tuple" and address >= first > owner:
            return f"item {(address - first) // WORD} of the tuple at {owner:#x}"
        return f"{address - owner} bytes into an object of type {name}"
    what = _describe_item(context, address, start)
    return what or f"{address - start} bytes into a block of pymalloc's that holds no object"


def _describe_slot_of_type(context: Context, address: int) -> str:
    """Say which function of which type stands at an address in a file; "" for nothing of a type."""
    index = address_index(context)
    for slot in SLOTS:
        offset = find_member_offset(context, "PyTypeObject", slot)
        name = index.type_name(address - offset) if offset else None
        if name is not None:
            return f"{slot} of the type {name}"
    return ""


def _describe_item(context: Context, address: int, start: int) -> str:
    """Say whose item lies at an address in a block; "" where no container names the block."""
    owner = find_table_owner(context, address, start)
    if owner is None:
        return ""
    if owner[0] == "list":
        return f"item {(address - start) // WORD} of the list at {owner[1]:#x}"
    return f"among the items of the {owner[0]} at {owner[1]:#x}"


def describe_object_holding(context: Context, place: int) -> str:
    """Say whose word it is: "an object of type function at 0x7f12"; of a dict's entry also the key.

    "" where that is not known. A key that may say something of a person or a secret is not told:
    only a short one of letters, with few digits, as names and routes have.
    """
    index = address_index(context)
    owner = index.object_with_field(place)
    start = start_of_block(context, place)
    if owner is None:
        return _describe_item(context, place, start) if start is not None else ""
    if index.object_type(owner[0]) is not None:
        return f"an object of type {owner[1]} at {owner[0]:#x}"
    table = find_table_owner(context, place, start) if start is not None else None  # an entry
    words = f"the {table[0]} at {table[1]:#x}" if table is not None else f"a {owner[1]}"
    python = context.state.python
    if not isinstance(python, PythonState):
        return words
    reader = MemoryReader(context.target, python.layout)
    key = reader.compact_ascii_string(read_word(context.target, owner[0]) or 0, MAX_KEY)
    plain = key is not None and key.isascii() and key.isprintable() and "@" not in key
    if not key or not plain or is_secret_name(key) or sum(map(str.isdigit, key)) > MAX_DIGITS:
        return words
    return f"{words}, by its key {key!r},"


def find_malloc_chunk(context: Context, address: int) -> tuple[int, int] | None:
    """Return start and size of the block of malloc's main heap that holds an address."""
    chunks = heap_chunks(context)
    place = (address - chunks.start) // WORD
    number = bisect_right(chunks.places, place - HEAD) - 1
    if not chunks.start or number < 0 or place >= len(chunks.words):
        return None
    at = chunks.places[number]
    start, size = chunks.start + WORD * (at + HEAD), (chunks.words[at + 1] & ~FLAGS) - WORD
    return (start, size) if address < start + size else None


def start_of_block(context: Context, address: int) -> int | None:
    """Return the start of the block, of pymalloc or malloc's main heap, that holds an address."""
    bounds = address_index(context).bounds_of_block(address) or find_malloc_chunk(context, address)
    return None if bounds is None else bounds[0]


def _may_be_stack(region: Region) -> bool:
    return "w" in region.perms and not may_execute(region)


def is_in_ended_stack(context: Context, address: int) -> bool:
    """Whether an address lies in the stack of an ended thread: glibc keeps those for new ones."""
    region = context.target.region_at(address)
    if region is None or not _may_be_stack(region):
        return False
    if any(region.start <= thread.sp < region.end for thread in context.target.threads()):
        return False
    return any(region.start <= at < region.end for at in _descriptors_of_ended_threads(context))


def unused_stack_owner(context: Context, address: int) -> str:
    """Return whose stack holds an address at which no function is at work; "" for none.

    That is the stack of an ended thread, or what a living one other than that which failed has
    below its stack pointer. Who stands in a call of the kernel has nothing below its red zone.
    Only of the stack that it was started with, which the kernel names or where its descriptor is:
    coroutines and goroutines have theirs among other memory.
    """
    if is_in_ended_stack(context, address):
        return ENDED
    site, region = context.site, context.target.region_at(address)
    if isinstance(site, Absent) or region is None or not _may_be_stack(region):
        return ""
    inside = [t for t in context.target.threads() if region.start <= t.sp < region.end]
    if len(inside) != 1 or inside[0].tid == site.fault.tid:
        return ""
    if region.path != "[stack]" and not region.start <= inside[0].ident < region.end:
        return ""
    below = inside[0].sp - RED_ZONE - address
    return LEFT_BY_OTHER if 0 < below < MAX_LEFT else ""


@once_per_run
def _descriptors_of_ended_threads(context: Context) -> tuple[int, ...]:
    lists = read_stack_lists(context.target)
    return (
        () if isinstance(lists, Absent) else tuple(d.address for d in lists.descriptors_on("cache"))
    )


def leads_to_start_or_text(context: Context, pointer: int) -> bool:
    """Whether a pointer leads to where things begin: a mapping, or a text constant.

    A flipped bit seldom leads there: of 4,096 places of a page one is its start, and few follow a
    byte of 0 and begin a text.
    """
    region = context.target.region_at(pointer)
    if region is None:
        return False
    if pointer == region.start:
        return True
    memory = try_read(context.target, pointer - 1, 1 + MIN_LETTERS)
    return memory[:1] == b"\0" and all(0x20 <= letter < 0x7F for letter in memory[1:])
