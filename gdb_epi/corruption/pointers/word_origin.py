# SPDX-License-Identifier: Apache-2.0
"""Where the wrong word of a fault was read from, and whether that place is the right one.

A word that was read from where it belongs (a field of an object or block that begins where its
pointer says, a variable of the stack, a library's data) was wrong in memory. One that was read
through a pointer at which nothing begins may be anything: there the pointer is in doubt.
"""

from __future__ import annotations

from bisect import bisect_right

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.address_index import BLOCK, FUNCTION, HEADS, OBJECT, address_index
from gdb_epi.corruption.heap.malloc_chunks import HEAD, heap_chunks, is_in_free_chunk
from gdb_epi.corruption.heap.memory_readers import is_on_stack
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.corruption.pointers.suspect_words import FaultWord
from gdb_epi.corruption.replay.preceding_code import path_before
from gdb_epi.corruption.replay.register_origins import RecomputedRegister, recomputed_registers
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import CALL, RETURN, FaultSite
from gdb_epi.fault.instructions import call_before
from gdb_epi.fault.malloc_heap import FLAGS, PREV_INUSE
from gdb_epi.fault.mapping_checks import may_execute
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.fault.word_shapes import AS_RETURNED, WordShape
from gdb_epi.locks.glibc_threads import stack_lists
from gdb_epi.sizes import WORD, WORD_MASK
from gdb_epi.target.api import Region
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MemoryOperand
from gdb_epi.x86.register_changes import COPY, LOAD, changed_registers, value_source

TEXTS = ("str", "bytes")
MAX_PLACES = 16
MAX_COPIES = 8  # from register to register
MAX_STEPS = 2  # pointers that were followed before the last one
MALLOC = "malloc"
FRAME_REGISTERS = frozenset(("rsp", "rbp"))


class WordOrigin(NamedTuple):
    """The place that a word was read from: `base` + `offset` is `slot`.

    `owned` says whether the word belongs there: False where nothing begins at `base`.
    """

    slot: int
    base: int
    offset: int
    owned: bool


@once_per_run
def origin_of(context: Context, word: FaultWord) -> WordOrigin | None:
    """Return where the wrong word was read from; None where no code and no place tells."""
    site = context.site
    if isinstance(site, Absent):
        return None
    if word.source == "target":
        return _origin_of_target(context, site, word.value)
    remade = origin_of_register(context, word.source)
    if remade is None:
        return _by_its_only_place(context, site, word)
    if remade.kind != LOAD or remade.slot is None or remade.held != remade.expected:
        return None
    return _from(context, remade.slot, bases_of(site, remade)[0])


def _from(context: Context, slot: int, base: int) -> WordOrigin:
    region = context.target.region_at(slot)
    owned = (
        is_pointer_aligned(slot)
        and region is not None
        and (
            region.path is not None
            or is_on_stack(context, slot)
            or is_inside_block(context, base, slot)
        )
    )
    return WordOrigin(slot, base, slot - base, owned)


def is_pointer_aligned(slot: int) -> bool:
    """Tell whether a compiler puts pointers there: one flipped low bit leads to places of none."""
    return slot % WORD == 0


def _origin_of_target(context: Context, site: FaultSite, value: int) -> WordOrigin | None:
    """Return the place of a pointer that was called, or of a return address."""
    if site.kind == RETURN and site.slot is not None:
        return WordOrigin(site.slot, site.slot, 0, True)
    if site.kind != CALL:
        return None
    registers = dict(site.fault.registers)
    if site.operand is not None:
        at = None if "rsp" in site.operand.registers() else site.operand.address(registers)
        if at is None or read_word(context.target, at, dumped_only=False) != value:
            return None
        names = [name for name in site.operand.registers() if name in registers]
        return _from(context, at, registers[names[0]] if names else at)
    top = read_word(context.target, site.fault.sp)
    call = call_before(context.target, top) if top else None
    if call is None or call.target_register is None:
        return None
    return origin_of(context, FaultWord(call.target_register, value, 0))


def _by_its_only_place(context: Context, site: FaultSite, word: FaultWord) -> WordOrigin | None:
    """Return the place of a load whose address is lost, where only one place can be meant.

    `mov 16(%rax), %rax` forgets where rax pointed. Of the places that hold the word, only those
    count that lie 16 bytes after the start of an object or a block.
    """
    load = _last_load(context, site, word.source)
    if load is None or word.value < 1 << 32:
        return None
    places = context.places_of(word.value, MAX_PLACES)
    if len(places) == MAX_PLACES:
        return None
    offset = load.displacement
    starts = [place for place in places if begins_in_use(context, place - offset)]
    if len(starts) != 1:
        return None
    return _from(context, starts[0], starts[0] - offset)


def _last_load(context: Context, site: FaultSite, register: str) -> MemoryOperand | None:
    """Return the operand of the load that made a register last, of one base and nothing else."""
    if site.arrived or site.instruction is None:
        return None
    path = path_before(context, site.fault.pc, dict(site.fault.registers))
    for step in reversed(path.steps if path is not None else ()):
        how = value_source(step.instruction, register)
        if how.kind == LOAD and isinstance(how.source, MemoryOperand) and how.size == WORD:
            alone = how.source.index_register is None and how.source.segment is None
            return how.source if alone and how.source.base not in (None, "rsp", "rip") else None
        changed = changed_registers(step.instruction)
        if changed is None or register in changed:
            return None
    return None


def origin_of_register(context: Context, register: str) -> RecomputedRegister | None:
    """Return what a register was last made of, where the code before the fault tells.

    What a function that has returned restores by a pop is right or was not run: its place below
    rsp was written since, or the function left by another way.
    """
    call, site = recomputed_registers(context), context.site
    if isinstance(call, Absent) or isinstance(site, Absent):
        return None
    remade = next((remade for remade in call if remade.register == register), None)
    if remade is not None and remade.held != remade.expected:
        return None if _is_left(context, site, remade.slot) else remade
    return remade


def _is_left(context: Context, site: FaultSite, slot: int | None) -> bool:
    """Whether a place lies below the stack pointer, in the frame of a function that returned."""
    if slot is None or slot >= site.fault.sp:
        return False
    region = context.target.region_at(slot)
    return region is not None and region.start <= site.fault.sp < region.end


def is_wild(context: Context, source: str) -> bool:
    """Tell whether a word was read from where no object and no block is: any value stands there.

    A damaged pointer, length or instruction leads there, as a wrong one of the program does.
    `source` is a register, or "target" of a pointer that was called.
    """
    site = context.site
    if isinstance(site, Absent):
        return False
    if source == "target":
        called = _origin_of_target(context, site, site.address or 0)
        return called is not None and not called.owned
    return _was_led_astray(context, site, source, MAX_STEPS)


def _was_led_astray(context: Context, site: FaultSite, source: str, steps: int) -> bool:
    """Tell whether a register was loaded from such a place, or through a register that was."""
    origin = origin_of_register(context, source)
    if origin is None or origin.kind != LOAD or origin.held != origin.expected:
        return False
    if has_known_provenance(context, site, origin) is False:
        return True
    through = (
        name for name in origin.address_registers if name != source and name not in FRAME_REGISTERS
    )
    return steps > 0 and any(_was_led_astray(context, site, name, steps - 1) for name in through)


def is_not_as_read(context: Context, source: str) -> bool:
    """Tell whether a register holds another value than the place that the code loads it from.

    It was read from elsewhere, or the place was stored to since: the value that is there now, or
    next to other copies, tells nothing about where it came from.
    """
    origin = origin_of_register(context, source)
    return origin is not None and origin.kind == LOAD and origin.held != origin.expected


def load_bases_of(context: Context, source: str) -> list[int]:
    """Return the addresses that the value of a register, or what was called, was read through.

    Of a load without an offset, by a register that is lost, none: it may be any item of an array.
    """
    site = context.site
    if isinstance(site, Absent):
        return []
    if source == "target":
        called = _origin_of_target(context, site, site.address or 0)
        return [] if called is None else [called.base]
    origin = _copied(context, origin_of_register(context, source))
    if origin is None or origin.kind != LOAD or not (origin.address_registers or origin.offset):
        return []
    return bases_of(site, origin)


def has_known_provenance(
    context: Context, site: FaultSite, origin: RecomputedRegister | None
) -> bool | None:
    """Tell whether a register's value is what it was made of, by known things; None when not known.

    What was computed is as good as what it was computed from, and that is not followed here.
    """
    origin = _copied(context, origin)
    if origin is None:
        return None
    if origin.held != origin.expected:
        return False
    if origin.kind != LOAD or origin.slot is None:
        return origin.fixed or None
    if origin.size == WORD and not is_pointer_aligned(origin.slot):
        return False
    region = context.target.region_at(origin.slot)
    if is_on_stack(
        context, origin.slot
    ):  # by another register than a frame's own it may be any place
        return True if set(origin.address_registers) <= FRAME_REGISTERS else None
    if region is None or region.path is not None:
        return True
    return any(is_inside_block(context, base, origin.slot) for base in bases_of(site, origin))


def _copied(context: Context, origin: RecomputedRegister | None) -> RecomputedRegister | None:
    """Return what made the register that a register was copied from; None when not known."""
    for _ in range(MAX_COPIES):
        if origin is None or origin.kind != COPY or origin.held != origin.expected:
            break
        origin = (
            origin_of_register(context, origin.address_registers[0])
            if origin.address_registers
            else None
        )
    return origin


def bases_of(site: FaultSite, origin: RecomputedRegister) -> list[int]:
    """Return the addresses that a load may have gone through: registers, or its place itself."""
    registers = site.fault.registers
    bases = [registers[name] for name in origin.address_registers if name in registers]
    return bases or [(origin.slot or 0) - origin.offset]


def is_inside_block(context: Context, base: int, slot: int) -> bool:
    """Tell whether an object, or a block of malloc's, begins at `base`, and `slot` lies in it."""
    index = address_index(context)
    pointee = index.at(base)
    # Blocks of pymalloc lie so close that each fourth wrong pointer leads to one.
    if pointee is not None and pointee.name in TEXTS:
        return False  # no pointer stands in a text
    if pointee is None or not (pointee.kind in (OBJECT, FUNCTION) or pointee.name == MALLOC):
        return False
    end_of_items = index.end_of_items(base)
    block = index.end_of_block(base) or index.end_of_block(base - GC_HEAD)
    if end_of_items is not None and block is not None and end_of_items > block:
        return False  # its count is wrong, so where it ends is not known
    end = end_of_items or block
    return end is None or base <= slot < end


def begins_in_use(context: Context, address: int) -> bool:
    """Tell whether an object, a block in use or a function begins at an address."""
    pointee = address_index(context).at(address)
    return pointee is not None and pointee.kind in (OBJECT, BLOCK, FUNCTION)


def begins_free_chunk(context: Context, address: int) -> bool:
    """Tell whether a free block of malloc's main heap begins at an address."""
    region = context.target.region_at(address)
    if address % (2 * WORD) or region is None or region.path is not None:
        return False
    if "w" not in region.perms or is_on_stack(context, address):
        return False
    chunk = chunk_at(context, address)
    return chunk is not None and chunk[0] == address and _is_free(context, chunk)


def _is_free(context: Context, chunk: tuple[int, int]) -> bool:
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


def shape_phrase(context: Context, word: FaultWord, shape: WordShape) -> str:
    """Say what a wrong word looks like: a number that was read from a field was not returned there.

    A str or bytes object has -1 as its hash until that is asked for. A block that is given out
    again and not set still has it.
    """
    read_from = origin_of(context, word) if shape.name == "negative" else None
    if read_from is None or is_on_stack(context, read_from.slot):
        return shape.why
    number = shape.why.replace(AS_RETURNED, "")
    if word.value == WORD_MASK and address_index(context).has_place_of_hash(read_from.slot):
        number += (
            ", which a str or bytes object has there as long as nobody asked for its hash: this "
            "field of a block that was one may never have been set"
        )
    return number


# -- what lies at a place ------------------------------------------------------------------------


def place_phrase(context: Context, address: int) -> str:
    """Say what lies at an address of the process: "16 bytes into a list in use"; "" for nothing."""
    region = context.target.region_at(address)
    if region is None:
        return ""
    if _may_be_stack(region):
        for thread in context.target.threads():
            if region.start <= thread.sp < region.end:
                return f"in the stack of thread {thread.tid}"
    if is_in_ended_stack(context, address):
        return "in the stack of a thread that has ended"
    if region.path is not None and not region.path.startswith("["):
        return f"in {region.path.rpartition('/')[2]}"
    index = address_index(context)
    within = index.place_in_block(address)
    if within is not None:
        return _in_pool(context, address, address - within)
    chunk = chunk_at(context, address)
    if chunk is not None:
        start, size = chunk
        if _is_free(context, chunk):
            return f"{address - start} bytes into {size} free bytes of malloc's"
        return f"{address - start} bytes into a block of malloc's with {size} bytes"
    return "in memory of no file"


def _in_pool(context: Context, address: int, start: int) -> str:
    index = address_index(context)
    if index.in_free_block(address):
        return f"{address - start} bytes into a free block of pymalloc's"
    for head in HEADS:
        name = index.object_type(start + head)
        if name is not None and address >= start + head:
            return f"{address - start - head} bytes into an object of type {name}"
    return f"{address - start} bytes into a block of pymalloc's that holds no object"


def chunk_at(context: Context, address: int) -> tuple[int, int] | None:
    """Return start and size of the block of malloc's main heap that holds an address."""
    chunks = heap_chunks(context)
    place = (address - chunks.start) // WORD
    number = bisect_right(chunks.places, place - HEAD) - 1
    if not chunks.start or number < 0 or place >= len(chunks.words):
        return None
    at = chunks.places[number]
    start, size = chunks.start + WORD * (at + HEAD), (chunks.words[at + 1] & ~FLAGS) - WORD
    return (start, size) if address < start + size else None


def _may_be_stack(region: Region) -> bool:
    return "w" in region.perms and not may_execute(region)


def is_in_ended_stack(context: Context, address: int) -> bool:
    """Whether an address lies in the stack of an ended thread: glibc keeps those for new ones."""
    region = context.target.region_at(address)
    if region is None or not _may_be_stack(region):
        return False
    if any(region.start <= thread.sp < region.end for thread in context.target.threads()):
        return False
    return any(region.start <= at < region.end for at in _ended_threads(context))


@once_per_run
def _ended_threads(context: Context) -> tuple[int, ...]:
    lists = stack_lists(context.target)
    return () if isinstance(lists, Absent) else tuple(d.address for d in lists.on("cache"))
