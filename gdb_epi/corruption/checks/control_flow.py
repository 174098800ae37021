# SPDX-License-Identifier: Apache-2.0
"""C1 to C7: where control went, against where it can have gone.

C1 to C4: the target of a return, call or jump. C5 and C6: an instruction that the code does not
have, or that cannot fault so. C7: control came into the middle of a function by a pointer that is
one bit from its start, or by the word that was popped last, one bit from a return address.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gdb_epi.corruption.checks.copies_in_files import was_code_page_written
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import (
    MEMORY,
    REGISTER,
    Evidence,
    NotChecked,
    Skipped,
    changed_bits,
    plain_evidence,
    word_evidence,
)
from gdb_epi.corruption.heap.address_index import address_index
from gdb_epi.corruption.heap.readers import is_on_stack, read_words
from gdb_epi.corruption.pointers.small_changes import data_symbol_name
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.replay.code_map import begins_function
from gdb_epi.corruption.replay.preceding_code import find_callee
from gdb_epi.corruption.replay.return_slot import (
    ReturnSlot,
    one_bit_return_slots,
    popped_slot_and_word,
    return_slot_above,
)
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import (
    ARITHMETIC,
    CALL,
    FETCH,
    ILLEGAL,
    JUMP,
    NO_FAULT,
    UNEXPLAINED,
    FaultSite,
)
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.instructions import KEPT, InstructionAtAddress, call_returning_to
from gdb_epi.fault.mapping_checks import NEAR_NULL, may_execute
from gdb_epi.fault.memory_reads import read_up_to, read_word, try_read
from gdb_epi.fault.word_shapes import shape_of
from gdb_epi.sizes import ADDRESS_BITS, PAGE, WORD
from gdb_epi.target.cfi import Unwinder
from gdb_epi.target.function_bounds import Function
from gdb_epi.util import counted
from gdb_epi.x86 import MAX_LENGTH, Instruction
from gdb_epi.x86.decode import decode_instructions, next_instruction_boundary
from gdb_epi.x86.instruction import JUMP as JUMPS
from gdb_epi.x86.instruction import NEXT, REGISTERS, TRAP
from gdb_epi.x86.instruction import RETURN as RETURNS
from gdb_epi.x86.register_changes import COPY, LOAD, changed_registers, value_source

MAX_COPIES = 8
NUMBERS = ("int-pair", "negative", "double")  # shapes of local variables
MAX_DECODED = 1 << 15  # bytes of a function that are decoded from its start
MAX_FUNCTIONS = 8  # that one ends with jumps to
MAX_FUNCTION = 4096  # bytes; in an interpreter's loop many words name places inside of it
MAX_RUN = 96  # bytes from where control came in to the fault
MAX_WALKED = 256  # the same, after a return
BELOW = 64  # words below a popped one
COPIES = 2  # of the right pointer: a table or a program's objects hold it, one holds another
POPPED = 16  # words below rsp in which the return address may still lie
MAX_BIT = 12
PLACES = 2
ROWS = 16  # words before and after one that may be in a table
_POPPED = {  # pop of a register, by its bytes
    (b"\x41" if number >= 8 else b"") + bytes((0x58 + number % 8,)): name
    for number, name in enumerate(REGISTERS)
} | {b"\xc9": "rbp"}  # leave


@check("C1", needs="crash")
def one_bit_return_address(context: Context) -> Iterator[Evidence]:
    """Look for a return address that is one bit from the popped word.

    Innocent causes: an overflow of a buffer on the stack (text, or neighbours that are no return
    addresses either: S:overwrite-run); a stale slot. Several candidates argue against each.
    """
    near = one_bit_return_slots(context)
    for slot in near:
        yield word_evidence(
            "C1", slot.address, slot.found, slot.corrected, slot.summary, rivals=len(near)
        )


@check("C2", needs="crash")
def return_from_slot_below(context: Context) -> Iterator[Evidence]:
    """Look for a return that took the word below its return address.

    Innocent causes: a wild indirect call leaves the same picture, but its call site is indirect and
    its target is at hand (then it counts as a call); code that ran past a function's end leaves the
    frame of that function (ran_past_end); a wild call through a thunk (retpolines) or a push and a
    return, a stack that the called function took over from elsewhere (coroutines) and a push
    without its pop (the code of the function that was called tells); setcontext keeps no alignment;
    a function that ends with a jump through a pointer that was overwritten by numbers: they must
    stand nowhere else. C2:indirect is the weaker form, where the call site is an indirect one.
    """
    slot = return_slot_above(context)
    if slot is None or any(finding.detector == "ran_past_end" for finding in context.findings):
        return
    if not _may_popped_word_be_local_variable(context, slot):
        return
    id, right, facts = (
        "C2" if slot.direct else "C2:indirect",
        slot.address,
        {"slot": hex(slot.address)},
    )
    yield Evidence(id, "rsp", right - 8, right, (), REGISTER, slot.summary, facts)


def _may_popped_word_be_local_variable(context: Context, slot: ReturnSlot) -> bool:
    """Whether the word that was popped may be a local variable's: no text, and no pattern.

    Numbers must stand nowhere else, or they may be a pointer that was jumped through.
    """
    site = context.site
    assert not isinstance(site, Absent)
    # Code that jumps by a return has its target in a register: the thunks of retpolines, hooks.
    # A register that the function takes back before it returns has the word too.
    holding = {name for name in GENERAL if site.fault.registers.get(name) == slot.found}
    if (holding or slot.direct) and not _has_called_function_returned(context, slot, holding):
        return False
    shape = shape_of(slot.found)
    if shape is None or shape.name not in NUMBERS:
        return shape is None
    return slot.direct and context.places_of_word(slot.found, 2) == (slot.address - WORD,)


def _has_called_function_returned(context: Context, slot: ReturnSlot, holding: set[str]) -> bool:
    """Whether the called function returned; `holding` are the registers that hold where to.

    A jump through a register or memory leaves both as they were: those of it, and of the functions
    that it ends with a jump to, do not lead there now. Left out is what switches stacks, jumps by a
    push and a return, or pushes what it does not pop.
    """
    call = call_returning_to(context.target, slot.corrected)
    at_call = None if call is None else InstructionAtAddress(slot.corrected - call.length, call)
    callee = None if at_call is None else find_callee(context.target, at_call)
    if callee is None:  # it was an indirect call: nothing but the stack holds what was saved there
        places = context.places_of_word(slot.found, MAX_COPIES)
        return (
            not slot.direct
            and holding.issubset(KEPT)
            and 0 < len(places) < MAX_COPIES
            and all(is_on_stack(context, at) for at in places)
        )
    popped: set[str] = set()
    pushes = jumps_out = False
    starts = [callee]
    for start in starts:
        function = context.functions.function_at(start)
        if function is None or function.start != start or function.end - start > MAX_DECODED:
            if start == callee:
                return False
            jumps_out = True
            continue
        size = function.end - start
        code = read_up_to(context.target, start, size)
        register, pushed = "", False
        for at, step in decode_instructions(code):
            if step is None or (step.flow == RETURNS and pushed):
                return False
            end = at + step.length
            if _does_jump_lead_to(context, step, start + end, slot.found):
                return False
            if step.flow == RETURNS and register:
                popped.add(register)
            to = step.jump_target_address(end)
            if to is not None and not 0 <= to < size and start + to not in starts:
                starts.append(start + to)
            # Between the last pop and the return other registers may be set.
            taken = _POPPED.get(code[at:end])
            of_stack = [operand for operand in step.operands if operand.base == "rsp"]
            moves = "rsp" in (changed_registers(step) or ())
            if taken or step.flow != NEXT or of_stack or moves:
                register = taken or ""
                pushed = step.flow == NEXT and any(operand.access == "w" for operand in of_stack)
                pushes |= pushed and moves
                made = value_source(step, "rsp") if moves and not taken else None
                if made and made.kind in (COPY, LOAD) and made.source != "rbp":
                    return False  # another stack
        if len(starts) > MAX_FUNCTIONS:
            return False
    if jumps_out and not holding <= popped:
        return False
    return not holding or bool(holding & popped) or not pushes


def _does_jump_lead_to(context: Context, jump: Instruction, end: int, address: int) -> bool:
    """Whether an instruction that ends at `end` is a jump through what now holds an address."""
    site = context.site
    assert not isinstance(site, Absent)
    if jump.flow != JUMPS or jump.target is not None:
        return False
    registers = {**site.fault.registers, "rip": end - jump.length}
    if jump.target_register is not None:
        return registers.get(jump.target_register) == address
    if jump.memory is None:
        return True
    slot = jump.memory.address(registers)
    return slot is not None and read_word(context.target, slot) == address


@check("C3", needs="crash")
def return_without_return_address(context: Context) -> Iterator[Evidence]:
    """Note a return that took no return address: a feature for populations, of weight 0.

    Innocent causes: overflows, libunwind's setcontext race, the stack of a freed coroutine.
    """
    slot = popped_slot_and_word(context)
    if slot is not None:
        address, value = slot
        what = "0" if not value else f"{value:#018x}"
        summary = f"a return took {what} from {address:#x}"
        yield plain_evidence("C3", address, summary, value=hex(value))


@check("C4", needs="crash")
def one_bit_call_target(context: Context) -> Iterator[Evidence | Skipped]:
    """Look for a function's start one bit from the target of a call or jump.

    Innocent causes: an object with function pointers that was freed and reused (text, doubles and
    poison are left out); a call of the start of a page, where compilers at run time put code: such
    are often one bit apart (left out); many candidates argue against each. C4:copy when another
    word of memory holds the right pointer.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind not in (CALL, JUMP, FETCH) or site.address is None:
        return
    value = site.address
    if value < NEAR_NULL or value % PAGE == 0 or shape_of(value) is not None:
        return
    if address_index(context).pointee_at(value) is not None or data_symbol_name(context, value):
        return
    near = [flip for bit in range(64) if not (flip := value ^ 1 << bit) >> ADDRESS_BITS]
    code = [flip for flip in near if may_execute(context.target.region_at(flip))]
    starts = [flip for flip in code if begins_function(context, flip)]
    for corrected in starts:
        yield _evidence_of_call_target(context, value, corrected, len(starts))
    if not starts and context.target.region_at(value) is None:
        yield Skipped("C4", "no function known by unwind tables starts one bit from the target")


def _evidence_of_call_target(context: Context, value: int, corrected: int, rivals: int) -> Evidence:
    """Return the evidence; memory that still holds the wrong pointer tells the path."""
    site = context.site
    assert not isinstance(site, Absent)
    copies = context.places_of_word(corrected, MAX_COPIES)
    held = context.places_of_word(value, MAX_COPIES)
    held = tuple(at for at in held if at != site.fault.sp - 8)
    where: int | str = held[0] if held else "target"
    summary = (
        f"control went to {value:#018x}, one bit from the function that starts at "
        f"{corrected:#018x}{_holders_clause(context, corrected, len(copies))}"
    )
    id = "C4:copy" if copies else "C4"
    path = MEMORY if held else REGISTER
    return word_evidence(
        id, where, value, corrected, summary, path=path, rivals=rivals, copies=len(copies)
    )


def _holders_clause(context: Context, address: int, count: int) -> str:
    """Tell how many words hold an address; "" where memory was not searched."""
    if not context.was_searched(address):
        return ""
    least = "at least " if count == MAX_COPIES else ""
    hold = "holds" if count == 1 else "hold"
    return f"; {least}{counted(count, 'word')} of memory {hold} that address"


@check("C5", needs="crash")
def fault_inside_instruction(context: Context) -> Iterator[Evidence]:
    """Tell whether the faulting instruction is one of the function's, decoded from its start.

    Innocent causes: data in the text (jump tables of hand-written assembly), code that jumps over a
    lock prefix (glibc before 2.26); then decoding from the start ends at bytes that are no
    instruction, and nothing is said. Code that was not compiled from a file (JIT) is left out.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind == NO_FAULT or site.arrived:
        return
    pc = site.fault.pc
    function = context.functions.function_at(pc)
    if function is None:
        raise NotChecked("the function that holds rip is not known (no unwind tables)")
    step = _next_instruction_start(context, function, pc)
    if step != pc:
        summary = (
            f"rip {pc:#x} is inside of the instruction that ends at {step:#x} of the function "
            f"at {function.start:#x}: control came here by a wrong address"
        )
        yield plain_evidence("C5", "rip", summary, function=hex(function.start))


def _next_instruction_start(context: Context, function: Function, pc: int) -> int:
    """Return the first instruction at or after an address, from the function's start on."""
    if pc - function.start > MAX_DECODED:
        raise NotChecked(f"rip is more than {MAX_DECODED} bytes into its function")
    code = try_read(context.target, function.start, pc - function.start + MAX_LENGTH)
    if not code:
        raise NotChecked("the function's text is not in the core and no file has it")
    at = next_instruction_boundary(code, pc - function.start)
    if at is None:
        raise NotChecked("the function holds bytes that are no known instruction")
    return function.start + at


@check("C6", needs="crash")
def instruction_that_cannot_fault(context: Context) -> Iterator[Evidence | Skipped]:
    """Tell whether the instruction can have made the fault that the kernel reports.

    Innocent causes: misaligned vectors, string and gather instructions, privileged ones, and
    addresses that depend on a bit number are known and explained; another thread may have unmapped
    code; a shadow stack, bounds and tags of memory have codes of their own (left out); text that
    was changed is check R2's, and code that is written at run time (hooks, JIT compilers) may have
    been another when the CPU read it: left out where an illegal instruction stands in such memory.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind == NO_FAULT:
        return
    if site.instruction is None and not site.arrived:
        if site.kind != ILLEGAL:
            yield Skipped("C6", site.why)
        return
    instruction, code = site.instruction, site.fault.code
    if instruction is None:
        return
    if site.kind == UNEXPLAINED and site.why:  # not a code of the kernel's that is not known here
        yield _evidence_of_wrong_address(site) or plain_evidence("C6", "rip", site.why)
    elif site.kind == ARITHMETIC and instruction.name != "div" and code in (1, 2):
        why = "SIGFPE of an integer division, but the instruction does not divide"
        yield plain_evidence("C6", "rip", why)
    elif site.kind == ILLEGAL and code == 2 and _is_plain_integer_instruction(instruction):
        if was_code_page_written(context, site.fault.pc):
            yield Skipped("C6", "code that the process has written to may have been another then")
            return
        why = "SIGILL, but the instruction is one that every x86-64 CPU has"
        yield plain_evidence("C6", "rip", why)


def _is_plain_integer_instruction(instruction: Instruction) -> bool:
    """Whether every CPU runs it: plain integer code without a trap."""
    if instruction.encoding != "legacy" or instruction.flow == TRAP or instruction.privileged:
        return False
    opcode = instruction.opcode
    plain = opcode < 0x60 or 0x70 <= opcode < 0x90 or opcode in (0xC3, 0xE8, 0xE9, 0xEB, 0xC7)
    return plain and instruction.opcode_map == 0


def _evidence_of_wrong_address(site: FaultSite) -> Evidence | None:
    """The kernel's address is one bit from that of an operand: the CPU computed it wrong."""
    if site.address is None or site.instruction is None:
        return None
    for operand in site.instruction.operands:
        computed = operand.address(site.fault.registers)
        if computed is not None and len(changed_bits(computed, site.address)) == 1:
            summary = (
                f"the instruction accesses {computed:#018x}, the fault was at "
                f"{site.address:#018x}, one bit from it"
            )
            return word_evidence("C6", "address", site.address, computed, summary, path=REGISTER)
    return None


@check("C7-popped", needs="crash", order=52)
def return_address_beside_rip(context: Context) -> Iterator[Evidence]:
    """Look for the return address that a return should have taken, which went to rip instead.

    The word right below rsp is rip: a return took it, and its first instruction failed. It lies
    behind no call. Of random code addresses 1 of 10^4 is a return address, so one of the 47 that
    are one bit away in 1 of 200 at most.

    Innocent causes: a zero byte written over the lowest one (left out); thunks of retpolines, which
    return to functions (left out) and labels.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind == NO_FAULT or site.arrived:
        return
    pc, place = site.fault.pc, site.fault.sp - WORD
    if read_word(context.target, place) != pc or not pc & 0xFF:
        return
    if begins_function(context, pc) or call_returning_to(context.target, pc) is not None:
        return
    flips = [pc ^ 1 << bit for bit in range(ADDRESS_BITS)]
    right_words = [flip for flip in flips if call_returning_to(context.target, flip) is not None]
    for right in right_words:
        summary = (
            f"a return took rip from {place:#018x}, {pc:#018x}; that lies behind no call, but one "
            f"bit away {right:#018x} does"
        )
        yield word_evidence("C7:popped", place, pc, right, summary, rivals=len(right_words))


@check("C7", needs="crash", order=52)
def jump_into_function_body(context: Context) -> Iterator[Evidence]:
    """Look for the word by which control came into the middle of the function that failed.

    Either a pointer to a place before rip, in a register or in memory, one bit from the start of
    a function; or below rsp a popped word one bit from a return address.

    Innocent causes: words that name places inside of functions are return addresses (left out),
    tables of labels (functions of more than 4 KiB are left out) and of lines, as symbolisers make
    them (left out beside other words of the kind); several candidates argue against each. C7:copy
    when other words hold the right pointer, C7:called when the stack shows that the function that
    the right return address belongs to had run.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind == NO_FAULT or site.arrived:
        return
    function = context.functions.function_at(site.fault.pc)
    if function is None or site.fault.pc - function.start > MAX_FUNCTION:
        return
    candidates = list(_evidence_of_jump_by_return(context, site, function))
    if not _is_called_directly(context, site, function):
        candidates = [*_evidence_of_jump_by_pointer(context, site, function), *candidates]
    for candidate in candidates:
        yield candidate._replace(facts={**candidate.facts, "rivals": len(candidates)})


def _is_called_directly(context: Context, site: FaultSite, function: Function) -> bool:
    """Whether a direct call of its start leads to a function: no pointer led to the middle then."""
    walk = Unwinder(context.target, context.functions).walk(site.fault.registers)
    behind = next((frame.pc for frame in islice(walk, 1, 2)), 0)
    call = call_returning_to(context.target, behind)
    if call is None:
        return False
    return (
        find_callee(context.target, InstructionAtAddress(behind - call.length, call))
        == function.start
    )


def _evidence_of_jump_by_pointer(
    context: Context, site: FaultSite, function: Function
) -> Iterator[Evidence]:
    pc = site.fault.pc
    inside: dict[int, list[int]] = {}  # a place in the function -> starts one bit away
    for value in range(max(function.start + 1, pc - MAX_RUN), pc + 1):
        starts = [
            start for bit in range(MAX_BIT) if begins_function(context, start := value ^ 1 << bit)
        ]
        if starts and call_returning_to(context.target, value) is None:
            inside[value] = starts
    context.search_words_together(list(inside), PLACES)
    for value, starts in inside.items():
        registers = site.fault.registers
        names = [n for n in GENERAL if registers.get(n) == value]
        places = tuple(
            at
            for at in context.places_of_word(value, PLACES)
            if not _is_in_jump_table(context, at, value)
        )
        if site.fault.origin != "core" and pc - value < MAX_LENGTH:
            continue  # what reported the fault keeps rip, and looks for the instruction before it
        if value == pc:  # signal frames hold it
            places = tuple(at for at in places if not is_on_stack(context, at))
        if not places and not names:
            continue
        for right in starts:
            copies = len(context.places_of_word(right, COPIES)) if places else 0
            once = len(places) == 1 and not is_on_stack(context, places[0])
            summary = (
                f"{value:#018x} is inside of the function that failed, at or before rip, and one "
                f"bit from {right:#018x}, where a function begins"
            )
            yield word_evidence(
                "C7:copy" if once and copies == COPIES else "C7",
                places[0] if places else names[0],
                value,
                right,
                summary,
                path=MEMORY if places else REGISTER,
            )


def _is_in_jump_table(context: Context, place: int, value: int) -> bool:
    """Whether words beside a place name places inside of functions nearby too."""
    around = read_words(context, place - ROWS * WORD, 2 * ROWS + 1)
    near = (word for word in around if word != value and abs(word - value) < MAX_FUNCTION)
    return any(
        not begins_function(context, word) and call_returning_to(context.target, word) is None
        for word in near
    )


def _evidence_of_jump_by_return(
    context: Context, site: FaultSite, function: Function
) -> Iterator[Evidence]:
    """A return address that one bit moved by a few bytes: the popped word lies below rsp."""
    pc, sp = site.fault.pc, site.fault.sp
    for place in range(sp - 8, sp - 8 * POPPED - 8, -8):
        value = read_word(context.target, place)
        if value is None or not 0 <= pc - value < MAX_WALKED:
            continue
        if not value & 0xFF:
            continue  # a zero written over its lowest byte, as overflows do (seen in 1 of 916)
        if not function.start <= value or call_returning_to(context.target, value) is not None:
            continue
        for bit in range(MAX_BIT):
            right = value ^ 1 << bit
            if context.functions.function_at(right) != function or right > pc + MAX_WALKED:
                continue
            call = call_returning_to(context.target, right)
            if call is not None:
                summary = (
                    f"the popped word at {place:#018x}, {value:#018x}, is at or before rip, and "
                    f"one bit (bit {bit}) from {right:#018x}, which lies behind a call"
                )
                yield word_evidence(
                    "C7:called"
                    if _did_returning_function_run(context, right, call, place)
                    else "C7",
                    place,
                    value,
                    right,
                    summary,
                )


def _did_returning_function_run(
    context: Context, behind: int, call: Instruction, place: int
) -> bool:
    """Whether below a popped word lie return addresses in the function that returned by it."""
    start = find_callee(context.target, InstructionAtAddress(behind - call.length, call))
    function = context.functions.function_at(start) if start is not None else None
    if function is None:
        return False
    below = read_words(context, place - WORD * BELOW, BELOW)
    return any(
        function.start < word <= function.end
        and call_returning_to(context.target, word) is not None
        for word in below
    )
