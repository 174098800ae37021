# SPDX-License-Identifier: Apache-2.0
"""What software makes the same wrong word: marks in top or low bits, indices of a power of two.

A program that marks its pointers keeps marked ones in memory, or has code that sets the mark. An
index or a stride comes from somewhere: a register, a local variable, a constant of the code. Where
nothing of that is there, no array access made a pointer that is wrong by that much.
"""

from __future__ import annotations

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.address_index import address_index
from gdb_epi.corruption.heap.readers import read_words
from gdb_epi.corruption.pointers.suspects import SuspectedWord
from gdb_epi.corruption.replay.register_origins import find_addends_of_base, recomputed_registers
from gdb_epi.detectors.wrong_values.marked_pointer import FAR_BIT, code_that_changes_word
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import FaultSite
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.mapping_checks import may_execute
from gdb_epi.fault.memory_reads import read_up_to, try_read
from gdb_epi.sizes import HALF_MASK, WORD, WORD_MASK, signed_word
from gdb_epi.target.api import Region
from gdb_epi.x86 import MAX_LENGTH
from gdb_epi.x86.decode import next_instruction_boundary
from gdb_epi.x86.register_changes import LOAD
from gdb_epi.x86.word_changing_code import (
    has_variable_shift,
    may_set_bit,
    possible_writes_of_top_bits,
)

NEAR = 4096  # bytes; fields of what the wrong word names are the wrong word again
MAX_READ = 64 << 20
MAX_JUDGED = 1 << 14  # words with that bit that are looked at
PIECE = 1 << 20
MIN_ADDRESS = 1 << 16
STACK_WORDS, CALLERS = 64, 2
MAX_CODE = 64 << 20
MAX_DECODED = 1 << 20  # bytes of a module's code in which instructions are looked for by decoding
MAX_MATCHES = 32
MIN_BIT = 24  # indices of 2^k that are smaller are common: sizes, capacities, flags
MAX_SCALE = 12  # bits: elements of at most 4 KiB
BELOW, ABOVE = 512, 2048  # bytes of the stack around rsp
CODE = 512  # bytes of the function before the instruction that failed
HALF = 31  # bits of a positive int
CHOSEN_BIT = 30  # of an address that a program asked for
# The index -1 as an unsigned int moves a pointer by 2^32 elements: bits that this can set.
WRAPPED_BITS = range(32, 40)
WRAPPED = range(0xFFFF0000, 1 << 32)
TAG_BITS = range(47, 64)
LOW_TAG_BITS = range(3)
STRIDE_BITS = range(12, 47)
STACK, HEAP, MIXED = "stack", "heap", "mixed"  # where a word is held


def has_marked_pointers(context: Context, value: int, bit: int, *, starts: bool = False) -> bool:
    """Tell whether memory holds, beside `value`, an address with that bit (47 to 63) set on top.

    With `starts` only addresses at which an object, a block or a function begins.

    True too where memory is too large to tell. What marks pointers keeps marked ones in memory;
    a function that gives one to its caller has none there while it runs.
    """
    key = (bit, value & -NEAR, starts)
    answers = _cached_marked_pointer_searches(context)
    if key not in answers:
        answers[key] = _is_any_pointer_marked(context, value, bit, starts)
    return answers[key]


@once_per_run
def _cached_marked_pointer_searches(_context: Context) -> dict[tuple[int, int, bool], bool]:
    """Return what marks() has found: one search answers for all words of a page."""
    return {}


@once_per_run
def may_code_set_bit(context: Context, bit: int) -> bool:
    """Tell whether the code that failed, or the code that called it, can set that one bit.

    By a constant with no other bit, bts, btc, or a shift by its number. True where the code cannot
    be read.
    """
    fault = context.fault
    if isinstance(fault, Absent):
        return True
    places = [fault.pc, *_possible_return_addresses(context, fault.sp)[:CALLERS]]
    regions = {region.start: region for at in places if (region := context.target.region_at(at))}
    return not regions or any(
        _has_instruction_setting_bit(context, region, bit) for region in regions.values()
    )


def module_may_set_bit(context: Context, at: int, bit: int) -> bool:
    """Whether the module that holds an instruction can set one top bit of a pointer in any way.

    As in `sets`; by a shift, rotation or bts by a register; or by writing bytes of a word at an
    offset of 6 or 7 (modulo 8). True where the code cannot be read. Marks are taken off, and mostly
    put on, by the module that knows what they mean.
    """
    region = context.target.region_at(at)
    return region is None or _may_region_set_bit(context, region, bit)


@once_per_run
def _may_region_set_bit(context: Context, region: Region, bit: int) -> bool:
    return _has_instruction_setting_bit(context, region, bit) or _may_write_top_bits(
        context, region
    )


def _possible_return_addresses(context: Context, sp: int) -> list[int]:
    words = read_words(context, sp & ~7, STACK_WORDS)
    return [word for word in words if may_execute(context.target.region_at(word))]


def _may_write_top_bits(context: Context, region: Region) -> bool:
    """Tell whether code of a region may write top bits; True where that takes too long."""
    code = _region_bytes(context, region, MAX_DECODED)
    if not code:
        return True
    places = [region.start + place for place in possible_writes_of_top_bits(code)]
    return len(places) > MAX_MATCHES or any(_begins_instruction(context, at) for at in places)


def _region_bytes(context: Context, region: Region, most: int) -> bytes:
    """Return the bytes of a region; b"" where it has more than `most`, or they are not at hand."""
    return try_read(context.target, region.start, region.size) if region.size <= most else b""


def _begins_instruction(context: Context, address: int) -> bool:
    """Tell whether an instruction begins at an address; True where nothing can tell."""
    function = context.functions.function_at(address)
    if function is None:
        return True
    place = address - function.start
    code = read_up_to(context.target, function.start, place + MAX_LENGTH)
    return next_instruction_boundary(code, place) in (place, None)


def _has_instruction_setting_bit(context: Context, region: Region, bit: int) -> bool:
    code = _region_bytes(context, region, MAX_CODE)
    return not code or may_set_bit(code, bit)


def _is_any_pointer_marked(context: Context, value: int, bit: int, starts: bool) -> bool:
    regions = [
        region for region in context.target.regions() if "w" in region.perms and region.dumped
    ]
    if sum(region.dumped_size for region in regions) > MAX_READ:
        return True
    left = [MAX_JUDGED]
    for region in regions:
        size = region.dumped_size & -WORD
        for start in range(region.start, region.start + size, PIECE):
            memory = try_read(context.target, start, min(PIECE, region.start + size - start))
            if _piece_has_marked_pointer(context, memory, value, bit, left, starts):
                return True
    return False


def _piece_has_marked_pointer(
    context: Context, memory: bytes, value: int, bit: int, left: list[int], starts: bool
) -> bool:
    """Look at the words whose byte of that bit is that of marked addresses."""
    lane, mark = bit // 8, 1 << bit % 8
    at_start = address_index(context).pointee_at
    column = memory[lane::WORD]
    tops = {mark} if bit >= 48 else {top | mark for top in (0, 0x55, 0x56, 0x7E, 0x7F)}
    for top in tops:
        needle = bytes((top,))
        at = column.find(needle)
        while at >= 0:
            left[0] -= 1
            if left[0] < 0:
                return True
            word = int.from_bytes(memory[WORD * at : WORD * at + WORD], "little")
            plain = word ^ 1 << bit
            is_address = plain > MIN_ADDRESS and not plain >> 47
            other = is_address and abs(word - value) >= NEAR
            if other and context.target.region_at(plain) and (not starts or at_start(plain)):
                return True
            at = column.find(needle, at + 1)
    return False


@once_per_run
def may_stride_explain_bit(context: Context, bit: int) -> bool:
    """Tell whether a register, the stack near rsp or the code at hand holds what moves by 2^bit.

    That is 2^bit, or the quotient by the size of an element; 32-bit halves count too, and the
    numbers of these bits in registers, for 1 may have been shifted by one. True where that cannot
    be read, and for low bits.
    """
    fault = context.fault
    if bit < MIN_BIT or isinstance(fault, Absent):
        return True
    start = (fault.sp - BELOW) & -WORD
    surroundings = read_up_to(context.target, start, BELOW + ABOVE)
    stack = memoryview(surroundings[: len(surroundings) & -WORD]).cast("Q")
    if not stack:
        return True
    held = [fault.registers[name] for name in GENERAL if name in fault.registers]
    strides = {1 << power for power in range(bit - MAX_SCALE, bit + 1)}
    ints = {stride for stride in strides if stride < 1 << HALF}
    if any(bit - MAX_SCALE <= word <= bit for word in held):
        return True
    for word in (*held, *stack):
        if word in strides or word & HALF_MASK in ints or word >> 32 in ints:
            return True
        if bit in WRAPPED_BITS and word in WRAPPED:
            return True
    return _may_code_step_by_stride(context, fault.pc, strides)


def _may_code_step_by_stride(context: Context, pc: int, strides: set[int]) -> bool:
    """Tell whether the code before holds one of the numbers, or shifts by one that is not known."""
    function = context.functions.function_at(pc)
    if function is None:
        return True
    start = max(function.start, pc - CODE)
    code = read_up_to(context.target, start, pc - start)
    constants = (stride.to_bytes(4 if stride < 1 << HALF else WORD, "little") for stride in strides)
    return has_variable_shift(code) or any(constant in code for constant in constants)


def software_explanation(
    context: Context,
    suspect: SuspectedWord,
    corrected: int,
    bit: int,
    *,
    purpose_known: bool,
    of_cpython: bool,
    is_object: bool,
    held: str,
) -> str | None:
    """Return what software makes the same word, or None.

    `purpose_known`: what the right word is for is known. CPython tags no high bits, and no library
    can in a field of CPython's own; nobody tags addresses of the stack or of a file's data.
    `is_object`: an object that other words name begins at the corrected address, or its links: no
    array does, so it is no stride. Neither is a value that nothing at hand holds. `held`: STACK
    when all places that hold the word are on stacks, HEAP when none is and something begins at the
    corrected address, else MIXED.
    """
    site = context.site
    assert not isinstance(site, Absent)
    if not suspect.depth and bit >= FAR_BIT:
        maker = code_that_changes_word(
            context.state, suspect.value, corrected, of_cpython=of_cpython
        )
        if maker is not None:
            return f"{maker}, which makes it by a mask, flag or offset"
    if bit in TAG_BITS and not purpose_known and not _is_no_tag(context, site, suspect, bit, held):
        return "a single tag bit at the top"
    if suspect.depth and bit in LOW_TAG_BITS:
        return "a low tag bit"
    in_frame = 0 <= suspect.value - site.fault.sp <= NEAR  # computed from rsp: a local array
    if (suspect.source == "rsp" or in_frame) and suspect.value < corrected:
        return "a large frame or alloca gives the same stack pointer"
    if bit not in STRIDE_BITS or suspect.depth or (purpose_known and suspect.slots):
        return None
    if not purpose_known and _is_at_address_chosen_by_program(context, corrected, bit):
        return f"memory that the program itself placed, and moved by 2^{bit}, has the same address"
    may_be_sum = suspect.value > corrected and held in (STACK, MIXED) and not is_object
    if may_be_sum and may_stride_explain_bit(context, bit):
        return f"an index or stride of 2^{bit} gives the same address"
    operand = site.operand
    if operand is not None and suspect.source in (operand.index_register, "fault address"):
        return f"an index of 2^{bit} gives the same address"
    if operand is None or suspect.source != operand.base:
        return None
    terms = find_addends_of_base(context)
    if terms is not None and not _is_flip_of_base_or_index(terms, corrected - suspect.value):
        return f"base and index, {signed_word(terms[1])}, add up to the same address"
    return None


def _is_at_address_chosen_by_program(context: Context, corrected: int, bit: int) -> bool:
    """Whether a mapping begins at a multiple of 2^bit, and of 1 GiB, as only programs choose.

    The kernel lays mappings side by side from a random page on: 1 of 2^18 begins so. Programs that
    ask for such places (arenas, copies of a heap, mremap()) lay the next a power of two away.
    """
    region = context.target.region_at(corrected)
    return region is not None and not region.start % (1 << max(bit, CHOSEN_BIT))


def _is_flip_of_base_or_index(terms: tuple[int, int, int], correction: int) -> bool:
    """Whether one bit of a base or index, flipped, changes the sum of them by a correction."""
    base, index, scale = terms
    steps, rest = divmod(correction, scale)
    changes = [(base + correction ^ base) & WORD_MASK]
    changes += [] if rest else [(index + steps ^ index) & WORD_MASK]
    return any(change.bit_count() == 1 for change in changes)


def _is_no_tag(
    context: Context, site: FaultSite, suspect: SuspectedWord, bit: int, held: str
) -> bool:
    """Tell whether no pointer in memory has that bit, and the code at hand cannot set it.

    For a word of the heap that is the code of the module that loaded it, which would have to take
    the mark off; and the word must be the only one.
    """
    if held == STACK:
        return not may_code_set_bit(context, bit) and not has_marked_pointers(
            context, suspect.value, bit
        )
    if held == MIXED or suspect.depth or len(suspect.slots) != 1:
        return False
    at = _address_of_load(context, site, suspect.source)
    if module_may_set_bit(context, at, bit) or len(context.places_of_word(suspect.value, 2)) != 1:
        return False
    return not has_marked_pointers(context, suspect.value, bit, starts=True)


def _address_of_load(context: Context, site: FaultSite, register: str) -> int:
    """Return the address of the instruction that loaded a register; rip where it is not known."""
    recomputed = recomputed_registers(context)
    if not isinstance(recomputed, Absent):
        for remade in recomputed:
            if remade.register == register and remade.kind == LOAD:
                return remade.at
    return site.fault.pc
