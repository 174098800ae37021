# SPDX-License-Identifier: Apache-2.0
"""S: wild values. Where the bad word was read from, and what is there instead of a pointer.

A value that no changed byte makes an address again was not made by a flip of its own. Read from a
place where a pointer belongs it says that this place holds other data. `origin` weighs nothing: it
tells the reader where the word came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import NO_FLIP, REFERS, Evidence, plain_evidence
from gdb_epi.corruption.heap.address_descriptions import (
    ENDED,
    describe_address,
    describe_object_holding,
    unused_stack_owner,
)
from gdb_epi.corruption.heap.address_index import HEADS, address_index
from gdb_epi.corruption.heap.never_mapped import was_never_mapped
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.corruption.heap.readers import find_only_place_off_stack, is_on_stack, read_words
from gdb_epi.corruption.pointers.read_place import (
    TEXTS,
    ReadPlace,
    begins_block_or_function_in_use,
    find_read_place,
    find_register_origin,
    is_slot_in_block_from_base,
)
from gdb_epi.corruption.pointers.small_changes import (
    ONE_BIT,
    begins_large_block,
    block_of_large_text,
    data_symbol_name,
    is_one_bit_from_function,
    is_one_bit_from_large_block,
    is_one_bit_from_start_of_thing,
    is_one_byte_from_use,
    sign_id_or_one_bit_id,
    words_one_byte_off,
)
from gdb_epi.corruption.pointers.software_sign_ids import WILD_VALUE, sign_id_of_value
from gdb_epi.corruption.pointers.suspects import (
    LOW,
    FaultWord,
    find_fault_words,
    find_suspects,
    software_pattern,
)
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.replay.preceding_code import find_instruction_that_made
from gdb_epi.corruption.replay.register_origins import find_addends_of_base
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import DATA, RETURN, TRANSFERS, FaultSite
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.malloc_heap import HEAD_BYTES
from gdb_epi.fault.mapping_checks import NEAR_NULL, may_execute, permits, user_space_end
from gdb_epi.fault.memory_reads import read_up_to, read_word
from gdb_epi.fault.variables_holding_address import has_array_reaching_address
from gdb_epi.fault.word_shapes import NO_INTEGER, shape_note
from gdb_epi.sizes import (
    ADDRESS_BITS,
    HALF_MASK,
    PAGE,
    PAGE_BITS,
    USER_TOP,
    WORD,
    WORD_MASK,
    signed_word,
)
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted
from gdb_epi.x86 import MemoryOperand

FAR = 64 << 10  # bytes from the base that an index leads to before it is called far
NO_OFFSET = 1 << 40  # as large as an address of a library, a heap or a stack: few numbers are
BELOW, ABOVE = 16 << 10, 64 << 10  # bytes around rsp that are searched for the start of a mapping
MAX_STEP = 64  # bytes that a loop has gone on when it reads what it went on from
MAX_KEPT = 8  # places of one word that are looked at
MAX_STRUCT = 512  # bytes of a struct in which the start of a mapping is looked for
MAX_GONE = 256 << 20  # bytes from the start of a mapping that are looked at
NARROW, MIN_HALF = 0xFFFFFFFF, 1 << 20  # of the low half of an address
EXPONENT_SHIFTS = tuple(1 << bit for bit in range(6))
CONVERSIONS = ((1, 0x2C), (1, 0x2D))
# What a high bit of a number changes in what was added to it, or what it was taken from.
FLIPPED_TERMS = tuple(sign << bit for bit in range(33, ADDRESS_BITS) for sign in (1, -1))
SCALES = (1, 2, 4, 8)  # of an index, by the instruction
LEFT = "S:ended-stack"
RETURN_PLACE = 8  # System V ABI, x86-64 3.2.2: return addresses lie at 8 modulo 16
MIN_OBJECTS, OBJECT_SHARE = 4, 0.5  # of the blocks in use of a pool that holds objects


def _access_with_wild_word(context: Context) -> tuple[FaultSite, FaultWord] | None:
    """Return the failed access and its first wrong word; None where that is no wild value."""
    site = context.site
    if isinstance(site, Absent) or site.kind not in (DATA, *TRANSFERS):
        return None
    words = find_fault_words(context)
    if not words or words[0].value < NEAR_NULL:
        return None
    return site, words[0]


@check("origin", needs="crash", order=19)
def origin_of_bad_word(context: Context) -> Iterator[Evidence]:
    """Tell from where the bad word was read, and what lies there.

    Innocent causes: it claims nothing: it says where the word that led to the fault was read.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind not in (DATA, *TRANSFERS):
        return
    for word in find_fault_words(context)[:1]:
        read_from = find_read_place(context, word)
        slot = read_from.slot if read_from is not None else _only_address_holding(context, word)
        if slot is None:
            continue
        past = _item_past_end(context, word)
        place = describe_address(context, slot) if past is None else past.where
        what = "0" if not word.value else f"{word.value:#x}"
        if read_from is None:
            summary = f"{word.source} is {what}, which stands at {slot:#x} too"
        elif word.source == "target":
            how = "a return took" if site.kind == RETURN else "a call took"
            summary = f"{how} {what} from {slot:#x}"
        else:
            summary = f"{word.source} is {what}, read from {slot:#x}"
        summary += f", {place}" if place else ""
        if read_from is not None and read_from.offset == WORD:  # ob_type
            summary += _describe_who_refers_to(context, read_from.base)
        if word.value >= NEAR_NULL and word.distance is not None:
            reach = [(word.value ^ 1 << bit) + word.distance & WORD_MASK for bit in range(64)]
            if not any(permits(context.target.region_at(at), _access_kind(site)) for at in reach):
                summary += f"; {NO_FLIP}"
        yield plain_evidence("origin", slot, summary)


def _describe_who_refers_to(context: Context, address: int) -> str:
    """Tell whose pointer leads to what was taken for an object; "" where that is not known.

    The collector follows the references that objects report: there nothing else tells whose.
    """
    if address_index(context).object_type(address) is not None:
        return ""
    for place in context.places_of_word(address, MAX_KEPT):
        if not is_on_stack(context, place) and (owner := describe_object_holding(context, place)):
            return f"; {owner} {REFERS}"
    return ""


def _only_address_holding(context: Context, word: FaultWord) -> int | None:
    """Return the one place outside of stacks that holds a word whose origin is not known.

    Of several it is not known which the word came from.
    """
    if word.value < LOW or context.target.region_at(word.value) is not None:
        return None
    if context.state.variables_holding_bad_address:
        return None  # a variable of Python code says more
    return find_only_place_off_stack(context, word.value, MAX_KEPT)


@check("S:foreign-value", needs="crash", order=16)
def non_pointer_in_pointer_place(context: Context) -> Iterator[Evidence]:
    """Tell a word that is no address, read from where an address belongs.

    Innocent causes: this is one: the place was overwritten, freed and used again, never set, or is
    of another type. A flipped pointer may lead to a block of other data by chance; damage of
    several bytes of one word looks the same. Not said where one byte of the value, changed, makes
    the access legal, nor of a place that is not known to be the right one.
    """
    wild = _access_with_wild_word(context)
    if wild is None:
        return
    site, word = wild
    read_from = find_read_place(context, word)
    if read_from is None or site.kind == RETURN or word.distance is None:
        return
    if software_pattern(context, word) is not None:
        return  # S:pattern says what it looks like
    shifted = _describe_shifted_pointer(context, read_from, word.value)
    if shifted:
        yield plain_evidence("S:misaligned", word.source, shifted)
        return
    in_text = not read_from.owned and _leads_to_text(context, read_from)
    access = _access_kind(site)
    if not (read_from.owned or in_text) or permits(context.target.region_at(word.value), access):
        return
    if is_one_byte_from_use(context, word.value, word.distance, access):
        return
    place = describe_address(context, read_from.slot)
    summary = (
        f"{_holder_phrase(word)} {word.value:#018x}, more than a byte from any address that can be "
        f"used; it was read from {read_from.slot:#x}" + (f", {place}" if place else "")
    )
    if in_text:
        summary += ": no pointer stands there, but the pointer that led there is one to an object"
    id = (
        sign_id_or_one_bit_id(context, WILD_VALUE, read_from.base) if in_text else "S:foreign-value"
    )
    yield plain_evidence(id, read_from.slot, summary)


def _leads_to_text(context: Context, read_from: ReadPlace) -> bool:
    """Whether a pointer leads to where an object begins or began, and a str or bytes lies there.

    What was freed may have had a head before it, which a str has not.
    """
    index = address_index(context)
    within = index.offset_in_pool_block(read_from.base)
    return within in HEADS and index.object_type(read_from.base - within) in TEXTS


def _holder_phrase(word: FaultWord) -> str:
    return "the pointer that was called is" if word.source == "target" else f"{word.source} holds"


def _access_kind(site: FaultSite) -> str | None:
    return "x" if site.kind in TRANSFERS else site.access


def _describe_shifted_pointer(context: Context, place: ReadPlace, value: int) -> str:
    """Tell a pointer that stands a few bytes beside the place that was read: "" for none.

    Not where the place itself is at an odd address: a flipped low bit leads there.
    """
    if place.slot % WORD or place.base % WORD or context.target.region_at(value) is not None:
        return ""
    if address_index(context).in_damaged_pool(place.slot):
        return ""  # its list of free blocks went astray: no layout is in question
    around = read_up_to(context.target, place.slot - WORD + 1, 3 * WORD - 2)
    for shift in (4, -4, 2, -2, 6, -6, 1, -1, 3, -3, 5, -5, 7, -7):
        at = WORD - 1 + shift
        pointer = int.from_bytes(around[at : at + WORD], "little")
        if len(around) < at + WORD or pointer < LOW:
            continue
        if permits(context.target.region_at(pointer), "r"):
            side = "after" if shift > 0 else "before"
            return (
                f"it was read from {place.slot:#x}; a good pointer ({pointer:#x}) stands "
                f"{abs(shift)} bytes {side} that place: the code expects another layout of the data"
            )
    return ""


@check("S:data-called", needs="crash", order=16)
def call_of_data(context: Context) -> Iterator[Evidence]:
    """Tell a call of memory that holds data.

    Innocent causes: this is one: the address of a variable or of an object was called as a
    function, because an argument was left out or is of another type, or other data lies where a
    pointer to code should. A damaged pointer to a struct leads to such data too. Not said where one
    bit of the address, changed, leads to a function, unless a variable of a library begins there;
    nor of a return.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind not in TRANSFERS or site.kind == RETURN:
        return
    address = site.address or 0
    region = context.target.region_at(address)
    if address < NEAR_NULL or not permits(region, "r") or may_execute(region):
        return
    symbol = data_symbol_name(context, address)
    if symbol:
        why = f"it is {symbol}, a variable"
    elif is_one_bit_from_function(context, address):
        return
    else:
        on_stack = is_on_stack(context, address)
        place = "on the stack" if on_stack else describe_address(context, address)
        why = f"data lies there{f' ({place})' if place else ''}, and no bit of the address, changed"
        why += ", leads to a function"
    summary = f"{address:#x} was called as a function: {why}"
    yield plain_evidence("S:data-called", "target", summary)


@check("S:far-index", needs="crash", order=16)
def far_index(context: Context) -> Iterator[Evidence]:
    """Tell an index that leads far away from memory that is there.

    Innocent causes: this is one: an index or offset that was not checked, or went below zero. Not
    said where one byte of the index or one bit of the base, changed, makes the access legal, or one
    bit of the floating-point number that the index was made of; nor of a number as large as all
    memory, which is text or garbage and no index, nor of the address of memory that is there. A
    damaged length or number elsewhere leaves it too.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind != DATA or site.operand is None:
        return
    operand, registers, access = site.operand, site.fault.registers, _access_kind(site)
    if site.address is None or operand.segment is not None or operand.base is None:
        return
    if permits(context.target.region_at(site.address), access):
        return
    for base, index, scale, base_name, index_name in _start_and_index(context, operand, registers):
        reach = signed_word(index * scale)
        start = site.address - reach & WORD_MASK  # the base, and what else the access adds
        if not permits(context.target.region_at(base), access) or abs(reach) < FAR:
            continue
        if abs(signed_word(index)) >= USER_TOP:
            continue
        if index >= NO_OFFSET and context.target.region_at(index) is not None:
            continue  # a pointer stands where a number belongs: which of the two is wrong?
        others = [start + other * scale for other in words_one_byte_off(index)]
        others += [start + (index + step) * scale & WORD_MASK for step in FLIPPED_TERMS]
        if index_name and _was_converted_from_float(context, site, index_name):
            others += [start + (signed_word(index) >> shift) * scale for shift in EXPONENT_SHIFTS]
        end = (
            address_index(context).end_of_block(base)
            if _begins_used_or_large_block(context, base)
            else None
        )
        if end is not None:  # the start is right, and other blocks were not meant
            is_explained = any(base <= at < end for at in others)
        else:
            others += [(start ^ 1 << bit) + reach for bit in range(48)]
            is_explained = any(
                permits(context.target.region_at(at & WORD_MASK), access) for at in others
            )
        side = "after" if reach > 0 else "before"
        narrow = f" ({index - (1 << 32)} in 32 bits)" if 1 << 31 <= index < 1 << 32 else ""
        times = next((n for n in (1, 2, 4, 8) if reach == NO_INTEGER * n), None)
        if index == HALF_MASK << 32:
            narrow = " (its upper half is all ones, its lower half 0)"
        elif times is not None:
            narrow = f" ({NO_INTEGER} x {times}, which NaN or too large a number becomes as an int)"
        summary = (
            f"the index{index_name and f' in {index_name}'} is {signed_word(index)}{narrow}: it "
            f"leads {abs(reach)} bytes {side} the start, {base:#x}"
            f"{base_name and f' in {base_name}'}"
        )
        walked = is_explained and _is_mapped_between(context.target, start, site.address)
        if walked:
            summary += "; all memory between the two is there, as where a loop goes on for too long"
        elif is_explained:  # says where the address came from, and weighs nothing
            summary += "; a changed byte or bit alone explains this"
        yield plain_evidence(
            "origin" if is_explained else "S:far-index", index_name or operand.base, summary
        )
        return


def _is_mapped_between(target: Target, start: int, end: int) -> bool:
    """Tell whether mappings without a gap lead from one address to the page that holds another."""
    at = start
    while at < end & -PAGE:
        region = target.region_at(at)
        if region is None or not permits(region, "r"):
            return False
        at = region.end
    return start < end


def _was_converted_from_float(context: Context, site: FaultSite, register: str) -> bool:
    """Whether a register was made of a floating-point number: cvttsd2si, cvtsd2si (0F 2C, 2D).

    One bit of such a number's exponent makes it 2, 4, 16, 256, 2^16 or 2^32 times as large.
    """
    made_by = find_instruction_that_made(context, site, register)
    return made_by is not None and (made_by.opcode_map, made_by.opcode) in CONVERSIONS


class _IndexedAddress(NamedTuple):
    """A start and an index that give an address, and their registers; "" where these are gone."""

    start: int
    number: int
    scale: int
    base_name: str = ""
    index_name: str = ""


def _start_and_index(
    context: Context, operand: MemoryOperand, registers: Mapping[str, int]
) -> Iterator[_IndexedAddress]:
    """Yield what may be start and index of an access: in registers, then as code had read them."""
    for base, index, scale in _registers_of_start_and_index(context, operand, registers):
        yield _IndexedAddress(registers.get(base, 0), registers.get(index, 0), scale, base, index)
    terms = find_addends_of_base(context)
    if terms is not None:
        base_value, index_value, scale = terms
        yield _IndexedAddress(base_value, index_value, scale)
        if scale == 1:  # the assembler may have put the pointer in either place
            yield _IndexedAddress(index_value, base_value, scale)


def _registers_of_start_and_index(
    context: Context, operand: MemoryOperand, registers: Mapping[str, int]
) -> Iterator[tuple[str, str, int]]:
    """Yield the registers that may be start and index of an access, and the index's scale.

    Where the address stands in one register, the two of which it is made: code works it out before
    a loop. Of these the start is one where a block or an object begins.
    """
    first, second = operand.base or "", operand.index_register
    if second is not None:
        yield first, second, operand.scale
        if operand.scale == 1:  # the assembler may have put the pointer in either place
            yield second, first, 1
        if registers.get(second):
            return
    named = {registers[name]: name for name in reversed(GENERAL) if registers.get(name)}
    for base, name in named.items():
        reach = signed_word(registers.get(first, 0) - base & WORD_MASK)
        for scale in (scale for scale in SCALES if not reach % scale):
            index = named.get(reach // scale & WORD_MASK)
            if (
                index is not None
                and first not in (name, index)
                and _begins_used_or_large_block(context, base)
            ):
                yield name, index, scale


def _begins_used_or_large_block(context: Context, address: int) -> bool:
    return begins_block_or_function_in_use(context, address) or begins_large_block(context, address)


@check("S:index-past-end", needs="crash", order=16)
def index_past_end(context: Context) -> Iterator[Evidence]:
    """Tell a wrong word that was read behind the end of the block that its index belongs to.

    Innocent causes: this is one: an index that was not checked, or a length that belongs to
    something else. A damaged length or number elsewhere leaves it too; where one flipped bit of the
    index leads into the block again, S:far-index:one-bit is said.
    """
    for word in find_fault_words(context)[:1]:
        item = _item_past_end(context, word)
        if item is not None:
            summary = f"the wrong word was read from {item.slot:#x}, {item.where}"
            id = "S:far-index" + (ONE_BIT if item.one_bit else "")
            yield plain_evidence(id, item.slot, summary)


class _ItemPastBlockEnd(NamedTuple):
    """A place after a block, in words; whether a flipped bit of the index explains it."""

    slot: int
    where: str
    one_bit: bool


def _item_past_end(context: Context, word: FaultWord) -> _ItemPastBlockEnd | None:
    """Return the item after the end of a block that a word was read from; None for no such."""
    site, load = context.site, find_register_origin(context, word.source)
    if isinstance(site, Absent) or load is None or load.slot is None or load.held != load.expected:
        return None
    for base_name in load.address_registers:
        for index_name in load.address_registers:
            base, index = (site.fault.registers.get(name, 0) for name in (base_name, index_name))
            end = address_index(context).end_of_block(base)
            if base == index or not index or end is None or load.slot < end:
                continue
            scale, rest = divmod(load.slot - base - load.offset, index)
            if rest or scale not in SCALES or not _begins_used_or_large_block(context, base):
                continue
            flips = (base + load.offset + scale * (index ^ 1 << bit) for bit in range(ADDRESS_BITS))
            what = describe_address(context, base).removeprefix("0 bytes into ")
            behind = counted(load.slot - end, "byte")
            where = f"{behind} behind the end of {what}: the index in {index_name} is {index}"
            return _ItemPastBlockEnd(load.slot, where, any(base <= at < end for at in flips))
    return None


@check("S:gone", needs="crash", order=16)
def pointer_into_unmapped_block(context: Context) -> Iterator[Evidence]:
    """Tell a pointer into a mapping that was there and was given back.

    malloc takes blocks from 128 KiB on from mmap() and gives them 16 bytes behind the start of
    their pages (malloc/malloc.c: sysmalloc_mmap, munmap_chunk).

    Innocent causes: this is one: memory that was given back, by munmap() or by free(), which unmaps
    large blocks. A flipped pointer may lead into the same gap; that a start of a mapping that is
    gone is still at hand is then chance.
    """
    wild = _access_with_wild_word(context)
    if wild is None or wild[0].kind != DATA:
        return
    site, word = wild
    value = word.value
    if (
        not LOW <= value < user_space_end(context.target)
        or context.target.region_at(value) is not None
        or was_never_mapped(context, value)
        or has_array_reaching_address(
            context.target, site.address or 0, context.state.variables_holding_bad_address
        )
    ):
        return
    stepped = _block_start_that_loop_left(context, site, value)
    block = value if stepped is None else stepped
    text = block_of_large_text(context, block)
    began = block - GC_HEAD * (block % PAGE == HEAD_BYTES + GC_HEAD)  # of a large tuple
    of_malloc = began % PAGE == HEAD_BYTES or _does_library_name_aligned_block(context, word, block)
    if of_malloc or text is not None:
        # A pointer to such a block stays one with a flipped bit; other things seldom begin there.
        if is_one_bit_from_large_block(context, began if of_malloc or text is None else text):
            return
        id = sign_id_or_one_bit_id(context, "S:unmapped", block)
        what = "malloc puts large blocks" if of_malloc else "the characters of a large str stand"
        summary = (
            f"{block:#x}, {block % PAGE} bytes after the start of a page without memory: where "
            f"{what}, which free() unmaps"
        )
        if stepped is None:
            id, summary = sign_id_of_value(context, word, id), f"{word.source} holds {summary}"
        else:
            on = f"{word.source} is {counted(value - stepped, 'byte')} on"
            summary = f"the access is at {summary}; a word of memory names that place, and {on}"
        yield plain_evidence(id, word.source, summary)
        return
    start = _nearest_start_of_gone_mapping(context, word)
    if start is not None and not is_one_bit_from_start_of_thing(context, start):
        what = "a large block of malloc's" if start % PAGE else "the start of a mapping"
        summary = (
            f"{word.source} holds {value:#x}, {value - start} bytes after {start:#x}, "
            f"which looks like {what} that was given back: a register, a variable, the stack or "
            "the same struct still holds it, and nothing is mapped there"
        )
        id = sign_id_or_one_bit_id(context, "S:gone", value)
        yield plain_evidence(id, word.source, summary)


def _does_library_name_aligned_block(context: Context, word: FaultWord, block: int) -> bool:
    """Whether a variable of a library names a place where aligned_alloc() puts large blocks.

    An alignment of 2^n up to half a page leaves 2^n bytes to the start of the first page. Elsewhere
    1 of 32 words looks so. That no flip leads there from memory without a file is tested.
    """
    offset = block % PAGE
    if offset < HEAD_BYTES or offset & offset - 1:
        return False
    slots = [
        slot for slot in context.places_of_word(word.value, 2) if not is_on_stack(context, slot)
    ]
    here = context.target.region_at(slots[0]) if len(slots) == 1 else None
    if here is None or not here.is_file_mapped or "w" not in here.perms:
        return False
    near = (context.target.region_at(block ^ 1 << bit) for bit in range(PAGE_BITS, ADDRESS_BITS))
    return all(region is None or region.is_file_mapped for region in near)


def _block_start_that_loop_left(context: Context, site: FaultSite, value: int) -> int | None:
    """Return the start of a large block that a loop stepped on from before its first access.

    Some word has to name it still: of all addresses that a loop runs to, one of 256 looks like one.
    """
    address = site.address
    if address is None or address % PAGE != HEAD_BYTES or not 0 < value - address <= MAX_STEP:
        return None
    return address if context.places_of_word(address, 1) else None


def _nearest_start_of_gone_mapping(context: Context, word: FaultWord) -> int | None:
    """Return the nearest start of a mapping below a value in the same gap of the map.

    At hand are the registers, the stack around rsp, that of functions that have returned too, the
    variables of Python code that led to the address, and the words of the object or block that the
    value was read from: a struct with a cursor has the start of what that runs over beside it.
    """
    fault, target, value = context.fault, context.target, word.value
    if isinstance(fault, Absent):
        return None
    bottom = max((r.end for r in target.regions() if r.end <= value), default=0)
    words = [fault.registers.get(name, 0) for name in GENERAL]
    account = context.state.fault_account
    if not isinstance(account, Absent) and account.address:
        words += [
            account.address - named.offset for named in context.state.variables_holding_bad_address
        ]
    region = target.region_at(fault.sp)
    if region is not None:
        low = max(region.start, fault.sp - BELOW) & ~7
        high = min(region.start + region.dumped, fault.sp + ABOVE)
        words += read_words(context, low, max(0, high - low) // WORD)
    read_from = find_read_place(context, word)
    if read_from is not None and is_slot_in_block_from_base(
        context, read_from.base, read_from.slot
    ):
        end = address_index(context).end_of_block(read_from.base) or 0
        size = min(max(0, end - read_from.base), MAX_STRUCT)
        words += read_words(context, read_from.base, size // WORD)
    bottom = max(bottom, value - MAX_GONE)
    starts = [w for w in words if bottom <= w < value and w % PAGE in (0, HEAD_BYTES)]
    # A start with a small low half is not an address: an int of 32 bits was written over that half.
    return max((start for start in starts if start & NARROW >= MIN_HALF), default=None)


@check(LEFT, needs="crash", order=16)
def word_from_ended_stack(context: Context) -> Iterator[Evidence]:
    """Tell a word that was read from a frame that is no more, of an ended or another thread.

    Innocent causes: this is one: a pointer to a local variable that outlived its function. Stacks
    count that glibc keeps of threads that have ended; of other living threads what lies below their
    stack pointers, where one flipped bit of a pointer to a frame in use may lead.
    """
    wild = _access_with_wild_word(context)
    if wild is None:
        return
    read_from = find_read_place(context, wild[1])
    places = [] if read_from is None else [("from", read_from.slot)]
    for suspect in find_suspects(context):
        kept_at = suspect.slots[0] if suspect.loaded else 0
        places += [("through", place) for place in (suspect.value, kept_at) if suspect.depth]
    for how, place in places:
        if whose := unused_stack_owner(context, place):
            id = sign_id_or_one_bit_id(context, LEFT, place) if whose == ENDED else LEFT + ONE_BIT
            held = f"{_holder_phrase(wild[1])} {wild[1].value:#x}"
            summary = f"{held}; that was read {how} {place:#x}, {whose}"
            yield plain_evidence(id, place, summary)
            return


@check("S:return-address", needs="crash", order=16)
def replaced_return_address(context: Context) -> Iterator[Evidence]:
    """Tell a return address that was replaced by something that is no address.

    Innocent causes: this is one: a write behind an array on the stack, or into a frame of a
    function that has returned. Not said where one byte of the word, changed, leads to code; nor
    where it stood at a place that the ABI has for no return address. A wrong stack pointer leads to
    such a word in one of two cases.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind != RETURN or site.slot is None:
        return
    value = read_word(context.target, site.slot)
    if value is None or value < NEAR_NULL or site.slot % 16 != RETURN_PLACE:
        return
    if context.target.region_at(value) is not None or is_one_byte_from_use(context, value, 0, "x"):
        return
    if software_pattern(context, FaultWord("target", value, 0)) is not None:
        return
    summary = (
        f"the return address at {site.slot:#x} was replaced: {value:#018x} is more than a byte "
        "from any address of code"
    )
    yield plain_evidence("S:return-address", site.slot, summary)


@check("S:overwritten-object", needs="crash", order=16)
def overwritten_object(context: Context) -> Iterator[Evidence]:
    """Tell an object whose block holds no object any more, among blocks that do.

    Innocent causes: this is one: a write behind a buffer's end, or into a block that was freed and
    given out again. Said only where the other blocks of the pool hold objects, and the type that
    was read is more than a byte from any address.
    """
    wild = _access_with_wild_word(context)
    if wild is None or wild[0].kind != DATA:
        return
    value, distance, access = wild[1].value, wild[1].distance, wild[0].access
    if distance is None or is_one_byte_from_use(context, value, distance, access):
        return
    index = address_index(context)
    read_from = find_read_place(context, wild[1])
    if read_from is None or read_from.offset != WORD:  # ob_type
        return
    address = read_from.base
    head = index.offset_in_pool_block(address)
    if (
        head not in HEADS
        or index.in_free_block(address)
        or _has_object_in_block(context, address - head)
    ):
        return
    blocks = index.used_pool_blocks(address)
    held = [block for block in blocks if _has_object_in_block(context, block)]
    if len(held) < MIN_OBJECTS or len(held) < OBJECT_SHARE * len(blocks):
        return
    summary = (
        f"what was an object at {address:#x} is one no longer: in the place of its type stands "
        f"{value:#x}{shape_note(value)}; {len(held)} other blocks of its pool hold "
        f"objects, {len(blocks) - len(held)} hold none"
    )
    yield plain_evidence("S:overwritten-object", address, summary)


def _has_object_in_block(context: Context, block: int) -> bool:
    index = address_index(context)
    return any(index.object_type(block + head) is not None for head in HEADS[:3])
