# SPDX-License-Identifier: Apache-2.0
"""Where the wrong word of a fault was read from, and whether that place is the right one.

A word that was read from where it belongs (a field of an object or block that begins where its
pointer says, a variable of the stack, a library's data) was wrong in memory. One that was read
through a pointer at which nothing begins may be anything: there the pointer is in doubt.
"""

from __future__ import annotations

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.address_index import BLOCK, FUNCTION, OBJECT, address_index
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.corruption.heap.readers import is_on_stack
from gdb_epi.corruption.pointers.suspects import FaultWord
from gdb_epi.corruption.replay.preceding_code import find_instruction_that_made
from gdb_epi.corruption.replay.register_origins import (
    RecomputedRegister,
    find_last_load,
    recomputed_registers,
)
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import CALL, RETURN, FaultSite
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.instructions import call_before
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.fault.word_shapes import AS_RETURNED, WordShape
from gdb_epi.sizes import WORD, WORD_MASK
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86.register_changes import COPY, LOAD, value_source

TEXTS = ("str", "bytes")
MAX_PLACES = 16
MAX_COPIES = 8  # from register to register
MAX_NODES = 4096  # of a list
MAX_STEPS = 2  # pointers that were followed before the last one
MALLOC = "malloc"
AND, BY_NUMBER, AND_NUMBER = (0x21, 0x23, 0x25), (0x81, 0x83), 4  # opcodes; of a group
FRAME_REGISTERS = frozenset(("rsp", "rbp"))


class ReadPlace(NamedTuple):
    """The place that a word was read from: `base` + `offset` is `slot`.

    `owned` says whether the word belongs there: False where nothing begins at `base`.
    """

    slot: int
    base: int
    offset: int
    owned: bool


@once_per_run
def find_read_place(context: Context, word: FaultWord) -> ReadPlace | None:
    """Return where the wrong word was read from; None where no code and no place tells."""
    site = context.site
    if isinstance(site, Absent):
        return None
    if word.source == "target":
        return _read_place_of_target(context, site, word.value)
    origin = find_register_origin(context, word.source)
    link = _followed_list_link(context, site, word)
    if link is not None:
        return link
    if origin is None:
        # The place of a load whose address is lost, where only one place can be meant. `mov
        # 16(%rax), %rax` forgets where rax pointed. Of the places that hold the word, only those
        # count that lie 16 bytes after the start of an object or a block.
        load = find_last_load(context, word.source)
        if load is None or word.value < 1 << 32:
            return None
        places = context.places_of_word(word.value, MAX_PLACES)
        if len(places) == MAX_PLACES:
            return None
        offset = load.operand.displacement
        starts = [
            place for place in places if begins_block_or_function_in_use(context, place - offset)
        ]
        if len(starts) != 1:
            return None
        return _read_place_at(context, starts[0], starts[0] - offset)
    if origin.kind != LOAD or origin.slot is None or origin.held != origin.expected:
        return None
    return _read_place_at(context, origin.slot, find_base_addresses(site, origin)[0])


def _read_place_at(context: Context, slot: int, base: int) -> ReadPlace:
    region = context.target.region_at(slot)
    owned = (
        is_pointer_aligned(slot)
        and region is not None
        and (
            region.path is not None
            or is_on_stack(context, slot)
            or is_slot_in_block_from_base(context, base, slot)
        )
    )
    return ReadPlace(slot, base, slot - base, owned)


def is_pointer_aligned(slot: int) -> bool:
    """Tell whether a compiler would place a pointer at this address.

    After a flip of a low bit it usually is not aligned.
    """
    return slot % WORD == 0


def _read_place_of_target(context: Context, site: FaultSite, value: int) -> ReadPlace | None:
    """Return the place of a pointer that was called, or of a return address."""
    if site.kind == RETURN and site.slot is not None:
        return ReadPlace(site.slot, site.slot, 0, True)
    if site.kind != CALL:
        return None
    registers = dict(site.fault.registers)
    if site.operand is not None:
        at = None if "rsp" in site.operand.registers() else site.operand.address(registers)
        if at is None or read_word(context.target, at, dumped_only=False) != value:
            return None
        names = [name for name in site.operand.registers() if name in registers]
        return _read_place_at(context, at, registers[names[0]] if names else at)
    top = read_word(context.target, site.fault.sp)
    call = call_before(context.target, top) if top else None
    if call is None or call.target_register is None:
        return None
    return find_read_place(context, FaultWord(call.target_register, value, 0))


def _followed_list_link(context: Context, site: FaultSite, word: FaultWord) -> ReadPlace | None:
    """Return the link of a list that a loop followed, `mov 16(%rax), %rax`, to the wrong word.

    The list's head is in another register still, and no other one leads there.
    """
    operand, name = site.operand, word.source
    if operand is None or site.instruction is None or site.arrived or operand.base != name:
        return None
    if operand.index_register or value_source(site.instruction, name).kind != LOAD:
        return None
    links = set()
    for head in {site.fault.registers.get(register, 0) for register in GENERAL}:
        node = head
        for _ in range(MAX_NODES if begins_block_or_function_in_use(context, head) else 0):
            following = read_word(context.target, node + operand.displacement)
            if following == word.value:
                links.add((node + operand.displacement, node))
            if following in (None, 0, head, word.value):
                break
            node = following or 0
    return _read_place_at(context, *links.pop()) if len(links) == 1 else None


def find_cleared_place(context: Context, word: FaultWord) -> int | None:
    """Return the place that a word was taken from, which was then set to NULL: by Py_CLEAR()."""
    site, load = context.site, find_last_load(context, word.source)
    if isinstance(site, Absent) or load is None or not load.base_kept:
        return None
    place = load.operand.address(site.fault.registers)
    return place if place is not None and read_word(context.target, place) == 0 else None


def find_register_origin(context: Context, register: str) -> RecomputedRegister | None:
    """Return what a register was last made of, where the code before the fault tells.

    What a function that has returned restores by a pop is right or was not run: its place below
    rsp was written since, or the function left by another way.
    """
    call, site = recomputed_registers(context), context.site
    if isinstance(call, Absent) or isinstance(site, Absent):
        return None
    origin = next((origin for origin in call if origin.register == register), None)
    if origin is not None and origin.held != origin.expected:
        return None if _is_in_left_frame(context, site, origin.slot) else origin
    return origin


def _is_in_left_frame(context: Context, site: FaultSite, slot: int | None) -> bool:
    """Whether a place lies below the stack pointer, in the frame of a function that returned."""
    if slot is None or slot >= site.fault.sp:
        return False
    region = context.target.region_at(slot)
    return region is not None and region.start <= site.fault.sp < region.end


def is_made_by_and(context: Context, register: str) -> bool:
    """Tell whether the code made a register by `and`: the start of a page or a heap of an address.

    glibc finds the heap of a thread so, and allocators the header of a page: nothing names it.
    """
    site = context.site
    if isinstance(site, Absent) or site.arrived:
        return False
    made_by = find_instruction_that_made(context, site, register)
    return (
        made_by is not None
        and made_by.opcode_map == 0
        and (
            made_by.opcode in AND
            or (made_by.opcode in BY_NUMBER and made_by.modrm_reg == AND_NUMBER)
        )
    )


def is_read_from_outside_blocks(context: Context, source: str) -> bool:
    """Tell whether a word was read from where no object and no block is: any value stands there.

    A damaged pointer, length or instruction leads there, as a wrong one of the program does.
    `source` is a register, or "target" of a pointer that was called.
    """
    site = context.site
    if isinstance(site, Absent):
        return False
    if source == "target":
        called = _read_place_of_target(context, site, site.address or 0)
        return called is not None and not called.owned
    return _was_loaded_by_pointer_to_no_block(context, site, source, MAX_STEPS)


def _was_loaded_by_pointer_to_no_block(
    context: Context, site: FaultSite, source: str, steps: int
) -> bool:
    """Tell whether a register was loaded from such a place, or through a register that was."""
    origin = find_register_origin(context, source)
    if origin is None or origin.kind != LOAD or origin.held != origin.expected:
        return False
    if has_known_provenance(context, site, origin) is False:
        return True
    through = (
        name for name in origin.address_registers if name != source and name not in FRAME_REGISTERS
    )
    return steps > 0 and any(
        _was_loaded_by_pointer_to_no_block(context, site, name, steps - 1) for name in through
    )


def differs_from_read_place(context: Context, source: str) -> bool:
    """Tell whether a register holds another value than the place that the code loads it from.

    It was read from elsewhere, or the place was stored to since: the value that is there now, or
    next to other copies, tells nothing about where it came from.
    """
    origin = find_register_origin(context, source)
    return origin is not None and origin.kind == LOAD and origin.held != origin.expected


def addresses_value_was_read_through(context: Context, source: str) -> list[int]:
    """Return the addresses that the value of a register, or what was called, was read through.

    None for a load without an offset through a lost register: that may read any item of an array.
    """
    site = context.site
    if isinstance(site, Absent):
        return []
    if source == "target":
        called = _read_place_of_target(context, site, site.address or 0)
        return [] if called is None else [called.base]
    origin = origin_before_copies(context, find_register_origin(context, source))
    if origin is None or origin.kind != LOAD or not (origin.address_registers or origin.offset):
        return []
    return find_base_addresses(site, origin)


def has_known_provenance(
    context: Context, site: FaultSite, origin: RecomputedRegister | None
) -> bool | None:
    """Tell whether a register's value is what it was made of, by known things; None when not known.

    A computed value is only as trustworthy as its inputs, which are not followed here.
    """
    origin = origin_before_copies(context, origin)
    if origin is None:
        return None
    if origin.held != origin.expected:
        return False
    if origin.kind != LOAD or origin.slot is None:
        return origin.fixed or None
    if origin.size == WORD and not is_pointer_aligned(origin.slot):
        return False
    region = context.target.region_at(origin.slot)
    # By another register than a frame's own it may be any place.
    if is_on_stack(context, origin.slot):
        return True if set(origin.address_registers) <= FRAME_REGISTERS else None
    if region is None or region.path is not None:
        return True
    return any(
        is_slot_in_block_from_base(context, base, origin.slot)
        for base in find_base_addresses(site, origin)
    )


def origin_before_copies(
    context: Context, origin: RecomputedRegister | None
) -> RecomputedRegister | None:
    """Return what made the register that a register was copied from; None when not known."""
    for _ in range(MAX_COPIES):
        if origin is None or origin.kind != COPY or origin.held != origin.expected:
            break
        origin = (
            find_register_origin(context, origin.address_registers[0])
            if origin.address_registers
            else None
        )
    return origin


def find_base_addresses(site: FaultSite, origin: RecomputedRegister) -> list[int]:
    """Return the addresses that a load may have gone through: registers, or its place itself."""
    registers = site.fault.registers
    bases = [registers[name] for name in origin.address_registers if name in registers]
    return bases or [(origin.slot or 0) - origin.offset]


def is_slot_in_block_from_base(context: Context, base: int, slot: int) -> bool:
    """Tell whether an object, or a block of malloc's, begins at `base`, and `slot` lies in it."""
    index = address_index(context)
    pointee = index.pointee_at(base)
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


def begins_block_or_function_in_use(context: Context, address: int) -> bool:
    """Tell whether an object, a block in use or a function begins at an address."""
    pointee = address_index(context).pointee_at(address)
    return pointee is not None and pointee.kind in (OBJECT, BLOCK, FUNCTION)


def describe_wrong_word(context: Context, word: FaultWord, shape: WordShape) -> str:
    """Say what a wrong word looks like: a number that was read from a field was not returned there.

    A str or bytes object has -1 as its hash until that is asked for. A block that is given out
    again and not set still has it.
    """
    read_from = find_read_place(context, word) if shape.name == "negative" else None
    if read_from is None or is_on_stack(context, read_from.slot):
        return shape.why
    number = shape.why.replace(AS_RETURNED, "")
    if word.value == WORD_MASK and address_index(context).is_string_hash_field(read_from.slot):
        number += (
            ", which a str or bytes object has there as long as nobody asked for its hash: this "
            "field of a block that was one may never have been set"
        )
    return number
