# SPDX-License-Identifier: Apache-2.0
"""R4, R19, R23: what stands on the stack against second copies of it.

R4: a stack canary against the thread's own, and that against its source. R19: the frame pointer
against the stack pointer, by the code of the function that uses both. R23: registers that functions
saved against what the caller made the same argument from.

A function that copies an argument into a register of its caller's before any branch, and writes
that register nowhere else, holds the argument there at each of its calls. What it calls saves the
register; the caller made the argument from registers that were saved too. So the same value lies
in two slots of the stack, and both are known by the unwind tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.evidence import (
    MEMORY,
    REGISTER,
    UNKNOWN,
    Evidence,
    NotChecked,
    changed_bits,
    require,
    word_evidence,
)
from gdb_epi.corruption.heap.address_index import address_index
from gdb_epi.corruption.heap.readers import read_words
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.replay.preceding_code import (
    find_callee,
    find_preceding_path,
    stack_pointer_change,
)
from gdb_epi.corruption.replay.register_origins import RecomputedRegister, recompute_registers
from gdb_epi.errors import Absent
from gdb_epi.fault.instructions import (
    ARGUMENTS,
    InstructionAtAddress,
    call_before,
    call_returning_to,
)
from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.fault.memory_reads import read_up_to, read_word
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Thread
from gdb_epi.target.auxv import AT_RANDOM
from gdb_epi.target.cfi import SAVED, Unwinder, UnwoundFrame
from gdb_epi.target.function_bounds import Function
from gdb_epi.target.libc import runs_on_musl
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import Instruction
from gdb_epi.x86.decode import decode_instructions
from gdb_epi.x86.instruction import JUMP, NEXT, RETURN, TRAP
from gdb_epi.x86.register_changes import ADDRESS, CONSTANT, COPY, changed_registers, value_source

GUARD_AT = 0x28  # tcbhead_t.stack_guard (glibc sysdeps/x86_64/nptl/tls.h); the compilers' ABI
POINTER_GUARD_AT = 0x30
BELOW = 4096  # bytes under rsp: frames that were just left
REACH = 1 << 20  # bytes above rsp that are read of one thread
MAX_THREADS = 4096
LOW_BITS = 8  # byte 0 of a canary is 0: a one-byte overflow changes it
MAX_FUNCTION = 4096  # bytes that are decoded
LEAVE = 0xC9
SMASHED = "S:abort-fortify"
# A push or two that were not counted give these: then another copy must say that rbp is wrong.
NEAR_BITS = range(3, 9)
STACK_WORDS = 512  # above rsp in which the frame that called abort() is looked for
PLACES = 2
MAX_FRAMES = 24  # in a default run: 0.15 milliseconds each
MAX_SWEPT = 256
MAX_COPYING_FUNCTION = 8 << 10  # bytes that are decoded; the eval loop has more
MAX_IN_DOUBT = 3  # frames that a default run looks at
MAX_DECODED = 4 << 10  # bytes of functions in a default run: 1.5 milliseconds a KiB


@check("R4")
def check_stack_canaries(context: Context) -> Iterator[Evidence]:
    """Look on stacks for words one bit from fs:0x28, and compare fs:0x28 with AT_RANDOM.

    Innocent causes: an overflow by one byte into the canary's lowest byte, which is 0 (bits 0 to 7
    are not looked at); a random word is one bit from the canary with chance 2^-58. glibc takes the
    canary and the pointer guard of all threads from the 16 bytes that the kernel put on the stack.
    """
    threads = context.target.threads()
    guards = {thread.tid: _read_stack_guard(context, thread) for thread in threads[:MAX_THREADS]}
    held_guards = [guard for guard in guards.values() if guard]
    if not held_guards:
        raise NotChecked("no thread's fs:0x28 can be read, or it is 0")
    usual = max(held_guards, key=held_guards.count)
    yield from _compare_guards_with_at_random(context, guards, usual)
    for thread in threads[:MAX_THREADS]:
        yield from _evidence_of_wrong_canaries(context, thread, usual)


def _read_stack_guard(context: Context, thread: Thread, at: int = GUARD_AT) -> int:
    words = read_words(context, thread.registers.get("fs_base", 0) + at, 1)
    return words[0] if words else 0


def _compare_guards_with_at_random(
    context: Context, guards: dict[int, int], usual: int
) -> Iterator[Evidence]:
    """Compare the guards of each thread with the kernel's random bytes (csu/libc-start.c)."""
    # musl clears another byte of them (src/env/__stack_chk_fail.c), and has no pointer guard.
    at_random = 0 if runs_on_musl(context.target) else context.target.auxv().get(AT_RANDOM, 0)
    random_words = read_words(context, at_random, 2)
    seen: set[int] = set()
    for thread in context.target.threads()[:MAX_THREADS]:
        base = thread.registers.get("fs_base", 0)
        if base in seen:
            continue
        seen.add(base)
        guard = guards.get(thread.tid, 0)
        pairs = [(GUARD_AT, guard, usual)]
        if random_words:
            pointer_guard = _read_stack_guard(context, thread, POINTER_GUARD_AT)
            pairs.insert(0, (GUARD_AT, guard, random_words[0] & ~0xFF))
            pairs.append((POINTER_GUARD_AT, pointer_guard, random_words[1]))
        for at, held, right in pairs:
            if (held ^ right).bit_count() == 1:
                summary = (
                    f"fs:{at:#x} of thread {thread.tid} differs in one bit from its copy (the "
                    "kernel's random bytes, other threads)"
                )
                yield word_evidence("R4", base + at, held, right, summary, tid=thread.tid)
                break


def _evidence_of_wrong_canaries(context: Context, thread: Thread, guard: int) -> Iterator[Evidence]:
    sp = thread.registers.get("rsp", 0)
    region = context.target.region_at(sp)
    if region is None or "w" not in region.perms:
        return
    start = max(region.start, sp - BELOW) & ~7
    end = min(region.dumped_end, sp + REACH)
    if context.sweep:
        start, end = region.start, region.dumped_end
    if end <= start or not context.budget.take_bytes(end - start):
        return
    words = read_words(context, start, (end - start) // WORD)
    near = {guard ^ 1 << bit for bit in range(LOW_BITS, 64)}
    if near.isdisjoint(words):
        return
    for number, word in enumerate(words):
        if word in near:
            at = start + 8 * number
            dead = ", in a frame that was left already" if at < sp else ""
            summary = (
                f"the word at {at:#x} on the stack of thread {thread.tid} is one bit from the "
                f"canary in fs:0x28{dead}"
            )
            yield word_evidence("R4", at, word, guard, summary, tid=thread.tid)


class FramePosition(NamedTuple):
    """A function that is at `pc` with a stack pointer of `sp`."""

    pc: int
    sp: int
    held: tuple[int, ...]  # what may be its rbp: the register, or what its callees saved
    checked: bool  # it called __stack_chk_fail: so it did not find its canary


@check("R19", needs="crash", order=53)
def frame_pointer(context: Context) -> Iterator[Evidence]:
    """Compute rbp from rsp in a function that keeps a frame pointer, and compare it by bits.

    Innocent causes: an overrun of a buffer that reaches the saved frame pointer changes its lowest
    byte first: a zero there is left out, other text is not one bit off. Functions that move rsp
    between prologue and return (alloca, pushed arguments) are left out. A function that misses its
    canary counts only when the canary is whole where rbp should have led it.
    """
    frame = _position_of_failed_function(context)
    if frame is None:
        return
    function = context.functions.function_at(frame.pc - 1)
    depth = _rbp_above_rsp(context, function, frame.pc) if function is not None else None
    if depth is None:
        return
    right = frame.sp + depth
    if right in frame.held or (
        frame.checked and not _is_canary_whole_in_range(context, frame.sp, right)
    ):
        return
    near = [word for word in dict.fromkeys(frame.held) if len(changed_bits(word, right)) == 1]
    popped = frame.sp - 2 * WORD  # where a function that this one called had saved it
    saved = read_word(context.target, popped)
    for value in [saved] if saved in near else near:
        if not value & 0xFF or (changed_bits(value, right)[0] in NEAR_BITS and not frame.checked):
            continue
        is_saved = frame.checked or saved == value
        places = (popped,) if is_saved else context.places_of_word(value, PLACES)
        summary = (
            f"rbp was {value:#018x} at {frame.pc:#x}; the function there put it {depth} bytes "
            f"above rsp, which is {right:#018x}"
        )
        yield word_evidence(
            "R19",
            places[0] if places else "rbp",
            value,
            right,
            summary,
            path=MEMORY if places else REGISTER,
            rivals=1 if saved in near else len(near),
        )


def _position_of_failed_function(context: Context) -> FramePosition | None:
    """Return the function that failed, or that reported its canary as overwritten."""
    fault = context.fault
    if isinstance(fault, Absent):
        return None
    rbp = fault.registers.get("rbp")
    if fault.is_hardware_trap:
        return None if rbp is None else FramePosition(fault.pc, fault.sp, (rbp,), False)
    if not any(evidence.id == SMASHED for evidence in context.evidence):
        return None  # else a pointer to the function after would look like a return address
    words = read_words(context, fault.sp & -WORD, STACK_WORDS)
    for number, word in enumerate(words):
        call = call_returning_to(context.target, word)
        to = (
            find_callee(context.target, InstructionAtAddress(word - call.length, call))
            if call
            else None
        )
        if to is not None and to == _address_of_stack_chk_fail(context):
            sp = (fault.sp & -WORD) + WORD * (number + 1)
            return FramePosition(word, sp, (*words[:number], rbp or 0), True)
    return None


@once_per_run
def _address_of_stack_chk_fail(context: Context) -> int | None:
    """Return the function that a damaged canary leads to."""
    return context.target.symbol("__stack_chk_fail")


def _is_canary_whole_in_range(context: Context, start: int, end: int) -> bool:
    fault = context.fault
    base = 0 if isinstance(fault, Absent) else fault.registers.get("fs_base", 0)
    guard = read_words(context, base + GUARD_AT, 1)
    frame = read_words(context, start, (end - start) // WORD)
    return bool(guard) and guard[0] != 0 and guard[0] in frame


def _rbp_above_rsp(context: Context, function: Function, pc: int) -> int | None:
    """Return how far above rsp a function's rbp is at `pc`; None when that is not sure."""
    size = function.end - function.start
    code = read_up_to(context.target, function.start, min(size, MAX_FUNCTION))
    if len(code) < size:
        return None
    depth = ends = 0
    framed = branched = False
    for at, instruction in decode_instructions(code):
        if instruction is None:
            return None
        change = stack_pointer_change(instruction)
        behind = function.start + at + instruction.length
        if instruction.flow not in (NEXT, TRAP):
            branched = True
        elif _is_mov_rsp_to_rbp(instruction) and not branched:
            framed, depth = True, 0
        elif change is None:
            if instruction.opcode != LEAVE and (
                instruction.memory is None or instruction.memory.base != "rbp"
            ):
                return None
        elif change < 0:
            if branched:
                return None  # rsp moves later on
            depth, ends = depth - change, behind
        if behind - instruction.length < pc <= behind and (change is None or change > 0):
            return None  # on the way out
    return depth if framed and function.start < ends <= pc else None


def _is_mov_rsp_to_rbp(instruction: Instruction) -> bool:
    """Whether it is mov %rsp,%rbp."""
    opcode, registers = (
        (instruction.opcode_map, instruction.opcode),
        (instruction.rm, instruction.reg),
    )
    return opcode == (0, 0x89) and registers == ("rbp", "rsp")


@check("R23", costly=True, needs="crash", order=54)
def saved_registers(context: Context) -> Iterator[Evidence]:
    """Compare an argument that a function keeps in a register with what its caller made it from.

    Both lie on the stack, in slots that the unwind tables name; the code of both functions says
    that they are equal. One bit differs, and only one of the two words leads anywhere, or is where
    something begins.

    Innocent causes: code that was changed since, or is not what ran; functions that came here by a
    jump (calls must name the very function); an overrun of the stack: it differs in many bits, or
    leaves a zero as the lowest byte.
    """
    unwinder = Unwinder(context.target, context.functions)
    walk = unwinder.walk(require(context.fault).registers)
    frames = list(islice(walk, MAX_SWEPT if context.sweep else MAX_FRAMES))
    if len(frames) < 2:
        raise NotChecked("no unwind table leads out of the innermost function")
    for link in registers_known_from_caller(context, frames):
        context.counts["arguments kept"] = context.counts.get("arguments kept", 0) + 1
        if (link.held ^ link.expected).bit_count() == 1:
            yield from _evidence_of_wrong_copy(context, frames, link)


def _evidence_of_wrong_copy(
    context: Context, frames: list[UnwoundFrame], link: RegisterKnownFromCaller
) -> Iterator[Evidence]:
    """Yield the word that leads nowhere when the other one does, or begins nothing."""
    words = (link.held, link.expected)
    held, expected = (is_mapped(context, word) for word in words)
    if held and expected:
        held, expected = (address_index(context).pointee_at(word) is not None for word in words)
    if expected and (not held or link.kind == CONSTANT):
        place = find_saved_register_slot(frames, link.frame, link.register)
        wrong, right = link.held, link.expected
    elif held and not expected and link.kind == COPY:
        theirs = frames[link.frame + 1].registers
        name = next((saved for saved in SAVED if theirs.get(saved) == link.expected), None)
        if name is None:
            return
        place = find_saved_register_slot(frames, link.frame + 1, name)
        wrong, right = link.expected, link.held
    else:
        return
    if not wrong & 0xFF and (wrong ^ right) <= 0xFF:
        return  # as a string that ends one byte too far leaves it
    summary = (
        f"the argument that the call at {link.call:#x} passed is {link.held:#018x} in "
        f"{link.register} of the called function, which only copied it, and {link.expected:#018x} "
        "by what the caller made it from"
    )
    yield word_evidence(
        "R23", place, wrong, right, summary, path=UNKNOWN if isinstance(place, str) else MEMORY
    )


def find_saved_register_slot(frames: list[UnwoundFrame], number: int, register: str) -> int | str:
    """Return where a frame's register is saved; its name when nothing saved it."""
    for frame in reversed(frames[:number]):
        if register in frame.slots:
            return frame.slots[register]
    return register


class RegisterKnownFromCaller(NamedTuple):
    """A register of a frame (its number, 0 the innermost) and what its caller made it from."""

    frame: int
    register: str
    held: int
    expected: int
    kind: str  # COPY, ADDRESS or CONSTANT
    call: int  # address of the caller's call instruction


_Pair = tuple[int, tuple[UnwoundFrame, UnwoundFrame]]  # a frame's number, it and its caller


class _StoredArgument(NamedTuple):
    argument: str
    register: str
    behind: int  # bytes from the function's start from which on it holds


def registers_known_from_caller(
    context: Context, frames: list[UnwoundFrame]
) -> Iterator[RegisterKnownFromCaller]:
    """Yield the registers that are known twice.

    By default of those few frames that have a register which leads nowhere, or is one bit from
    one of the caller's.
    """
    pairs = list(enumerate(pairwise(frames)))
    if not context.sweep:
        pairs = _most_doubtful_frames(context, pairs)
    for number, (inner, outer) in pairs:
        yield from _arguments_known_from_caller(context, number, inner, outer)


def _most_doubtful_frames(context: Context, pairs: list[_Pair]) -> list[_Pair]:
    """Return the most doubtful frames, as far as the limits allow."""
    doubts = {number: _frame_doubtfulness(context, *pair) for number, pair in pairs}
    chosen = sorted((pair for pair in pairs if doubts[pair[0]]), key=lambda pair: -doubts[pair[0]])
    left = MAX_DECODED
    affordable = []
    for pair in chosen[:MAX_IN_DOUBT]:
        function = _function_of_frame(context, pair[0], pair[1][0])
        size = 0 if function is None else function.end - function.start
        if 0 < size <= left:
            left -= size
            affordable.append(pair)
    return affordable


def _function_of_frame(context: Context, number: int, frame: UnwoundFrame) -> Function | None:
    return context.functions.function_at(frame.pc - 1 if number else frame.pc)


def _frame_doubtfulness(context: Context, inner: UnwoundFrame, outer: UnwoundFrame) -> int:
    """Return how doubtful the registers of a frame are: 0 to 2."""
    theirs = [outer.registers.get(name, 0) for name in SAVED]
    level = 0
    for name in SAVED:
        word = inner.registers.get(name, 0)
        near = [other for other in theirs if (word ^ other).bit_count() == 1]
        there = is_mapped(context, word)
        if (word >> 32 and not there) or any(is_mapped(context, other) != there for other in near):
            return 2
        if near and there:
            level = 1
    return level


def is_mapped(context: Context, word: int) -> bool:
    """Tell whether something is mapped at an address."""
    return word >= NEAR_NULL and context.target.region_at(word) is not None


def _arguments_known_from_caller(
    context: Context, number: int, inner: UnwoundFrame, outer: UnwoundFrame
) -> Iterator[RegisterKnownFromCaller]:
    function = _function_of_frame(context, number, inner)
    caller_call = call_before(context.target, outer.pc)
    if function is None or caller_call is None:
        return
    call = outer.pc - caller_call.length
    # An indirect call, or one of another function, may have come here by a jump, with changed
    # arguments.
    if find_callee(context.target, InstructionAtAddress(call, caller_call)) != function.start:
        return
    kept = {
        kept_argument.argument: kept_argument.register
        for kept_argument in _registers_of_stored_arguments(context, function)
        if function.start + kept_argument.behind <= inner.pc
        and inner.slots.get(kept_argument.register, 0)
        >= inner.registers["rsp"]  # not given back yet
        and kept_argument.register in inner.registers
    }
    if not kept:
        return
    registers = {**outer.registers, **{a: inner.registers[r] for a, r in kept.items()}}
    path = find_preceding_path(context, call, registers)
    for remade in recompute_registers(context.target, path, registers) if path is not None else ():
        if remade.register in kept and _is_value_told_by_code_alone(remade):
            yield RegisterKnownFromCaller(
                number, kept[remade.register], remade.held, remade.expected, remade.kind, call
            )


def _is_value_told_by_code_alone(remade: RecomputedRegister) -> bool:
    """Tell whether nothing but the code tells the value: memory may have been stored to since."""
    return remade.kind in (COPY, ADDRESS, CONSTANT) and remade.size == 8


@once_per_run
def _registers_of_stored_arguments(
    context: Context, function: Function
) -> tuple[_StoredArgument, ...]:
    """Return the registers that a function writes once, with an argument, before it branches."""
    size = function.end - function.start
    code = read_up_to(context.target, function.start, min(size, MAX_COPYING_FUNCTION + 1))
    if not 0 < size == len(code) <= MAX_COPYING_FUNCTION:
        return ()
    writers: dict[str, list[_StoredArgument | None]] = {name: [] for name in SAVED}
    gone: set[str] = set()  # registers that were written
    straight, pushed = True, False
    earliest = size  # that a branch leads to
    for at, instruction in decode_instructions(code):
        if instruction is None:
            return ()
        leaves = instruction.flow in (RETURN, JUMP)
        change = frozenset() if leaves else changed_registers(instruction)
        if change is None:
            return ()
        behind = at + instruction.length
        for name in change & writers.keys():
            if pushed or not _is_pop_or_leave(instruction):
                argument = _copied_argument(instruction, name) if straight else None
                usable = argument is not None and argument not in gone
                writers[name].append(
                    _StoredArgument(argument or "", name, behind) if usable else None
                )
        gone |= change
        to = instruction.jump_target_address(behind)
        if to is not None and to >= 0:  # others lead to the split-off part
            earliest = min(earliest, to)
        straight = straight and instruction.flow in (NEXT, TRAP)
        pushed = _is_push(instruction)
    once = [kept[0] for kept in writers.values() if len(kept) == 1]
    return tuple(kept for kept in once if kept is not None and kept.behind <= earliest)


def _copied_argument(instruction: Instruction, register: str) -> str | None:
    """Return the argument that an instruction copies into a register."""
    how = value_source(instruction, register)
    whole = how.kind == COPY and how.size == 8 and isinstance(how.source, str)
    return str(how.source) if whole and how.source in ARGUMENTS else None


def _is_pop_or_leave(instruction: Instruction) -> bool:
    """Tell whether it is a pop or a leave: the end of the function, but not right after a push."""
    return (
        instruction.encoding == "legacy"
        and instruction.opcode_map == 0
        and (0x58 <= instruction.opcode < 0x60 or instruction.opcode == LEAVE)
    )


def _is_push(instruction: Instruction) -> bool:
    if instruction.encoding != "legacy" or instruction.opcode_map != 0:
        return False
    return 0x50 <= instruction.opcode < 0x58 or instruction.opcode in (0x68, 0x6A)
