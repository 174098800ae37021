# SPDX-License-Identifier: Apache-2.0
"""What surely ran before an instruction: its block, the caller's up to the call, a callee's return.

Only code that no branch leads into counts: after the head of a loop a register may differ from what
the code above it says by a power of two, and nothing is wrong.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.replay.code_map import (
    ELSEWHERE,
    build_code_map,
    code_map_around,
    entries_from_elsewhere,
)
from gdb_epi.fault.fault_site import FaultSite
from gdb_epi.fault.instructions import InstructionAtAddress, call_before, instructions_before
from gdb_epi.fault.mapping_checks import may_execute
from gdb_epi.fault.memory_reads import read_up_to, read_word, try_read
from gdb_epi.sizes import WORD, WORD_MASK
from gdb_epi.target.api import Target
from gdb_epi.target.function_bounds import Function
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MAX_LENGTH, decode
from gdb_epi.x86.decode import instruction_length
from gdb_epi.x86.instruction import BRANCH, CALL, JUMP, NEXT, RETURN, Instruction
from gdb_epi.x86.register_changes import changed_registers

WINDOW = 96  # bytes of code before an instruction
SHORT = 130  # bytes that a short branch reaches
MAX_FUNCTION = 1 << 18  # bytes of a function searched for branches
MAX_STEPS = 48
MAX_CALLERS = 2
MAX_CALLEE = 2048  # bytes of a callee that are decoded for its returns
MAX_RETURNS = 6
MAX_WAYS = 8  # that lead to one place
MAX_VISITED = 300  # instructions
_PUSHES = frozenset((*range(0x50, 0x58), 0x68, 0x6A))


class CodePath(NamedTuple):
    """Instructions that ran one after the other; those in `skippable` a branch may have skipped.

    `end` is the address after the last one. After a call comes the called function's first
    instruction, or what follows the call; then what ran in between is not known.
    """

    steps: tuple[InstructionAtAddress, ...]
    skippable: frozenset[int]  # numbers of steps
    end: int

    @property
    def start(self) -> int:
        """The address of the first instruction."""
        return self.steps[0].address if self.steps else self.end

    def address_after_step(self, number: int) -> int:
        """Return the address of the instruction after a step."""
        return self.steps[number + 1].address if number + 1 < len(self.steps) else self.end

    def steps_over(self, number: int) -> bool:
        """Tell whether a step is a call whose function's instructions are not in the path."""
        step = self.steps[number]
        behind = step.address + step.instruction.length
        return step.instruction.flow == CALL and self.address_after_step(number) == behind


def find_preceding_path(
    context: Context, pc: int, registers: dict[str, int], callers: int = MAX_CALLERS
) -> CodePath | None:
    """Return what ran before the instruction at `pc`, into its callers as far as that is sure.

    What an indirect call called is not known: it may have come here by a jump. None when the code
    cannot be read or decoded.
    """
    steps = _instructions_before(context, pc)
    if steps is None:
        return None
    path = _straight_line_before(context, steps, pc)
    for _ in range(callers):
        longer = _prepend_caller(context, path, registers)
        if longer is None:
            break
        path = longer
    return path


def find_instruction_that_made(
    context: Context, site: FaultSite, register: str
) -> Instruction | None:
    """Return the last instruction before a fault that changes a register; None where unknown."""
    path = find_preceding_path(context, site.fault.pc, dict(site.fault.registers))
    for step in reversed(path.steps if path is not None else ()):
        changed = changed_registers(step.instruction)
        if changed is None or register in changed:
            return step.instruction
    return None


def paths_from_definitions(
    context: Context, path: CodePath, register: str, registers: dict[str, int]
) -> list[CodePath]:
    """Return the shortest way to a path from each place where a register may have been made.

    One of these places made it, as far as direct branches tell; loops that leave it alone lead to
    no further place. Empty where they are not all known, or are many.
    """
    head = path.start
    exact = code_map_around(context, head)
    if exact is None or not exact.begins_instruction(head):
        return []
    # By an instruction's address: the step that follows it.
    onward: dict[int, InstructionAtAddress | None] = {}
    ways: list[CodePath] = []
    worklist = [(head, path.steps[0] if path.steps else None)]
    while worklist:
        at, step = worklist.pop(0)
        if at == exact.function.start:
            way = _prepend_caller(context, _prepend_steps(path, step, onward), registers)
            if way is None:
                return []
            ways.append(way)
        elif at == exact.starts[0]:
            return []  # what lies before it was not decoded
        for last in exact.predecessors(at):
            if last in onward:
                continue
            if last == ELSEWHERE:
                return []
            instruction = decode(read_up_to(context.target, last, MAX_LENGTH))
            change = changed_registers(instruction) if instruction is not None else None
            if instruction is None or change is None or len(onward) == MAX_VISITED:
                return []
            if last == head:
                if register in change:
                    return []
                continue
            before_it = InstructionAtAddress(last, instruction)
            onward[last] = step
            if register not in change:
                worklist.append((last, before_it))
                continue
            steps = _instructions_before(context, last)
            if steps is None or len(ways) == MAX_WAYS:
                return []
            way = _prepend_steps(path, before_it, onward)
            way = _concatenate_paths(_straight_line_before(context, steps, last), way)
            ways.append(_prepend_caller(context, way, registers) or way)
    return ways


def _prepend_steps(
    path: CodePath,
    step: InstructionAtAddress | None,
    onward: dict[int, InstructionAtAddress | None],
) -> CodePath:
    """Return the steps from one on to a path, and the path."""
    steps: list[InstructionAtAddress] = []
    while step is not None and step.address != path.start:
        steps.append(step)
        step = onward.get(step.address)
    return _concatenate_paths(CodePath(tuple(steps), frozenset(), path.start), path)


def _concatenate_paths(first: CodePath, other: CodePath) -> CodePath:
    """Return two trails one after the other."""
    count = len(first.steps)
    later = frozenset(count + n for n in other.skippable)
    return CodePath((*first.steps, *other.steps), first.skippable | later, other.end)


def paths_through_callee(context: Context, path: CodePath) -> list[CodePath]:
    """Return what may have run in the function that was called last: the ends of its returns.

    Empty where one of them is not known, or where it may end by a jump to another function.
    """
    calls = [n for n in range(len(path.steps)) if path.steps_over(n)]
    if not calls:
        return []
    last = calls[-1]
    start = find_callee(context.target, path.steps[last])
    function = context.functions.function_at(start) if start is not None else None
    if function is None or function.start != start:
        return []
    skippable = frozenset(n - last for n in path.skippable if n > last)
    paths: list[CodePath] = []
    for step in _return_instructions(context, function):
        steps = _instructions_before(context, step.address)
        if steps is None:
            return []
        onward = CodePath((step, *path.steps[last + 1 :]), skippable, path.end)
        paths.append(
            _concatenate_paths(_straight_line_before(context, steps, step.address), onward)
        )
    return paths


def _instructions_before(context: Context, pc: int) -> list[InstructionAtAddress] | None:
    """Return the instructions before an address: exactly, where its function is not too long."""
    code = build_code_map(context, pc)
    if code is None or not code.begins_instruction(pc):
        return instructions_before(context.target, pc, WINDOW)
    end = bisect_left(code.starts, pc)
    first = bisect_left(code.starts, pc - WINDOW, max(0, end - MAX_STEPS), end)
    steps = []
    for at in code.starts[first:end]:
        instruction = decode(read_up_to(context.target, at, MAX_LENGTH))
        if instruction is None:
            return None
        steps.append(InstructionAtAddress(at, instruction))
    return steps


def _return_instructions(context: Context, function: Function) -> list[InstructionAtAddress]:
    """Return the returns of a function; none where it has other ends, or not all were seen."""
    code = None
    if function.end - function.start <= MAX_CALLEE:
        code = build_code_map(context, function.start)
    if code is None or not all(function.start <= to < function.end for to in code.sources):
        return []  # unknown, or on to another function, or to a part that was split off
    returns: list[InstructionAtAddress] = []
    for at in sorted(code.ends):
        instruction = decode(read_up_to(context.target, at, MAX_LENGTH))
        if instruction is None or (instruction.flow == JUMP and instruction.target is None):
            return []  # the jump may lead to another function
        if instruction.flow == RETURN:
            returns.append(InstructionAtAddress(at, instruction))
    return returns if len(returns) <= MAX_RETURNS else []


def find_callee(target: Target, call: InstructionAtAddress) -> int | None:
    """Return the function that a direct call leads to, through the linkage table too."""
    instruction = call.instruction
    if instruction.target is None:
        return None
    to = call.address + instruction.length + instruction.target
    code = read_up_to(target, to, 2 * MAX_LENGTH)
    at = 4 if code.startswith(b"\xf3\x0f\x1e\xfa") else 0  # endbr64
    jump = decode(code[at : at + MAX_LENGTH])
    if jump is not None and jump.flow == JUMP and jump.explicit_operand is not None:
        slot = jump.explicit_operand.address({"rip": to + at})
        through = read_word(target, slot) if slot is not None else None
        return through if through and may_execute(target.region_at(through)) else None
    return to


def compute_stack_pointers(path: CodePath, last: int) -> list[int | None]:
    """Return rsp before each step of a path, `last` being that at the end; None if unknown."""
    values: list[int | None] = []
    value: int | None = last
    for number in range(len(path.steps) - 1, -1, -1):
        by = 0 if path.steps_over(number) else stack_pointer_change(path.steps[number].instruction)
        value = None if value is None or by is None else (value - by) & WORD_MASK
        values.append(value)
    return values[::-1]


def stack_pointer_change(instruction: Instruction) -> int | None:
    """Return what an instruction adds to rsp; None when that is not known."""
    if instruction.flow == CALL:
        return -WORD
    if instruction.flow == RETURN:
        return WORD
    opcode = instruction.opcode
    if instruction.encoding != "legacy" or instruction.opcode_map != 0:
        # A name in ModRM may be a vector register or a source; only cmov writes the stack pointer.
        is_cmov = instruction.opcode_map == 1 and 0x40 <= opcode < 0x50
        return None if is_cmov and instruction.reg == "rsp" else 0
    if opcode in _PUSHES or (opcode, instruction.modrm_reg) == (0xFF, 6):
        return -WORD
    if 0x58 <= opcode < 0x60:
        return WORD if instruction.reg != "rsp" else None
    if opcode in (0x8F, 0x9C, 0x9D, 0xC8, 0xC9):
        return {0x9C: -WORD, 0x9D: WORD}.get(opcode)
    if opcode in (0x81, 0x83) and instruction.rm == "rsp" and instruction.modrm_reg in (0, 5, 7):
        return (instruction.immediate or 0) * {0: 1, 5: -1, 7: 0}[instruction.modrm_reg]
    if opcode == 0x8D and instruction.reg == "rsp":
        operand = instruction.memory
        plain = operand is not None and operand.registers() == ("rsp",)
        return operand.displacement if operand is not None and plain else None
    if opcode in (0x89, 0x01, 0x29, 0x21, 0x09, 0x31, 0x83, 0x81) and instruction.rm == "rsp":
        return None
    return None if opcode in (0x8B, 0x03, 0x2B) and instruction.reg == "rsp" else 0


def _prepend_caller(context: Context, path: CodePath, registers: dict[str, int]) -> CodePath | None:
    """Return a path with the code of the caller before it, when it begins with its function."""
    first = path.start
    function = context.functions.function_at(first)
    sp = compute_stack_pointers(path, registers.get("rsp", 0))
    at = sp[0] if sp else registers.get("rsp")
    if function is None or function.start != first or at is None:
        return None
    behind = read_word(context.target, at)
    caller_call = call_before(context.target, behind) if behind else None
    if caller_call is None or behind is None:
        return None
    call = InstructionAtAddress(behind - caller_call.length, caller_call)
    if caller_call.target is not None and find_callee(context.target, call) not in (None, first):
        return None  # came here by a jump from what was called, with changed registers
    steps = _instructions_before(context, call.address)
    if steps is None:
        return None
    called = _concatenate_paths(CodePath((call,), frozenset(), first), path)
    return _concatenate_paths(_straight_line_before(context, steps, call.address), called)


def _straight_line_before(context: Context, steps: list[InstructionAtAddress], pc: int) -> CodePath:
    """Return the last steps of a function that no branch from elsewhere leads into.

    A branch of the block itself that skips a part of it leaves the rest as it is.
    """
    function = context.functions.function_at(pc)
    low = function.start if function is not None else 0
    steps = [step for step in steps[-MAX_STEPS:] if step.address >= low]
    joins = branch_targets(context, steps[0].address, pc) if steps else {}
    first = len(steps)
    while first > 0 and steps[first - 1].instruction.flow in (NEXT, BRANCH, CALL):
        at = steps[first].address if first < len(steps) else pc
        if any(not steps[0].address <= source < at for source in joins.get(at, ())):
            break  # `at` is led to from elsewhere: what lies before it may not have run
        first -= 1
    low = steps[first].address if first < len(steps) else pc
    # Sources before the block's beginning are elsewhere too: cut again until none is left.
    for number in range(first, len(steps) + 1):
        at = steps[number].address if number < len(steps) else pc
        if number > first and any(source < low for source in joins.get(at, ())):
            first, low = number, at
    skipped = [(source, at) for at, sources in joins.items() for source in sources if source >= low]
    kept = steps[first:]
    skippable = frozenset(
        number
        for number, step in enumerate(kept)
        if any(source < step.address < at for source, at in skipped)
    )
    return CodePath(tuple(kept), skippable, pc)


def branch_targets(context: Context, low: int, high: int) -> dict[int, list[int]]:
    """Return where direct branches of the function lead in [low, high], with their addresses."""
    exact = build_code_map(context, high)
    if exact is not None and exact.begins_instruction(high):
        return {to: sources for to, sources in exact.sources.items() if low <= to <= high}
    sources: dict[int, list[int]] = {}
    for source, to in _short_branches(context.target, low, high):
        sources.setdefault(to, []).append(source)
    function = context.functions.function_at(high)
    for to in () if function is None else entries_from_elsewhere(context, function):
        if low <= to <= high:
            sources.setdefault(to, []).append(ELSEWHERE)
    start, end = (function.start, function.end) if function else (low - 4096, high + 4096)
    region = context.target.region_at(high)
    if region is not None:
        start, end = max(start, region.start), min(end, region.end)
    if end - start > MAX_FUNCTION:
        start, end = high - MAX_FUNCTION // 2, high + MAX_FUNCTION // 2
    import re

    code = try_read(context.target, start, end - start)
    for match in re.finditer(rb"\xe9|\x0f[\x80-\x8f]", code):  # jmp, jcc with 32 bits
        at = match.end()
        to = start + at + 4 + int.from_bytes(code[at : at + 4], "little", signed=True)
        if low <= to <= high and at + 4 <= len(code):
            sources.setdefault(to, []).append(start + at)
    return sources


def _short_branches(target: Target, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield (address, target) of the short branches into a range, in step with its end."""
    start, end = low - SHORT, high + SHORT
    code = try_read(target, start, end - start + MAX_LENGTH)
    at = 0
    while code and at < end - start:
        length = instruction_length(code, at)
        instruction = decode(code[at : at + MAX_LENGTH]) if length == 2 else None
        to = None if instruction is None else instruction.jump_target_address(start + at + length)
        if to is not None and low <= to <= high:
            yield start + at, to
        at += length or 1
