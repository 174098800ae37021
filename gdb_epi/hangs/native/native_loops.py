# SPDX-License-Identifier: Apache-2.0
"""Loops of native code that cannot end with the registers and the memory of the core.

The instructions are done from where the thread stands, as far as they are known: moves, sums,
comparisons, jumps, calls within one library and of what only compares or computes in the C library
(library_calls.py), and tries to take a lock that is taken. With each
value goes which registers and words of memory it comes from. Where a place is reached again, and
all on which a jump depended is as it was there, the loop goes on for ever, whatever its other
registers count. Only x86-64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from gdb_epi.errors import UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.native.c_library_calls import (
    CLOBBERED,
    KNOWN,
    argument_registers,
    function_called_before,
    returned_number_of,
)
from gdb_epi.hangs.native.native_state import FLAGS, LeavesLoop, NativeState, ValueWithSources
from gdb_epi.hangs.types import (
    EVENT,
    GIL,
    HANG,
    JOIN,
    LOCK,
    NATIVE,
    RUNNING,
    HangDiagnosis,
    ThreadActivity,
)
from gdb_epi.locks.types import PROBABLE
from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.api import Region, Target, Thread
from gdb_epi.target.cfi import Unwinder, UnwoundFrame
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.target.imported_functions import ImportedFunctions
from gdb_epi.target.symbols import symbolize
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple
from gdb_epi.util import counted
from gdb_epi.x86 import Instruction, decode
from gdb_epi.x86.arithmetic import MEMORY, computed_value
from gdb_epi.x86.flags import (
    CARRY,
    OVERFLOW,
    PARITY,
    SIGN,
    UNKNOWN_CARRY,
    ZERO,
    flags_after,
    flags_of_subtraction,
    keeps_low_bytes_separate,
    low_register_bytes_read,
    preserves_flags,
    stored_number,
)
from gdb_epi.x86.instruction import BRANCH, CALL, JUMP, NEXT, RETURN
from gdb_epi.x86.register_changes import (
    ADDRESS,
    CONSTANT,
    COPY,
    LOAD,
    changed_registers,
    value_source,
)
from gdb_epi.x86.scalar_floats import XMM

MAX_STEPS = 20_000  # of one thread
MAX_STEPS_OF_ALL = 60_000
MAX_CALLERS = 4  # frames between a function of the C library and the code that called it
_SYSTEM = ("libc.so", "libc-", "libm.so", "libm-", "ld-musl")
FLAG_WORDS = 8  # a loop that looks at more of them searches a table, and awaits no other thread
_LOW_BYTES = frozenset(("rax", "rcx", "rdx", "rbx"))  # whose low byte is named, always
# The reg field of their ModRM says what they do, and names no register.
_GROUPS = frozenset(
    (*range(0x80, 0x84), 0xC0, 0xC1, 0xC6, 0xC7, *range(0xD0, 0xD4), 0xF6, 0xF7, 0xFE, 0xFF)
)
_NARROW = "/"  # stands before the number of low bytes of a register or word
if TYPE_CHECKING:
    _Sources = frozenset[str]  # registers and words as they were at the beginning of a turn


class NativeLoop(NamedTuple):
    """A loop without end: where it begins, and the words that it looks at."""

    start: int
    words: tuple[int, ...]


def diagnose_endless_native_code(context: HangContext) -> HangDiagnosis | None:
    """A thread runs a loop of native code that it cannot leave, and that nobody else changes."""
    threads = {thread.tid: thread for thread in context.target.threads()}
    native = [d for d in context.activities if d.kind == NATIVE]
    budget = [MAX_STEPS_OF_ALL]
    loops = {
        d.tid: find_endless_native_loop(context.target, threads[d.tid], budget) for d in native
    }
    for activity in native:
        thread, loop = threads[activity.tid], loops[activity.tid]
        others = [d for d in context.activities if d.tid != activity.tid and not loops.get(d.tid)]
        if loop is None or not activity.frames:
            continue
        region = context.target.region_at(loop.start)
        library = ((region and region.path) or activity.module).rpartition("/")[2]
        if loop.words and not _nobody_else_writes(context, activity, loop.words, others):
            continue
        function = symbolize(context.target, loop.start).partition("+")[0]
        waiting = [d for d in context.activities if d.kind == GIL and d.frames]
        sentence = (
            f"{activity.who()} is in a loop without end of native code, in {function} of "
            f"{library}, called at {activity.where()}: with its registers as they are no "
            "jump leads out of it"
        )
        if waiting and context.gil_holder == activity.tid:
            sentence += (
                f"; {waiting[0].who()} waits at {waiting[0].where()} for the GIL, "
                f"which {activity.who()} holds"
            )
        seen = "no jump of it depends on memory" if not loop.words else (
            f"its jumps depend on {counted(len(loop.words), 'word')} of memory, and no thread that "
            "could change them can run"
        )  # fmt: skip
        return HangDiagnosis(
            HANG, "endless native loop", sentence, (activity,), PROBABLE,
            (f"its instructions were followed from {thread.pc:#x}: at {loop.start:#x} all that a "
             "jump depends on is as before", seen),
            ("a store in the loop that changes what it tests",),
            ("a signal handler that changes what it reads",),
        )  # fmt: skip
    return None


def _nobody_else_writes(
    context: HangContext, activity: ThreadActivity, words: Sequence[int],
    others: Sequence[ThreadActivity],
) -> bool:  # fmt: skip
    """Tell whether no other thread or process can change words of memory meanwhile."""
    paths = {module.path for module in context.target.modules()}
    regions = [context.target.region_at(word) for word in words]
    if any(
        region is None or (region.is_file_mapped and region.path not in paths) for region in regions
    ):
        return False  # a file that others may have mapped too
    if all(d.kind in (EVENT, JOIN, LOCK) and not d.timed for d in others):
        return True
    running = any(d.kind in RUNNING for d in others)
    native = [d for d in others if not context.view.frames(d.tid)]
    of_its_own = any(activity.module in context.native_modules(d.tid) for d in native)
    searches = len(words) > FLAG_WORDS
    return (searches or context.gil_holder == activity.tid) and not running and not of_its_own


def find_endless_native_loop(
    target: Target, thread: Thread, budget: list[int]
) -> NativeLoop | None:
    """Return the loop of native code that a thread cannot leave; None where that is not known.

    `budget` holds how many instructions may be done, for all threads.
    """
    region = target.region_at(thread.pc) if thread.architecture.pc == "rip" else None
    if region is None:
        return None
    imports, code = ImportedFunctions(target), range(region.start, region.end)
    if not _is_system_library(region.path):
        registers = {**thread.registers, **dict(zip(XMM, thread.vectors, strict=False))}
        return find_endless_loop_from(
            target.read, code, thread.pc, registers, budget, imports.name_of_slot
        )
    # A function that only compares or computes comes back, to code whose other registers are known.
    walk = islice(Unwinder(target, FunctionBounds(target)).walk(thread.registers), MAX_CALLERS)
    for frame in walk:
        region = target.region_at(frame.pc)
        if region is None or _is_system_library(region.path):
            continue
        with suppress(UnreadableMemory):
            if function_called_before(frame.pc, target.read, imports.name_of_slot) in KNOWN:
                return _loop_after_call(target, frame, region, imports, budget)
        return None  # it may change what the code looks at
    return None


def _loop_after_call(
    target: Target, frame: UnwoundFrame, region: Region, imports: ImportedFunctions,
    budget: list[int],
) -> NativeLoop | None:  # fmt: skip
    """Return the loop without end behind a call, whatever that gives; None where it may end."""
    code, loops = range(region.start, region.end), list[NativeLoop]()
    for guess in (None, True, False):  # None: no jump needs what the call gave
        run = _NativeRun(target.read, code, frame.pc, frame.registers, imports.name_of_slot, guess)
        with suppress(LeavesLoop, UnreadableMemory):
            loops.append(run.find_loop(budget))
        if guess is None and loops:
            break
    return loops[0] if len(loops) == 1 else None


def _is_system_library(path: str | None) -> bool:
    return (path or "").rpartition("/")[2].startswith(_SYSTEM)


def find_endless_loop_from(
    read: Callable[[int, int], bytes], code: range, at: int, registers: Mapping[str, int],
    budget: list[int], import_name: Callable[[int], str] = lambda slot: "",
) -> NativeLoop | None:  # fmt: skip
    """Return the loop that instructions from a place on cannot leave; None where that is unknown.

    `code` are the bytes of the library: calls that lead out of them are not followed, but those of
    functions that are known by the names of their slots.
    """
    try:
        return _NativeRun(read, code, at, registers, import_name).find_loop(budget)
    except (LeavesLoop, UnreadableMemory):
        return None


class _NativeRun(NativeState):
    """A thread's code goes on."""

    def __init__(
        self, read: Callable[[int, int], bytes], code: range, at: int,
        registers: Mapping[str, int], import_name: Callable[[int], str] = lambda slot: "",
        guess: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(read, at, registers)
        self._code, self._import_name = code, import_name
        self._guess = guess  # how the first jump goes whose flags are not known
        self._guessed_at, self._confirmed = 0, guess is None
        self._needed: _Sources = frozenset()  # what jumps depended on in this turn
        self._decoded: dict[int, Instruction] = {}
        self._before: dict[str, int | None] = {}  # the numbers at the beginning of the turn

    def find_loop(self, budget: list[int]) -> NativeLoop:
        """Return the loop that goes round for ever. Raises Leaves, UnreadableMemory."""
        head, most, count = 0, 1, 0
        for _ in range(min(MAX_STEPS, budget[0])):
            budget[0] -= 1
            instruction = self._read_instruction()
            after = self._at + instruction.length
            if instruction.flow == NEXT:
                self._do_instruction(instruction)
                self._at = after
                continue
            to = self._address_after_transfer(instruction, after)
            if to <= self._at and instruction.target is not None and instruction.flow != CALL:
                decisive = self._registers_jumps_depend_on() if to == head else frozenset[str]()
                if to == head and all(map(self._is_value_as_before_turn, decisive)):
                    if not self._needed and any(":" in name for name in self._values):
                        raise LeavesLoop  # it stores, and nothing leads out: it may be meant to
                    if not self._confirmed:
                        raise LeavesLoop
                    places = {int(name.partition(":")[0], 16) for name in decisive if ":" in name}
                    return NativeLoop(to, tuple(sorted(places & self._words)))
                count += 1
                if count >= most:
                    head, most, count = to, 2 * most, 0
                    self._begin_turn()
            self._at = to
        raise LeavesLoop

    def _address_after_transfer(self, instruction: Instruction, after: int) -> int:
        """Return where the code goes on after a jump, call or return. Raises Leaves."""
        if instruction.flow == RETURN:
            return self._number_known_for_address(self._pop())
        if instruction.flow == BRANCH:
            to = instruction.jump_target_address(after)
            if to is None:
                raise LeavesLoop
            if self._guess is not None and self._values[FLAGS].number is None:
                holds, self._guess, self._guessed_at = self._guess, None, self._at
                self._guessed = holds
                return to if holds else after
            holds = self._does_condition_hold(instruction.opcode & 15, instruction)
            if self._at == self._guessed_at:
                if holds != self._guessed:
                    raise LeavesLoop
                self._confirmed = True
            return to if holds else after
        if instruction.flow not in (JUMP, CALL):
            raise LeavesLoop
        if instruction.target is not None:
            to = after + instruction.target
        elif instruction.target_register is not None:
            to = self._number_known_for_address(self._values[instruction.target_register])
        else:
            slot = self._operand_address(instruction) or 0
            if self._import_name(slot):  # which the dynamic linker filled: nobody changes it
                to = int.from_bytes(self._read(slot, 8), "little")
            else:
                to = self._number_known_for_address(self._operand_value(instruction))
            if to not in self._code:
                return self._do_imported_call(instruction, after)
        if instruction.flow == CALL:
            self._push(ValueWithSources(after))
        return to

    def _do_imported_call(self, instruction: Instruction, after: int) -> int:
        """Do a function of the C library; return where it comes back. Raises Leaves.

        It is reached by its slot: from the code that calls it, or from a stub that was called.
        """
        name = self._import_name(self._operand_address(instruction) or 0)
        if name not in KNOWN:
            raise LeavesLoop
        back = after if instruction.flow == CALL else self._number_known_for_address(self._pop())
        given = {
            argument_register: self._values[argument_register]
            for argument_register in argument_registers(name)
        }
        numbers = {each: v.number for each, v in given.items() if v.number is not None}
        number = returned_number_of(name, numbers, self._read_unchanged)
        sources = frozenset[str]().union(*(value.sources for value in given.values()))
        for register in (*CLOBBERED, *XMM):
            self._values[register] = ValueWithSources(None)
        self._values["rax"] = ValueWithSources(number, sources)
        self._values[FLAGS] = ValueWithSources(None)
        return back

    def _read_unchanged(self, address: int, size: int) -> bytes:
        """Return bytes of the core that the run has stored nothing in. Raises Leaves."""
        if any(self._word_of.get(address + n) in self._values for n in range(size)):
            raise LeavesLoop
        self._words.add(address)
        return self._read(address, size)

    def _number_known_for_address(self, value: ValueWithSources) -> int:
        if value.number is None:
            raise LeavesLoop
        self._needed |= value.sources
        return value.number

    def _is_value_as_before_turn(self, name: str) -> bool:
        name, _, width = name.partition(_NARROW)
        value = self._values.get(name)
        if value is None:
            return True  # a word that nothing was stored in
        place, _, size = name.partition(":")
        if name not in self._before and size:
            self._before[name] = int.from_bytes(self._read(int(place, 16), int(size)), "little")
        before = self._before.get(name)
        if value.number is None or before is None:
            return False
        return not (before ^ value.number) & (1 << 8 * int(width or 16)) - 1

    def _registers_jumps_depend_on(self) -> _Sources:
        """Return the registers that jumps depended on, and those that these come from."""
        needed = self._needed
        while True:
            parts = [name.partition(_NARROW) for name in needed]
            made = [(self._values[name], int(width or 16)) for name, _, width in parts
                    if name in self._values]  # fmt: skip
            wider = needed.union(*(_low_sources(value, width) for value, width in made))
            if wider == needed:
                return needed
            needed = wider

    def _begin_turn(self) -> None:
        self._before = {name: value.number for name, value in self._values.items()}
        for name, value in self._values.items():
            self._values[name] = value._replace(sources=frozenset((name,)), apart=True)
        self._words.clear()
        self._needed = frozenset()

    def _read_instruction(self) -> Instruction:
        if self._at not in self._code:
            raise LeavesLoop
        if self._at not in self._decoded:
            decoded = decode(self._read(self._at, min(15, self._code.stop - self._at)))
            if decoded is None:
                raise LeavesLoop
            self._decoded[self._at] = decoded
        return self._decoded[self._at]

    def _do_instruction(self, instruction: Instruction) -> None:
        if self._do_vector_instruction(instruction):
            return
        changed = changed_registers(instruction)
        if changed is None or instruction.repeated or instruction.name == "syscall":
            raise LeavesLoop
        opcode, explicit = instruction.opcode, instruction.explicit_operand
        if (
            instruction.encoding == "legacy"
            and not instruction.opcode_map
            and self._do_stack_instruction(instruction)
        ):
            return
        operand = self._operand_value(instruction)
        values = {MEMORY: operand, **self._registers()}
        numbers = {name: each.number for name, each in values.items() if each.number is not None}
        swapped = _exchanged_register(instruction)
        if swapped is not None:
            self._do_exchange(instruction, swapped, operand)
            return
        replaced = {name for name in changed if _overwrites_register(instruction, name)}
        is_group = not instruction.opcode_map and opcode in _GROUPS
        named = (None if is_group else instruction.reg, instruction.rm, *changed)
        used = [values[name] for name in named if name is not None and name not in replaced]
        used += [
            values[source] for name in replaced for source in _copied_registers(instruction, name)
        ]
        width = low_register_bytes_read(instruction)
        sources = operand.sources.union(*(_low_sources(each, width) for each in used))
        apart = keeps_low_bytes_separate(instruction) and all(each.apart for each in used)
        if instruction.memory is not None:  # what is loaded depends on all of its address
            addressed = [self._values[name] for name in instruction.memory.registers()]
            loads = instruction.explicit_operand is not None
            apart = apart and all(each.apart and not loads for each in addressed)
        results = {name: self._computed_result(instruction, name, numbers) for name in changed}
        by_flags = instruction.encoding == "legacy" and instruction.opcode_map == 1
        if by_flags and 0x40 <= opcode < 0x50 and instruction.reg:  # cmov
            sources |= self._values[FLAGS].sources
            holds = self._does_condition_hold(opcode & 15, instruction)
            number = numbers.get((instruction.rm or MEMORY) if holds else instruction.reg)
            cut = number is None or instruction.size == 8
            results[instruction.reg] = number if cut else (number or 0) & 0xFFFFFFFF
        names_byte = instruction.rm in _LOW_BYTES or instruction.rex
        if by_flags and 0x90 <= opcode < 0xA0 and instruction.rm and names_byte:  # setcc
            sources |= self._values[FLAGS].sources
            before = numbers.get(instruction.rm)
            holds = self._does_condition_hold(opcode & 15, instruction)
            results = {instruction.rm: None if before is None else before & ~0xFF | holds}
        if explicit is not None and explicit.access != "r":
            address = self._operand_address(instruction)
            if address is None or not explicit.size:
                raise LeavesLoop
            stored = stored_number(instruction, numbers)
            if stored is not None:
                stored &= (1 << 8 * explicit.size) - 1
            results[MEMORY] = stored
            self._store_to_memory(address, explicit.size, ValueWithSources(stored, sources, apart))
        if not preserves_flags(instruction):
            results[FLAGS] = flags_after(instruction, numbers, results)
        results.pop(MEMORY, None)
        for name, number in results.items():
            self._values[name] = ValueWithSources(number, sources, apart)

    def _do_stack_instruction(self, instruction: Instruction) -> bool:
        """Do a push, pop or leave; tell whether it was one."""
        opcode, register = instruction.opcode, instruction.reg or instruction.rm
        if 0x50 <= opcode < 0x58 and register:
            self._push(self._values[register])
        elif opcode in (0x68, 0x6A):
            self._push(ValueWithSources(None if instruction.immediate is None
                              else instruction.immediate & WORD_MASK))  # fmt: skip
        elif 0x58 <= opcode < 0x60 and register:
            value = self._pop()
            self._values[register] = value
        elif opcode == 0xC9:
            self._values["rsp"] = self._values["rbp"]
            self._values["rbp"] = self._pop()
        else:
            return False
        return True

    def _computed_result(
        self, instruction: Instruction, register: str, numbers: dict[str, int]
    ) -> int | None:
        how = value_source(instruction, register)
        mask = WORD_MASK if how.width == 8 and how.size == 8 else (1 << 8 * how.size) - 1
        if how.kind == LOAD and MEMORY in numbers:
            number = numbers[MEMORY] & mask
            if how.signed and number >> 8 * how.size - 1:
                number -= 1 << 8 * how.size
            return number & (1 << 8 * how.width) - 1
        if how.kind == COPY and isinstance(how.source, str):
            number = numbers.get(how.source, -1)
            return number & mask if number >= 0 else None
        if how.kind == CONSTANT and isinstance(how.source, int):
            return how.source & mask
        if how.kind == ADDRESS:
            address = self._operand_address(instruction)
            return None if address is None else address & mask
        return computed_value(instruction, register, numbers)

    def _do_exchange(self, instruction: Instruction, name: str, operand: ValueWithSources) -> None:
        """Do an xchg or cmpxchg that leaves memory as it is. Raises Leaves for another."""
        mask, mine = (1 << 8 * instruction.size) - 1, self._values[name]
        if mine.number is None or operand.number is None or instruction.size < 4:
            raise LeavesLoop
        stores_another = mine.number & mask != operand.number
        if stores_another == (instruction.opcode_map == 0):
            raise LeavesLoop
        sources = mine.sources | operand.sources
        self._needed |= sources
        self._values[name] = ValueWithSources(operand.number, sources)
        if instruction.opcode_map:
            flags = flags_of_subtraction(mine.number, operand.number, instruction.size)
            self._values[FLAGS] = ValueWithSources(flags, sources)

    def _does_condition_hold(self, condition: int, instruction: Instruction) -> bool:
        """Tell whether a condition of the flags holds. Raises Leaves where that is not known.

        What it depends on is needed, also by a move that is made or not.
        """
        first, last = (0x70, 0x80) if instruction.opcode_map == 0 else (0x40, 0xA0)
        if instruction.opcode_map > 1 or not first <= instruction.opcode < last:
            raise LeavesLoop
        flags, sources, _ = self._values[FLAGS]
        if flags is None or (flags & UNKNOWN_CARRY and condition >> 1 not in (2, 4, 5)):
            raise LeavesLoop
        self._needed |= sources
        carry, zero = bool(flags & CARRY), bool(flags & ZERO)
        sign, overflow = bool(flags & SIGN), bool(flags & OVERFLOW)
        holds = (
            overflow, carry, zero, carry or zero, sign, bool(flags & PARITY), sign != overflow,
            zero or sign != overflow,
        )[condition >> 1]  # fmt: skip
        return holds != bool(condition & 1)


def _low_sources(value: ValueWithSources, width: int) -> _Sources:
    """Return what the low bytes of a value come from."""
    if width >= 8 or not value.apart:
        return value.sources
    parts = (name.partition(_NARROW) for name in value.sources)
    return frozenset(f"{name}{_NARROW}{min(int(low or 8), width)}" for name, _, low in parts)


def _overwrites_register(instruction: Instruction, register: str) -> bool:
    """Tell whether an instruction leaves nothing of what was in a register, as moves do."""
    how = value_source(instruction, register)
    return how.kind in (LOAD, COPY, CONSTANT, ADDRESS) and how.width >= 4


def _copied_registers(instruction: Instruction, register: str) -> tuple[str, ...]:
    """Return the register that a move copies."""
    how = value_source(instruction, register)
    return (how.source,) if how.kind == COPY and isinstance(how.source, str) else ()


def _exchanged_register(instruction: Instruction) -> str | None:
    """Return the register that xchg and cmpxchg compare with memory; None of any other."""
    if instruction.encoding != "legacy" or instruction.explicit_operand is None:
        return None
    by_opcode = {(0, 0x87): instruction.reg, (1, 0xB1): "rax"}
    return by_opcode.get((instruction.opcode_map, instruction.opcode))
