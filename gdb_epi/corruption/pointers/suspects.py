# SPDX-License-Identifier: Apache-2.0
"""The words that may have been damaged: those of the failed access, and what they came from.

A pointer with a low bit flipped is still mapped: the program reads from another place through it
and dies of the value it found there. So the pointer that the failed one was loaded through is
suspected too, one instruction further back. `software_pattern` tells words that software makes by
itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.address_index import address_index
from gdb_epi.corruption.heap.cpython_fields import is_in_data_stack
from gdb_epi.corruption.heap.readers import is_on_stack
from gdb_epi.corruption.pointers.small_changes import is_one_bit_from_start_of_thing
from gdb_epi.corruption.pointers.values_over_pointers import find_value_over_pointer
from gdb_epi.corruption.replay.register_origins import (
    RecomputedRegister,
    find_last_load,
    recomputed_registers,
)
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import DATA, NO_FAULT, RETURN, TRANSFERS, FaultSite
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.mapping_checks import (
    NEAR_NULL,
    is_canonical,
    nearest_mapping,
    permits,
    user_space_end,
)
from gdb_epi.fault.memory_reads import NULL_PAGE, read_up_to, read_word
from gdb_epi.fault.signals import SI_KERNEL
from gdb_epi.fault.word_shapes import SMALL, WordShape, shape_of
from gdb_epi.sizes import ADDRESS_BITS, HALF_MASK, USER_TOP, WORD, WORD_MASK, signed_word
from gdb_epi.target.api import Target
from gdb_epi.target.memory_search import find_bytes
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86.register_changes import COPY, LOAD

BOXED = 8  # top bits
REACH = 4096  # bytes that a member may lie from the pointer to its struct
LOW = 1 << 32  # below it lie addresses of programs that are not position-independent
MAX_UNALIGNED = 8  # occurrences looked at
MIN_BYTES = 3  # that are not 0, of a word that is looked for across others
MAX_SEARCHED = 64 << 20  # bytes searched for an unaligned occurrence
FROM_BASE = 16 << 20  # bytes from the start of an array that a loop walks
INDEXED = 1 << 36  # bytes that an index of 32 bits leads away from its start, and more
MAX_BACK = 3  # producers
MAX_PLACES = 4
MAX_HELD = 16


class FaultWord(NamedTuple):
    """A word to judge: a register's name or "target", "fault address"; its value.

    `distance` is what the instruction added to it to get the address; None for an index.
    """

    source: str
    value: int
    distance: int | None


def find_fault_words(context: Context) -> list[FaultWord]:
    """Return the words that may be the wrong one, the likeliest first; empty without a fault."""
    site = context.site
    if isinstance(site, Absent) or site.kind == NO_FAULT:
        return []
    if site.address is None and site.operand is None:
        hidden = site.instruction is None and site.fault.code == SI_KERNEL
        return _noncanonical_registers(site, user_space_end(context.target)) if hidden else []
    if site.kind in TRANSFERS:
        return [FaultWord("target", site.address or 0, 0)]
    if site.kind != DATA:
        return []
    operand = site.operand
    if operand is None:
        return _words_when_code_is_unreadable(site)
    registers = site.fault.registers
    values = [(name, registers[name]) for name in operand.registers() if name in registers]
    words = []
    for name, value in values:
        is_index = name == operand.index_register and name != operand.base
        if is_index and operand.scale != 1:
            words.append(FaultWord(name, value, None))
            continue
        distance = None if site.address is None else signed_word(site.address - value)
        words.append(FaultWord(name, value, distance))
    return sorted(words, key=lambda word: _plausibility_sort_key(context.target, word))


def _plausibility_sort_key(target: Target, word: FaultWord) -> int:
    """Sort words that are mapped or plain numbers after those that are not."""
    if word.distance is None:
        return 1
    return 2 if target.region_at(word.value) is not None or word.value < NEAR_NULL else 0


def _words_when_code_is_unreadable(site: FaultSite) -> list[FaultWord]:
    """Return the registers near the address, then the address, when the text cannot be read."""
    address = site.address or 0
    registers = site.fault.registers
    near = [(address - registers[n], n) for n in GENERAL if n in registers]
    words = [FaultWord(n, registers[n], d) for d, n in sorted(near) if 0 <= d <= REACH]
    return [*words, FaultWord("fault address", address, 0)]


def _noncanonical_registers(site: FaultSite, top: int) -> list[FaultWord]:
    """Return the registers that are not canonical: a protection fault without an instruction."""
    registers = site.fault.registers
    return [
        FaultWord(name, registers[name], None)
        for name in GENERAL
        if name in registers and not is_canonical(registers[name], top)
    ]


def software_pattern(context: Context, word: FaultWord) -> WordShape | None:
    """Return the software pattern of a word; None when it shows none.

    Memory is searched once for each value. A stack pointer shows none: no program makes it of data.
    What a return took by a stack pointer that leads between two words is halves of both: it may be
    text, but no numbers.
    """
    if word.source == "rsp":
        return None
    site = context.site
    slot = site.slot if not isinstance(site, Absent) and site.kind == RETURN else None
    if word.source == "target" and (slot or 0) % WORD:
        return _software_pattern_of_value(context, word.value, is_index=True)
    return _software_pattern_of_value(context, word.value, is_index=word.distance is None)


@once_per_run
def _software_pattern_of_value(context: Context, value: int, *, is_index: bool) -> WordShape | None:
    target = context.target
    if value < NULL_PAGE:
        return None
    shape = shape_of(value)
    short_text = shape is not None and shape.name == "ascii" and value < USER_TOP
    coincident = short_text or (shape is not None and shape.name in ("double", "int-pair"))
    if coincident and _begins_something_one_bit_off(context, value):
        shape = None
    if short_text and nearest_mapping(target, value, INDEXED) is not None:
        shape = None  # an index of 32 bits leads there; an address of the heap is letters above
    if is_index:  # any number may be one
        return shape if shape is not None and shape.name in ("ascii", "poison") else None
    if target.region_at(value) is None:
        shape = (
            _shifted_pointer_pattern(target, value)
            or shape
            or _end_of_text_or_number_pattern(context, value)
            or _overwritten_half_pattern(context, value)
            or _repeated_half_pattern(context, value)
            or _str_hash_pattern(context, value)
        )
        if shape is not None:
            return shape
    return (
        _packed_pointer_pattern(context, value)
        or _pointer_half_pattern(target, value)
        or _low_number_pattern(context, value)
        or _tagged_pointer_pattern(target, value)
        or _misaligned_word_pattern(context, value)
    )


def _begins_something_one_bit_off(context: Context, value: int) -> bool:
    """Tell whether something begins at an address that differs in one bit of the high half.

    The upper bytes of a heap's address are letters, 0x55. Bit 62 of any pointer makes a double
    between 2 and 4, one of the bits from 32 on a pair of integers of an address of a program that
    is not position-independent: there a multiple of 8 in memory will do, for an item's address.
    """
    flipped = (value ^ (1 << bit) for bit in range(32, 64))
    near = [flip for flip in flipped if permits(context.target.region_at(flip), None)]
    index = address_index(context)
    return any(
        flip >= LOW or not flip % WORD or index.pointee_at(flip) is not None for flip in near
    )


def _low_number_pattern(context: Context, value: int) -> WordShape | None:
    """A number below 4 GiB in a process that has no memory there, nor one bit away."""
    target = context.target
    if not NEAR_NULL <= value < LOW or target.region_at(value) is not None:
        return None
    if any(permits(target.region_at(value ^ 1 << bit), None) for bit in range(ADDRESS_BITS)):
        return None
    if value > LOW - NEAR_NULL:
        return WordShape(
            "number", f"it is the number {value - LOW}; no memory lies near that address"
        )
    # A function that copies steps its registers: of a buffer at NULL they hold how far it is.
    why = (
        f"it is the number {value}, or NULL plus that many bytes; no memory lies near that address"
    )
    return WordShape("number", why)


def _pointer_half_pattern(target: Target, value: int) -> WordShape | None:
    """The low half of an address that is mapped: a pointer that went through an int."""
    low, high = value & HALF_MASK, value >> 32
    if not (high == 0 or (high == HALF_MASK and low >> 31)) or low < NEAR_NULL:
        return None
    halves = {region.start >> 32 for region in target.regions()} - {0, HALF_MASK}
    for half in sorted(halves):
        whole = half << 32 | low
        if permits(target.region_at(whole), "r") and half < 1 << 15:
            return WordShape("truncated", f"it is the low half of {whole:#x}, which is mapped")
    return None


def _tagged_pointer_pattern(target: Target, value: int) -> WordShape | None:
    """Several bits set above a mapped address."""
    top = value >> ADDRESS_BITS
    if bin(top).count("1") < 2 or top == (1 << 17) - 1:
        return None
    plain = value & (USER_TOP - 1)
    boxed = bin(top).count("1") >= BOXED  # NaN boxing; a small number with few bits is no pointer
    if (plain >= LOW or boxed) and permits(target.region_at(plain), "r"):
        return WordShape("tagged", f"without its top bits it is {plain:#x}, which is mapped")
    return None


def _misaligned_word_pattern(context: Context, value: int) -> WordShape | None:
    """The word stands in memory at an odd place, over the parts of two words."""
    target = context.target
    if value < LOW or (
        is_canonical(value, user_space_end(target)) and target.region_at(value) is not None
    ):
        return None  # of a small number any memory holds the bytes
    whole = value.to_bytes(8, "little")
    if sum(map(bool, whole)) < MIN_BYTES:
        return None
    needle = whole.rstrip(b"\0")  # far faster than with the zero bytes at the end
    left = MAX_SEARCHED
    for region in target.regions():
        size = min(region.dumped, region.size, left)
        if "w" not in region.perms or size <= 0:
            continue
        left -= size
        for count, at in enumerate(find_bytes(target, needle, region.start, region.start + size)):
            if (
                at % 8
                and read_up_to(target, at, 8) == whole
                and _does_misaligned_word_overlap_pointer(target, at)
            ):
                why = f"these 8 bytes stand at {at:#x}, across two aligned words"
                one_bit = (at % 8).bit_count() == 1  # a pointer with one bit flipped leads there
                return WordShape("misaligned:one-bit" if one_bit else "misaligned", why)
            if count >= MAX_UNALIGNED:
                break
    return None


def _shifted_pointer_pattern(target: Target, value: int) -> WordShape | None:
    """The upper bytes of an address, and what follows it: read 1 or 2 bytes after its start.

    A pointer with a low bit flipped leads there; the bytes may have been overwritten since.
    """
    for count in (1, 2):
        address = value << 8 * count & WORD_MASK
        last = address + (1 << 8 * count) - 1
        if LOW <= address < USER_TOP and any(map(target.region_at, (address, last))):
            why = (
                f"it holds the upper {8 - count} bytes of an address near {address:#x}: it was "
                f"read {count} bytes behind the start of a pointer"
            )
            return WordShape("misaligned:one-bit", why)
    return None


def _packed_pointer_pattern(context: Context, value: int) -> WordShape | None:
    """The end of an address that stands at an odd place, and what follows it: a packed struct.

    The code reads it as if its fields were aligned: `#pragma pack`, a ctypes structure without
    `_pack_`, another version's header. Only of aligned places: a flipped bit of a pointer that was
    read through leads to others, and what stands there is said by _misaligned_word_pattern.
    """
    slots = {slot for suspect in find_suspects(context) if suspect.value == value
             for slot in suspect.slots if slot % WORD == 0}  # fmt: skip
    for slot in sorted(slots):
        for before in range(1, WORD):
            address = read_word(context.target, slot - before)
            if address is None or not LOW <= address < USER_TOP:
                continue
            if permits(context.target.region_at(address), "r"):
                why = (
                    f"its first bytes are the last of the address {address:#x}, which stands at "
                    f"{slot - before:#x}: a packed struct, read as if its fields were aligned"
                )
                return WordShape("misaligned", why)
    return None


def _overwritten_half_pattern(context: Context, value: int) -> WordShape | None:
    """A small number in one half of an address: 32 bits were written over a pointer.

    Or the memory of a pointer was given out again for two integers, or an argument that is an int
    was taken for one that is a pointer: the upper half of its register or place on the stack is
    what was there before. Of a low half that is left something has to begin at the address.
    """
    target, low, high = context.target, value & LOW - 1, value >> 32
    halves = {region.start >> 32 for region in target.regions()}
    if any(permits(target.region_at(value ^ 1 << bit), None) for bit in range(ADDRESS_BITS)):
        return None
    if high and low < NEAR_NULL and high in halves:
        why = f"its low half is the number {low}, under the high half of an address ({high:#x})"
        return WordShape("int-pair", why)
    if not 0 < high < NEAR_NULL or low < NEAR_NULL:
        return None
    for whole in (half << 32 | low for half in sorted(halves - {0, high})):
        if (whole ^ value).bit_count() > 2 and address_index(context).pointee_at(whole) is not None:
            why = f"its high half is the number {high}, over that of the address {whole:#x}"
            return WordShape("int-pair", why)
    return None


def _repeated_half_pattern(context: Context, value: int) -> WordShape | None:
    """A half of an address beside a 32-bit number that stands behind or before the word as well.

    Where a run of such numbers was written over memory, it began or ended within this word.
    """
    low, high = value & HALF_MASK, value >> 32
    slots = {slot for suspect in find_suspects(context) if suspect.value == value
             for slot in suspect.slots if slot % WORD == 0}  # fmt: skip
    for slot in sorted(slots):
        before, behind = (
            read_word(context.target, slot - WORD),
            read_word(context.target, slot + WORD),
        )
        for half, beside in (
            (high, None if behind is None else behind & HALF_MASK),
            (low, None if before is None else before >> 32),
        ):
            if half == beside and SMALL <= half < HALF_MASK:
                side = "behind" if half == high else "before"
                why = (
                    f"a half of it is the number {half:#x}, which stands {side} it at {slot:#x} as "
                    "well: a run of 32-bit numbers over an address"
                )
                return WordShape("int-pair", why)
    return None


def _end_of_text_or_number_pattern(context: Context, value: int) -> WordShape | None:
    """The end of a text or number that began before the word, under the upper bytes of an address.

    The place was written over, or given out again for other data.
    """
    slots = {slot for suspect in find_suspects(context) if suspect.value == value
             for slot in suspect.slots}  # fmt: skip
    for slot in sorted(slots):
        cut = find_value_over_pointer(context.target, slot, value)
        if cut is not None and not is_one_bit_from_start_of_thing(context, value):
            why = (
                f"its first {cut.over} bytes are the end of {cut.what}, which begins at "
                f"{cut.start:#x}; the bytes above are those of an address"
            )
            return WordShape("ascii" if cut.is_text else "double", why)
    return None


def _str_hash_pattern(context: Context, value: int) -> WordShape | None:
    """The hash that a str or bytes object in use carries: no other word has its 64 bits by chance.

    The code took the object for one of another type, which has a pointer there.
    """
    index = address_index(context)
    for place in context.places_of_word(value, MAX_PLACES) if value >= LOW else ():
        owner = index.object_with_field(place)
        if owner is not None and owner[1] in ("str", "bytes") and index.is_string_hash_field(place):
            why = (
                f"it is the hash of the {owner[1]} at {owner[0]:#x}; an object of another type was "
                "expected there, and may have been freed"
            )
            return WordShape("wild-value", why)
    return None


def _does_misaligned_word_overlap_pointer(target: Target, at: int) -> bool:
    words = (read_word(target, at & ~7), read_word(target, (at & ~7) + 8))
    return any(word is not None and word >= LOW and target.region_at(word) for word in words)


class SuspectedWord(NamedTuple):
    """A word to test.

    `source` is a register, "target" or "fault address". `depth` 0 made the address, more was
    loaded through. `slots` are places of memory that hold the word; `loaded` when the code before
    the fault took it from the first of them. `distance` as in
    FaultWord.
    """

    source: str
    value: int
    depth: int
    slots: tuple[int, ...]
    loaded: bool
    distance: int | None


@once_per_run
def find_suspects(context: Context) -> list[SuspectedWord]:
    """Return the suspects, those of the access itself first; empty without a fault."""
    site = context.site
    if isinstance(site, Absent):
        return []
    recomputed = recomputed_registers(context)
    latest = {} if isinstance(recomputed, Absent) else {r.register: r for r in reversed(recomputed)}
    unique: dict[tuple[int, int], SuspectedWord] = {}
    for word in find_fault_words(context):
        for suspect in _trace_loads(context, site, latest, word):
            unique.setdefault((suspect.value, suspect.depth), suspect)
    for suspect in _bases_near_fault(context, site, [*unique.values()]):
        unique.setdefault((suspect.value, suspect.depth), suspect)
    return list(unique.values())


def _bases_near_fault(
    context: Context, site: FaultSite, suspects: list[SuspectedWord]
) -> Iterator[SuspectedWord]:
    """Yield registers that hold another address near the failed one, where nothing is mapped.

    A loop keeps the start of its array in one register and works out each address in others: then
    the start is what was damaged, and what memory still holds.
    """
    first = next((suspect for suspect in suspects if not suspect.depth), None)
    if site.kind != DATA or site.address is None or first is None or first.value < LOW:
        return
    if context.target.region_at(site.address) is not None or not is_canonical(site.address):
        return
    names = site.operand.registers() if site.operand is not None else ()
    for name in GENERAL:
        value = site.fault.registers.get(name, 0)
        distance = site.address - value
        if name in names or value < LOW or not 0 <= distance < FROM_BASE:
            continue
        if context.target.region_at(value) is None and value != first.value:
            yield _make_suspect(context, site, None, FaultWord(name, value, distance), 0)


def _trace_loads(
    context: Context, site: FaultSite, recomputed: dict[str, RecomputedRegister], word: FaultWord
) -> list[SuspectedWord]:
    """Return a word and the words that it was loaded through."""
    traced = [_make_suspect(context, site, recomputed.get(word.source), word, 0)]
    names = {word.source}
    if word.source == "target" and site.operand is not None:
        names = set(site.operand.registers())
        traced += [
            _suspect_in_register(context, site, recomputed, name, 1) for name in sorted(names)
        ]
    load = None if word.source in recomputed else find_last_load(context, word.source)
    if load is not None and load.base_kept:  # what it read is not in the core
        traced.append(_suspect_in_register(context, site, recomputed, str(load.operand.base), 1))
    depth = 1
    while names and depth <= MAX_BACK:
        following: set[str] = set()
        for name in names:
            origin = recomputed.get(name)
            if origin is None or origin.kind not in (LOAD, COPY) or origin.slot is None:
                continue
            following |= {n for n in origin.address_registers if n not in (name, "rsp")}
        for name in sorted(following):
            traced.append(_suspect_in_register(context, site, recomputed, name, depth))
        names = following
        depth += 1
    return [suspect for suspect in traced if suspect.value >= NEAR_NULL]


def _suspect_in_register(
    context: Context,
    site: FaultSite,
    recomputed: dict[str, RecomputedRegister],
    name: str,
    depth: int,
) -> SuspectedWord:
    value = site.fault.registers.get(name, 0)
    return _make_suspect(context, site, recomputed.get(name), FaultWord(name, value, 0), depth)


def _make_suspect(
    context: Context,
    site: FaultSite,
    origin: RecomputedRegister | None,
    word: FaultWord,
    depth: int,
) -> SuspectedWord:
    slots: tuple[int, ...] = ()
    loaded = False
    if (
        origin is not None
        and origin.kind == LOAD
        and origin.slot is not None
        and origin.held == origin.expected
    ):
        slots, loaded = _slots_holding(context, word.value, origin.slot), True
    elif word.value >= NEAR_NULL and not (depth and word.source == "rsp"):
        slots = context.places_of_word(word.value, MAX_PLACES)
        slots = tuple(at for at in slots if not (word.source == "target" and at == site.fault.sp))
    return SuspectedWord(
        source=word.source,
        value=word.value,
        depth=depth,
        slots=slots,
        loaded=loaded,
        distance=word.distance,
    )


def _slots_holding(context: Context, value: int, slot: int) -> tuple[int, ...]:
    """Return the slot of a load; of a spilled register first where else memory holds the word."""
    if value < NEAR_NULL or not is_on_stack(context, slot):
        return (slot,)
    places = context.places_of_word(value, MAX_PLACES)
    return (*(at for at in places if not is_on_stack(context, at)), slot)


def is_at_most_once_off_stacks(context: Context, value: int) -> bool:
    """Tell whether at most one word but those of stacks holds a word: a flip changes one.

    What several containers hold is an object whose type was cleared (seen in 1 of 820 cores).
    """
    places = context.places_of_word(value, MAX_HELD)
    kept = [at for at in places if not (is_on_stack(context, at) or is_in_data_stack(context, at))]
    return len(kept) <= 1
