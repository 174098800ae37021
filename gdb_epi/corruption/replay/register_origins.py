# SPDX-License-Identifier: Apache-2.0
"""Where the registers of a fault got their values: the code before it, run again.

A register that a load, lea or mov set a few instructions ago can be recomputed when the inputs are
still there. Registers that the failed instruction itself changed are left out: `rep movs` and
`rep stos` (large memcpy and memset where the CPU is fast at them) stop between two iterations, and
rdi, rsi and rcx have moved on by then.
"""

from __future__ import annotations

from itertools import chain

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.replay.preceding_code import (
    CodePath,
    compute_stack_pointers,
    find_preceding_path,
    paths_from_definitions,
    paths_through_callee,
)
from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.fault.fault_site import CALL, STRING_BLOCK, FaultSite
from gdb_epi.fault.instructions import call_before
from gdb_epi.fault.memory_reads import read_up_to, read_word
from gdb_epi.fault.signals import SIGSEGV
from gdb_epi.sizes import HALF_MASK, PAGE, WORD, WORD_MASK
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MAX_LENGTH, Instruction, MemoryOperand, decode
from gdb_epi.x86.arithmetic import MEMORY, added_constant, computed_value
from gdb_epi.x86.register_changes import (
    ADDRESS,
    CALL_CHANGES,
    COMPUTED,
    CONSTANT,
    COPY,
    LOAD,
    OTHER,
    ValueSource,
    changed_registers,
    stored_register,
    value_source,
)

FEW_BITS, MIN_OTHERS = 8, 2  # bits of a register that may differ; registers in which more do
_NOTHING: frozenset[str] = frozenset()
_ADD = (0x01, 0x03)  # of two registers, or a register and memory
STACK = frozenset(("rsp",))
EVERYWHERE = (0, 1 << 64)
MAX_WANTED = 8  # registers that are traced on all paths
ARGUMENTS = ("rdi", "rsi")  # traced where no operand names a register


def registers_changed_before_fault(
    context: Context, site: FaultSite, path: CodePath, registers: dict[str, int]
) -> frozenset[str]:
    """Return the registers that the failed instruction may have changed before it failed."""
    instruction = site.instruction
    if instruction is None or not instruction.repeated or site.arrived:
        return _NOTHING
    counters = changed_registers(instruction) or _NOTHING
    if _did_first_iteration_fail(context, site) or _is_any_counter_unmoved(
        path, registers, counters
    ):
        return _NOTHING
    return counters


def _did_first_iteration_fail(context: Context, site: FaultSite) -> bool:
    """Tell whether no iteration can have succeeded, because an earlier one would have failed too.

    A page is mapped as a whole or not at all, so a string operation that runs into an unmapped page
    fails at its edge. Only another thread could unmap the page under way, and only another process
    could truncate a mapped file (SIGBUS).
    """
    if len(context.target.threads()) > 1 or site.fault.signo != SIGSEGV or site.instruction is None:
        return False
    operands = site.instruction.operands if site.operand is None else (site.operand,)
    places = [operand.address(site.fault.registers) for operand in operands]
    places.append(site.fault.address or site.address)
    edge = PAGE - STRING_BLOCK
    return all(at is not None and STRING_BLOCK <= at % PAGE <= edge for at in places)


def _is_any_counter_unmoved(
    path: CodePath, registers: dict[str, int], counters: frozenset[str]
) -> bool:
    """Tell whether one of the registers, which all move together, still has its first value.

    That value is a constant, or equals another register: no other fact has to be trusted.
    """
    gone: set[str] = set()  # changed by what ran later
    for number in range(len(path.steps) - 1, -1, -1):
        instruction = path.steps[number].instruction
        change = CALL_CHANGES if path.steps_over(number) else changed_registers(instruction)
        if change is None:
            return False
        if number not in path.skippable:
            given = (
                _registers_proving_counter_unmoved(instruction, name, registers, counters)
                for name in change
            )
            if any(names and gone.isdisjoint(names) for names in given):
                return True
        gone |= change
    return False


def _registers_proving_counter_unmoved(
    instruction: Instruction, name: str, registers: dict[str, int], counters: frozenset[str]
) -> tuple[str, ...]:
    """Return the registers that prove that a counter has not moved, or nothing."""
    how = value_source(instruction, name)
    held = registers.get(name)
    if how.kind == CONSTANT and isinstance(how.source, int):
        mask = WORD_MASK if how.size == WORD else HALF_MASK
        return (name,) if name in counters and held == how.source & mask else ()
    if how.kind == COPY and isinstance(how.source, str) and how.size == WORD:
        counted = (name in counters) != (how.source in counters)
        return (name, how.source) if counted and held == registers.get(how.source) else ()
    return ()


class RecomputedRegister(NamedTuple):
    """One register: what it holds, and what the instruction at `at` gives when it is run again.

    `slot` is the address that it was loaded from, None when it was computed.
    """

    register: str
    held: int
    expected: int
    at: int
    kind: str  # LOAD, COPY, ADDRESS, CONSTANT or COMPUTED
    slot: int | None
    size: int  # bytes of the register that the instruction sets
    # Registers in the load's address that are unchanged since, or the source.
    address_registers: tuple[str, ...] = ()
    offset: int = 0  # what the load added to its base
    since: bool = False  # a function called after the load may have stored there
    fixed: bool = False  # does not depend on any register: a constant, or xor with itself
    terms: tuple[int, int, int] | None = None  # base, index, scale that a lea or add added up
    kept: bool = False  # across a call: the callee may have saved it on the stack
    from_memory: bool = False  # itself, or a register that it was made of


def recompute_registers(
    target: Target, path: CodePath, registers: dict[str, int]
) -> list[RecomputedRegister]:
    """Return the registers at the end of a path that can be recomputed, the last set first."""
    return _Replay(target, path, registers).run()


@once_per_run
def recomputed_registers(context: Context) -> list[RecomputedRegister] | Absent:
    """Return what can be recomputed, the last set first. Absent when there is no code to run."""
    site = context.site
    if isinstance(site, Absent):
        return site
    place = _end_of_block_with_registers(context, site)
    if isinstance(place, Absent):
        return place
    pc, registers = place
    path = find_preceding_path(context, pc, registers)
    if path is None:
        return Absent(NOT_AVAILABLE, "the code before the fault cannot be read or decoded")
    for name in registers_changed_before_fault(context, site, path, registers):
        registers.pop(name, None)
    recomputed = recompute_registers(context.target, path, registers)
    if _was_code_entered_by_jump(recomputed):
        path = find_preceding_path(context, pc, registers, 0) or path
        recomputed = recompute_registers(context.target, path, registers)
    recomputed += _registers_returned_by_callee(context, site, path, registers, recomputed)
    return recomputed + _registers_differing_on_all_paths(
        context, site, path, registers, recomputed
    )


class LastLoad(NamedTuple):
    """What a register was last loaded through: one base and a displacement.

    `base_kept`: that register still holds what it did then.
    """

    operand: MemoryOperand
    base_kept: bool


@once_per_run
def find_last_load(context: Context, register: str) -> LastLoad | None:
    """Return the load that made a register last; None for another one, or by a frame's register."""
    site = context.site
    if isinstance(site, Absent) or site.arrived or site.instruction is None:
        return None
    path = find_preceding_path(context, site.fault.pc, dict(site.fault.registers))
    changed_since: set[str] = set()
    for step in reversed(path.steps if path is not None else ()):
        how, changed = value_source(step.instruction, register), changed_registers(step.instruction)
        if how.kind == LOAD and isinstance(how.source, MemoryOperand) and how.size == WORD:
            load = how.source
            if load.index_register or load.segment or load.base in (None, "rsp", "rip"):
                return None
            return LastLoad(load, load.base not in {register, *changed_since})
        if changed is None or register in changed:
            return None
        changed_since |= changed
    return None


@once_per_run
def find_addends_of_base(context: Context) -> tuple[int, int, int] | None:
    """Return base, index and scale of which the code made the base register of the failed access.

    Only where their sum is what the register holds: then it has not changed since, and what is
    wrong is one of them. None where nothing tells.
    """
    site = context.site
    operand = None if isinstance(site, Absent) else site.operand
    if isinstance(site, Absent) or operand is None or operand.base is None:
        return None
    place = _end_of_block_with_registers(context, site)
    path = None if isinstance(place, Absent) else find_preceding_path(context, *place)
    if path is None or isinstance(place, Absent):
        return None
    ways = [path, *paths_from_definitions(context, path, operand.base, place[1])]
    ways += [other for way in ways if way.skippable for other in _paths_without_and_with_skips(way)]
    for way in ways:
        for remade in recompute_registers(context.target, way, place[1]):
            if remade.register == operand.base and remade.held == remade.expected and remade.terms:
                return remade.terms
    return None


def _paths_without_and_with_skips(path: CodePath) -> tuple[CodePath, CodePath]:
    """Return a path where no branch skipped anything, and where all that can be skipped was."""
    rest = [step for number, step in enumerate(path.steps) if number not in path.skippable]
    return path._replace(skippable=frozenset()), CodePath(tuple(rest), frozenset(), path.end)


def _was_code_entered_by_jump(recomputed: list[RecomputedRegister]) -> bool:
    """Whether several registers hold quite other values than the code before gives.

    Then the function that was called jumped here, with arguments of its own: the callbacks of the
    collector are called so. Damage changes one register, or few bits.
    """
    others = [r for r in recomputed if (r.held ^ r.expected).bit_count() > FEW_BITS]
    return len(others) >= MIN_OTHERS


def _registers_returned_by_callee(
    context: Context,
    site: FaultSite,
    path: CodePath,
    registers: dict[str, int],
    recomputed: list[RecomputedRegister],
) -> list[RecomputedRegister]:
    """Return what the function that was called last returned, where `recomputed` does not tell.

    Any of its returns may have been taken: where one of them explains a register, or leaves it
    open, it does not differ.
    """
    settled = {
        remade.register
        for remade in recomputed
        if remade.kind != COPY or remade.held != remade.expected
    }  # a copy of what the function returned says nothing about it
    if site.operand is not None and settled.issuperset(site.operand.registers()):
        return []
    ways = [
        {remade.register: remade for remade in recompute_registers(context.target, way, registers)}
        for way in paths_through_callee(context, path)
    ]
    differing = [
        name for name in (ways[0] if ways else ())
        if name not in settled
        and all(name in way and way[name].held != way[name].expected for way in ways)
    ]  # fmt: skip
    return [way[name] for way in ways for name in differing]


def _registers_differing_on_all_paths(
    context: Context,
    site: FaultSite,
    path: CodePath,
    registers: dict[str, int],
    recomputed: list[RecomputedRegister],
) -> list[RecomputedRegister]:
    """Return what differs on every path: registers of the access, and those that they came from.

    Registers that one of the paths explains, or leaves open, are left out.
    """
    settled = {remade.register: [remade] for remade in recomputed}
    wanted = list(site.operand.registers() if site.operand is not None else ARGUMENTS)
    if site.operand is None:
        instruction = decode(read_up_to(context.target, path.end, MAX_LENGTH))
        if instruction is not None and instruction.target_register is not None:
            wanted.append(instruction.target_register)
    differing: list[RecomputedRegister] = []
    for name in wanted:  # grows
        if name not in settled:
            ways = paths_from_definitions(context, path, name, registers)
            tables = [
                [
                    recomputed
                    for recomputed in recompute_registers(context.target, way, registers)
                    if recomputed.register == name
                ]
                for way in ways
            ]
            settled[name] = list(chain.from_iterable(tables)) if all(tables) else []
            if all(remade.held != remade.expected for remade in settled[name]):
                differing += settled[name]
        behind = {n for remade in settled[name] for n in remade.address_registers if n != "rsp"}
        wanted += sorted(behind.difference(wanted))[: MAX_WANTED - len(wanted)]
    return differing


def _end_of_block_with_registers(
    context: Context, site: FaultSite
) -> tuple[int, dict[str, int]] | Absent:
    """Return where the block ends, and the registers there; after a call, those of the caller."""
    registers = dict(site.fault.registers)
    if not site.arrived:
        if site.instruction is None:
            return Absent(NOT_AVAILABLE, site.why)
        return site.fault.pc, registers
    top = read_word(context.target, site.fault.sp)
    recomputed = call_before(context.target, top) if site.kind == CALL and top else None
    if recomputed is None or top is None:
        return Absent(NOT_AVAILABLE, "nothing says which instruction led here")
    registers["rsp"] = (site.fault.sp + 8) & WORD_MASK
    return top - recomputed.length, registers


class _StoreToMemory(NamedTuple):
    """Memory to which step `number` stored; `value` is what it stored, where known."""

    number: int
    at: int
    size: int
    value: int | None

    def overlaps(self, at: int, size: int) -> bool:
        """Tell whether bytes of a range were stored to."""
        return self.at < at + size and at < self.at + self.size


class _Replay:
    """Run a path again, from what is known about the registers before and during it."""

    def __init__(self, target: Target, path: CodePath, registers: dict[str, int]) -> None:
        self._target = target
        self._registers = registers
        self._path = path
        self._sp = compute_stack_pointers(path, registers.get("rsp", 0))
        self._made: dict[str, RecomputedRegister] = {}
        self._stores: list[_StoreToMemory] = []  # of this run
        self._later_stores: list[_StoreToMemory] = []  # of the run before it

    def run(self) -> list[RecomputedRegister]:
        """Return what can be recomputed, the last set first.

        The first run finds out where the path stores; the second one loads nothing that was stored
        to after the load.
        """
        self._run_once()
        self._made.clear()
        return self._run_once()

    def _run_once(self) -> list[RecomputedRegister]:
        """Go back for what the last registers say of those before, then forward to recompute."""
        steps = self._path.steps
        changes = [self._registers_changed_by_step(number) for number in range(len(steps))]
        first = max((n + 1 for n, change in enumerate(changes) if change is None), default=0)
        # The registers that are known before each step because they are known at the end. These
        # are the registers that did not change since, or only by a constant.
        values = dict(self._registers)
        values_before: list[dict[str, int]] = []
        for number in range(len(changes) - 1, first - 1, -1):
            instruction = self._path.steps[number].instruction
            for register in changes[number] or ():
                by = added_constant(instruction, register)
                unsure = number in self._path.skippable or self._path.steps_over(number)
                if by is None or unsure:
                    values.pop(register, None)
                elif register in values:
                    values[register] = (values[register] - by) & WORD_MASK
            values_before.append(dict(values))
        from_the_end = [*({} for _ in range(first)), *values_before[::-1]]
        self._later_stores, self._stores = self._stores, []
        for number in range(first, len(steps)):
            self._replay_instruction(number, changes[number] or frozenset(), from_the_end[number])
        return list(reversed(self._made.values()))

    def _registers_changed_by_step(self, number: int) -> frozenset[str] | None:
        instruction = self._path.steps[number].instruction
        if self._path.steps_over(number):
            return CALL_CHANGES - STACK
        return STACK if instruction.flow in ("call", "return") else changed_registers(instruction)

    def _replay_instruction(
        self, number: int, change: frozenset[str], from_the_end: dict[str, int]
    ) -> None:
        """Run one step; `kept` is what the registers at the end say about those before it."""
        step = self._path.steps[number]
        values = from_the_end | {n: register.expected for n, register in self._made.items()}
        values["rip"] = step.address
        sp = self._sp[number]
        if sp is not None:
            values["rsp"] = sp
        self._note_stores(number, values)
        for register in sorted(change):
            is_sum = added_constant(step.instruction, register) is not None
            taken_off = is_sum and register not in self._made
            remade = None if taken_off else self._recompute_register(number, register, values)
            self._made.pop(register, None)
            if remade is not None and number not in self._path.skippable:
                self._made[register] = remade

    def _recompute_register(
        self, number: int, register: str, values: dict[str, int]
    ) -> RecomputedRegister | None:
        step = self._path.steps[number]
        held = self._registers.get(register)
        how, slot, expected = self._expected_value_of_register(number, register, values)
        if expected is None or held is None:
            return None
        fixed = how.kind == CONSTANT or (
            how.kind == COMPUTED and computed_value(step.instruction, register, {}) is not None
        )
        width = how.width if how.kind == LOAD else how.size
        expected &= WORD_MASK if width == 8 or how.size == 8 else HALF_MASK
        address_registers: tuple[str, ...] = ()
        offset = 0
        if slot is not None and isinstance(how.source, MemoryOperand):
            same = (n for n in how.source.registers() if self._registers.get(n) == values.get(n))
            address_registers, offset = tuple(same), how.source.displacement
        elif how.kind == COPY and isinstance(how.source, str):
            address_registers = (how.source,)
        later = range(number + 1, len(self._path.steps))
        kept = any(self._path.steps_over(step_number) for step_number in later)
        reads = slot is not None or (
            how.kind == COMPUTED and step.instruction.explicit_operand is not None
        )
        inputs = [self._made[n] for n in _registers_read(step.instruction) if n in self._made]
        return RecomputedRegister(
            register=register,
            held=held,
            expected=expected,
            at=step.address,
            kind=how.kind,
            slot=slot,
            size=how.size,
            address_registers=address_registers,
            offset=offset,
            since=(reads and kept)
            or any(each.since and each.held != each.expected for each in inputs),
            fixed=fixed,
            kept=kept,
            from_memory=reads or any(each.from_memory for each in inputs),
            terms=_base_index_scale(
                step.instruction, how, self._registers_and_word_read(number, values)
            ),
        )

    def _expected_value_of_register(
        self, number: int, register: str, values: dict[str, int]
    ) -> tuple[ValueSource, int | None, int | None]:
        """Return how a step sets a register, the address that it reads, and what it gives."""
        instruction = self._path.steps[number].instruction
        how = value_source(instruction, register)
        if how.kind == LOAD and isinstance(how.source, MemoryOperand):
            slot = how.source.address(values)
            return how, slot, None if slot is None else self._value_a_load_gave(number, slot, how)
        if how.kind == OTHER:
            how = ValueSource(COMPUTED, None, instruction.size)
            computed = computed_value(
                instruction, register, self._registers_and_word_read(number, values)
            )
            return how, None, computed
        if how.kind == COPY and isinstance(how.source, str):
            return how, None, values.get(how.source)
        if how.kind == ADDRESS and isinstance(how.source, MemoryOperand):
            return how, None, how.source.address(values)
        if how.kind == CONSTANT and isinstance(how.source, int):
            return how, None, how.source
        return how, None, None

    def _registers_and_word_read(self, number: int, values: dict[str, int]) -> dict[str, int]:
        """Return the registers and, under the name MEMORY, what the instruction reads there."""
        instruction = self._path.steps[number].instruction
        operand = instruction.explicit_operand
        if operand is None or operand.access != "r" or operand.size not in (4, 8):
            return values
        slot = operand.address(values)
        how = ValueSource(LOAD, operand, operand.size)
        value = self._value_a_load_gave(number, slot, how) if slot is not None else None
        return values if value is None else values | {MEMORY: value}

    def _note_stores(self, number: int, values: dict[str, int]) -> None:
        """Note where a step stores; an unknown place may be anywhere."""
        instruction = self._path.steps[number].instruction
        if self._path.steps_over(number):
            return  # where it stored is not known: RecomputedRegister.since
        value = values.get(source) if (source := stored_register(instruction)) else None
        for operand in instruction.operands:
            if operand.access != "r":
                at = operand.address(values)
                known_place = at is not None and operand.size > 0
                place = (at or 0, operand.size) if known_place else EVERYWHERE
                maybe = number in self._path.skippable
                self._stores.append(_StoreToMemory(number, *place, None if maybe else value))

    def _value_a_load_gave(self, number: int, slot: int, how: ValueSource) -> int | None:
        """Return what a load gave: what the path had stored there, or what is there now.

        None when what is there now may have been stored later.
        """
        hits = [store for store in self._stores if store.overlaps(slot, how.size)]
        last = hits[-1] if hits and hits[-1][1:3] == (slot, 8) == (slot, how.size) else None
        if last is not None and last.value is not None:
            return last.value
        later = (store for store in self._later_stores if store.number > number)
        if any(store.overlaps(slot, how.size) for store in later):
            return None
        return _read_present_value(self._target, slot, how)


def _base_index_scale(
    instruction: Instruction, how: ValueSource, values: dict[str, int]
) -> tuple[int, int, int] | None:
    """Return base, index and scale that an instruction adds up: lea with both, add."""
    base: str | None
    index: str | None
    scale = 1
    if how.kind == ADDRESS and isinstance(how.source, MemoryOperand):
        base, index, scale = how.source.base, how.source.index_register, how.source.scale
    elif instruction.opcode_map == 0 and instruction.opcode in _ADD:
        base, index = instruction.reg, instruction.rm or MEMORY
    else:
        return None
    if base not in values or index not in values:
        return None
    return values[base], values[index], scale


def _registers_read(instruction: Instruction) -> set[str | None]:
    """Return the registers that an instruction may read, except implicit ones."""
    memory = instruction.memory.registers() if instruction.memory is not None else ()
    return {instruction.reg, instruction.rm, *memory}


def _read_present_value(target: Target, slot: int, how: ValueSource) -> int | None:
    """Return what memory holds there now."""
    if how.size == 8:
        return read_word(target, slot)
    word = read_word(target, slot & ~7)
    if word is None or (slot & 7) + how.size > 8:
        return None
    value = word >> 8 * (slot & 7) & ((1 << 8 * how.size) - 1)
    if how.signed and value >> (8 * how.size - 1):
        value -= 1 << 8 * how.size
    return value & ((1 << 8 * how.width) - 1)
