# SPDX-License-Identifier: Apache-2.0
"""R5, R27: registers against second copies of what they hold.

R5: what a register was loaded, copied or computed from. R27: the frames that rsp must lead to.
S:gone: several words that lead to different places of memory that is not there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import (
    MEMORY,
    REGISTER,
    UNKNOWN,
    Evidence,
    changed_bits,
    plain_evidence,
    require,
    word_evidence,
)
from gdb_epi.corruption.heap.address_index import BLOCK, OBJECT, address_index
from gdb_epi.corruption.heap.never_mapped import was_never_mapped
from gdb_epi.corruption.heap.readers import CHUNK, is_on_stack, read_words, words_at_fault
from gdb_epi.corruption.pointers.one_bit_neighbours import FAR_BIT
from gdb_epi.corruption.pointers.suspects import LOW, find_fault_words
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.replay.code_map import build_code_map
from gdb_epi.corruption.replay.register_origins import RecomputedRegister, recomputed_registers
from gdb_epi.errors import Absent
from gdb_epi.fault.address_place import GUARD, STACK_ENDED
from gdb_epi.fault.fault_site import DATA
from gdb_epi.fault.instructions import call_before
from gdb_epi.fault.mapping_checks import NEAR_NULL, nearest_mapping, permits
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.fault.own_native_code import is_own_library
from gdb_epi.sizes import PAGE, WORD
from gdb_epi.target.api import module_at
from gdb_epi.target.cfi import Unwinder
from gdb_epi.x86.register_changes import COMPUTED, LOAD

MAX_CODE = 64 << 10  # bytes of a function that are looked through
# sub %reg,%rsp in both encodings: alloca(), and arrays of a size that is known at run time.
_SUB_REGISTER_FROM_RSP = (
    rb"[\x48\x4c]\x29[\xc4\xcc\xd4\xdc\xe4\xec\xf4\xfc]|[\x48\x49]\x2b[\xe0-\xe7]"
)
MIN_BIT = 3  # programs mark addresses in lower ones
NEAR_BITS, FAR_BITS = 8, 16
GIVEN_BACK = 1 << 30  # bytes from a mapping in which memory may have been
BELOW = 4096  # bytes under rsp: frames that were just left
STACK_FRAMES = 6  # that are walked
MIN_FRAMES = 4  # of them that must be after a call
MAX_FRAME = 64 << 10  # bytes of one frame
MIN_STACK_BIT = 12  # within a page it would still be mapped
MAX_GONE = 256 << 20  # bytes of a gap that memory may have left
MAX_SWEPT = 512 << 20  # bytes of writable memory that is searched for a pointer to it
_HOW = {
    "load": "loaded from {slot:#x}, which still holds",
    "copy": "copied from a register that still holds",
    "address": "computed from registers that still give",
    "constant": "set to the constant",
    "computed": "computed from registers that still give",
}


@check("R5", costly=True, needs="crash")
def register_values(context: Context) -> Iterator[Evidence]:
    """Run the straight-line code before the fault again and compare the registers it made.

    Innocent causes: another thread, or process, stored to the memory and back, so it must be memory
    that the GIL, or nobody else, writes to; another thread stored to the memory since, so the right
    value must be a mapped address and the register's not, nor one within 1 GiB of a mapping, where
    memory may have been (or, in a process of one thread, the right one the start of an object or
    block and the register's not); a branch into the code, so it is cut there; a store to the same
    place, so such loads are left out; a function called since may have stored there too, so
    something must begin at the right value; a difference in many bits says nothing; a rep movs or
    rep stos that had copied a part already has moved its own registers, so they are left out.
    """
    recomputed = require(recomputed_registers(context))
    feeding = {word.source for word in find_fault_words(context)}
    for remade in recomputed:
        bits = changed_bits(remade.held, remade.expected)
        if _is_register_damage_plausible(
            context, remade, bits, feeds_access=remade.register in feeding
        ):
            yield _evidence_of_register(context, remade, bits)


def _is_register_damage_plausible(
    context: Context, remade: RecomputedRegister, bits: tuple[int, ...], *, feeds_access: bool
) -> bool:
    """Tell whether a register was damaged: its right value fits, and no innocent cause does."""
    target = context.target
    lanes = {bit // 8 for bit in bits}
    if not bits or len(lanes) > 1 or (remade.kind == LOAD and remade.size < 4):
        return False
    if remade.since and address_index(context).pointee_at(remade.expected) is None:
        return False  # realloc() may have moved what is there now
    if remade.from_memory and _may_others_have_stored_in_slot(context, remade.slot):
        return False  # a mark that another thread sets for a moment differs in one bit
    if target.region_at(remade.held) is not None:
        if not (
            _points_into_other_block(context, remade, bits)
            or _is_beyond_chance(context, remade, bits)
        ):
            return False
    elif (
        remade.from_memory
        and not _is_store_by_others_excluded(context, remade)
        and nearest_mapping(target, remade.held, GIVEN_BACK, None)
    ):
        # Another thread, or a function called since, may have put new memory in the place of old
        # that it gave back: of blocks of 2^n bytes the addresses often differ in one bit.
        return False
    if remade.expected >= NEAR_NULL and target.region_at(remade.expected) is not None:
        return True
    if min(bits) < NEAR_BITS:
        return False  # any two small numbers differ within a byte: it says nothing of the code
    # A number that the access was made with has one high bit that it should not have.
    has_stray_high_bit = remade.expected < LOW and len(bits) == 1 and bits[0] >= FAR_BIT
    return feeds_access and (remade.kind not in (LOAD, COMPUTED) or has_stray_high_bit)


def _evidence_of_register(
    context: Context, remade: RecomputedRegister, bits: tuple[int, ...]
) -> Evidence:
    id = ("R5" if len(bits) == 1 else "R5:lane") + (":kept" if remade.kept else "")
    saved_at = _slot_where_saved(context, remade)
    how = _HOW[remade.kind].format(slot=remade.slot or 0)
    summary = (
        f"{remade.register} holds {remade.held:#018x}, but it was {how} {remade.expected:#018x} "
        f"(instruction at {remade.at:#x}): bits {list(bits)} differ"
    )
    if saved_at is not None:
        summary += f"; a function that was called since left what it holds at {saved_at:#x}"
    return word_evidence(
        id,
        remade.register if saved_at is None else saved_at,
        remade.held,
        remade.expected,
        summary,
        path=MEMORY if saved_at is not None else UNKNOWN if remade.kept else REGISTER,
        how=remade.kind,
        at=hex(remade.at),
    )


def _slot_where_saved(context: Context, remade: RecomputedRegister) -> int | None:
    """Return where a function that was called since saved a register, as the frames below show.

    Of several places the highest: the outermost function saved it first.
    """
    fault = context.fault
    if not remade.kept or isinstance(fault, Absent):
        return None
    region = context.target.region_at(fault.sp)
    if region is None:
        return None
    low = max(region.start, fault.sp - BELOW) & -WORD
    words = read_words(context, low, (fault.sp - low) // WORD)
    places = [low + WORD * number for number, word in enumerate(words) if word == remade.held]
    return max(places, default=None)


def _may_others_have_stored_in_slot(context: Context, slot: int | None) -> bool:
    """Whether somebody else may have stored where a register was loaded from, and back again.

    Flags, locks and sequence numbers change by one bit for a moment, and a reader that takes no
    lock meets it. Not in the thread's own stack, in memory that nobody may write, nor where one
    thread is; and what CPython's own code reads, and objects, the GIL protects. Other processes
    write to mapped files too.
    """
    target, fault, python = context.target, context.fault, context.state.python
    if isinstance(fault, Absent):
        return True
    region = None if slot is None else target.region_at(slot)
    if region is not None:
        if "w" not in region.perms or region is target.region_at(fault.sp):
            return False
        if region.path and module_at(target, region.start) is None:
            return True
    if len(target.threads()) == 1:
        return False
    if isinstance(python, Absent) or python.gil_holder != fault.tid:
        return True
    module = module_at(target, fault.pc)
    if module is None or not is_own_library(module.path or ""):
        return False
    there = None if slot is None else address_index(context).pointee_at(slot)
    return there is None or there.kind != OBJECT


def _is_store_by_others_excluded(context: Context, remade: RecomputedRegister) -> bool:
    """Whether nobody else can have stored there since."""
    return len(context.target.threads()) == 1 and not remade.since


def _points_into_other_block(
    context: Context, remade: RecomputedRegister, bits: tuple[int, ...]
) -> bool:
    """Whether a register points into the middle of a block, and the right word to a block's start.

    With one thread nobody else can have stored there since; one bit, not one of the tag bits.
    """
    # Where all direct branches are known, none marks the register.
    exact = build_code_map(context, remade.at) is not None
    plain = remade.kind == LOAD and remade.size == 8 and len(bits) == 1
    if (
        not plain
        or not (bits[0] >= MIN_BIT or exact)
        or not _is_store_by_others_excluded(context, remade)
    ):
        return False
    index = address_index(context)
    right = index.pointee_at(remade.expected) if index.pointee_at(remade.held) is None else None
    return right is not None and right.kind in (OBJECT, BLOCK)


def _is_beyond_chance(context: Context, remade: RecomputedRegister, bits: tuple[int, ...]) -> bool:
    """Whether two mapped addresses have the same low digits, and no mark or start of a page has.

    Another pointer, which came here by a branch that is not known (a table of jumps, a part that
    was split off), has the 16 low bits of the right one by chance in 1 of 8,192. For a load in a
    function whose branches are known 8 bits do: 0 of 3,400 registers at 1,920 random places of
    healthy interpreters differed so (4 in the lowest byte, none a load).
    """
    exact = remade.kind == LOAD and build_code_map(context, remade.at) is not None
    lowest = NEAR_BITS if exact else FAR_BITS
    far = remade.size == 8 and min(bits) >= lowest and remade.held % PAGE != 0
    return (
        far
        and _is_store_by_others_excluded(context, remade)
        and address_index(context).pointee_at(remade.held) is None
    )


@check("R27", needs="crash", order=58)
def check_stack_pointer_bit(context: Context) -> Iterator[Evidence]:
    """Look for the bit with which rsp leads to the frames of the function that runs.

    The unwind tables say where its return address lies from rsp on; it and those of its callers
    must each stand behind a call. rsp is never computed from data: it moves by small numbers.

    Innocent causes: a stack that was full (then the access is just below it, and nothing is said);
    an array whose size was computed (alloca(), a VLA: code that takes a register from rsp); a
    switch of stacks to a wrong one, or a saved frame pointer that was overwritten and popped: no
    bit leads from those to frames of the very function that runs, with its callers.
    """
    account, fault = context.state.fault_account, context.fault
    if isinstance(account, Absent) or isinstance(fault, Absent) or not account.through_stack:
        return
    if account.place.kind in (STACK_ENDED, GUARD):
        return
    unwinder = Unwinder(context.target, context.functions)
    right = [
        corrected
        for bit in range(MIN_STACK_BIT, 64)
        if permits(context.target.region_at(corrected := fault.sp ^ 1 << bit), "w")
        and _does_stack_pointer_lead_to_frames(
            context, unwinder, {**fault.registers, "rsp": corrected}
        )
    ]
    if len(right) == 1 and not (right[0] > fault.sp and _subtracts_register_from_rsp(context)):
        summary = (
            f"rsp holds {fault.sp:#018x}, where no memory is; from {right[0]:#018x}, one bit away, "
            "the frames of this function and its callers lie as the unwind tables say"
        )
        yield word_evidence("R27", "rsp", fault.sp, right[0], summary, path=REGISTER)


def _subtracts_register_from_rsp(context: Context) -> bool:
    """Whether the function that runs makes room on its stack by a computed number of bytes."""
    import re

    fault = context.fault
    function = None if isinstance(fault, Absent) else context.functions.function_at(fault.pc)
    if function is None:
        return True
    size = min(function.end - function.start, MAX_CODE)
    code = try_read(context.target, function.start, size)
    return re.search(_SUB_REGISTER_FROM_RSP, code) is not None


def _does_stack_pointer_lead_to_frames(
    context: Context, unwinder: Unwinder, registers: dict[str, int]
) -> bool:
    frames = list(islice(unwinder.walk(registers), STACK_FRAMES))
    if not frames or not 0 < frames[0].cfa - registers["rsp"] <= MAX_FRAME:
        return False
    behind = [call_before(context.target, frame.pc) is not None for frame in frames[1:]]
    return sum(behind) >= MIN_FRAMES - 1 and all(behind[: MIN_FRAMES - 1])


@check("S:gone:several", needs="crash", order=16)
def words_into_gone_memory(context: Context) -> Iterator[Evidence]:
    """Tell an access to memory that is not there, when another word leads to another page of it.

    One flipped bit makes one wrong word, and those that are computed from it. Code that goes
    through a piece of memory has its place there and its end at hand.

    Innocent causes: this is one: memory that was given back while code still worked on it, as a
    buffer that grows in a callback. A damaged pointer from which all these words were computed is
    still where it was read: not said where any word outside of stacks leads to the gap so far, nor
    beside memory, where a loop runs that does not end in time.
    """
    site, words = context.site, find_fault_words(context)
    if isinstance(site, Absent) or site.kind != DATA or not words or words[0].value < LOW:
        return
    value, regions = words[0].value, context.target.regions()
    bottom = max((region.end for region in regions if region.end <= value), default=0)
    top = min((region.start for region in regions if region.start > value), default=0)
    if context.target.region_at(value) is not None or not bottom + PAGE <= value < top - PAGE:
        return
    if top - bottom > MAX_GONE or was_never_mapped(context, value):
        return
    others = [each for each in words_at_fault(context) if bottom <= each < top]
    others = [other for other in others if abs(other - value) >= PAGE]
    if not others or _is_pointed_into_from_heap(context, range(bottom, max(value, *others) + 1)):
        return
    summary = (
        f"{words[0].source} holds {value:#x}, where no memory is, and a register or the stack "
        f"holds {others[0]:#x}, another place of the same gap: code worked on memory there that "
        "was given back; no word outside of the stacks leads to it any more"
    )
    yield plain_evidence("S:gone", words[0].source, summary)


def _is_pointed_into_from_heap(context: Context, places: range) -> bool:
    """Whether a word outside of stacks leads to some place; True where not all can be read."""
    import re

    differing = ((places.start ^ (places.stop - 1)).bit_length() + 7) // 8
    upper = (places.start >> 8 * differing).to_bytes(WORD - differing, "little")
    pattern = re.compile(re.escape(upper))
    writable = [region for region in context.target.regions() if "w" in region.perms]
    truncated = context.target.truncation().truncated
    if truncated or sum(region.dumped for region in writable) > MAX_SWEPT:
        return True
    for region in writable:
        for start in range(region.start, region.start + region.dumped, CHUNK):
            piece = try_read(
                context.target, start, min(CHUNK, region.start + region.dumped - start)
            )
            for hit in pattern.finditer(piece):
                at = hit.end() - WORD
                word = int.from_bytes(piece[at : at + WORD], "little") if at >= 0 else 0
                if not at % WORD and word in places and not is_on_stack(context, start + at):
                    return True
    return False
