# SPDX-License-Identifier: Apache-2.0
"""Loops of native code that cannot end with the registers and the memory of the core.

The instructions are done from where the thread stands, as far as they are known: moves, sums,
comparisons, jumps, and tries to take a lock that is taken; no calls, no other stores. With each
value goes which registers it comes from. Where a place is reached again, and every register on
which a jump depended is as it was there, the loop goes on for ever, whatever its other registers
count. Only x86-64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gdb_epi.errors import UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext
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
from gdb_epi.target.api import Target, Thread
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.target.symbols import symbolize
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple
from gdb_epi.util import counted
from gdb_epi.x86 import REGISTERS, Instruction, decode
from gdb_epi.x86.arithmetic import MEMORY, computed_value
from gdb_epi.x86.instruction import BRANCH, NEXT
from gdb_epi.x86.register_changes import (
    ADDRESS,
    CONSTANT,
    COPY,
    LOAD,
    changed_registers,
    value_source,
)

MAX_FUNCTION = 1 << 16  # bytes
MAX_STEPS = 20_000
_CARRY, _ZERO, _SIGN, _OVERFLOW = 1, 1 << 6, 1 << 7, 1 << 11  # of eflags
_SETS_NO_FLAGS = frozenset((0x63, 0x8D, 0x90, *range(0x88, 0x8C), *range(0xB0, 0xC0), 0xC6, 0xC7))
_SETS_NO_FLAGS_TWO = frozenset((*range(0x40, 0x50), 0x1E, 0x1F, 0xB6, 0xB7, 0xBE, 0xBF))
_UNKNOWN_CARRY = 1 << 32  # carry and overflow of a sum are not computed
_FLAGS = "flags"
_HIGH_BYTES = ("rsp", "rbp", "rsi", "rdi")  # whose low bytes are ah, ch, dh and bh, mostly
if TYPE_CHECKING:
    _Sources = frozenset[str]  # registers as they were at the beginning of a turn


class NativeLoop(NamedTuple):
    """A loop without end: where it begins, and the words that it looks at."""

    start: int
    words: tuple[int, ...]


def endless_native_code(scene: HangContext) -> HangDiagnosis | None:
    """A thread runs a loop of native code that it cannot leave, and that nobody else changes."""
    threads = {each.tid: each for each in scene.target.threads()}
    native = [d for d in scene.activities if d.kind == NATIVE]
    loops = {d.tid: find_endless_native_loop(scene.target, threads[d.tid]) for d in native}
    for activity in native:
        thread, loop = threads[activity.tid], loops[activity.tid]
        others = [d for d in scene.activities if d.tid != activity.tid and not loops.get(d.tid)]
        if loop is None or not activity.frames:
            continue
        if loop.words and not _alone(scene, activity, loop.words, others):
            continue
        function = symbolize(scene.target, thread.pc).partition("+")[0]
        waiting = [d for d in scene.activities if d.kind == GIL and d.frames]
        sentence = (
            f"{activity.who()} is in a loop without end of native code, in {function} of "
            f"{activity.module}, called at {activity.where()}: with its registers as they are no "
            "jump leads out of it"
        )
        if waiting and scene.gil_holder == activity.tid:
            sentence += (
                f"; it holds the GIL, for which {waiting[0].who()} waits at {waiting[0].where()}"
            )
        seen = "it reads no memory" if not loop.words else (
            f"it reads {counted(len(loop.words), 'word')} of memory, and no thread that could "
            "change them can run"
        )  # fmt: skip
        return HangDiagnosis(
            HANG, "endless native loop", sentence, (activity, *waiting[:1]), PROBABLE,
            (f"its instructions were followed from {thread.pc:#x}: at {loop.start:#x} all that a "
             "jump depends on is as before", seen),
            ("a call or a store in the loop",), ("a signal handler that changes what it reads",),
        )  # fmt: skip
    return None


def _alone(
    scene: HangContext, activity: ThreadActivity, words: Sequence[int],
    others: Sequence[ThreadActivity],
) -> bool:  # fmt: skip
    """Tell whether no other thread or process can change words of memory meanwhile."""
    paths = {module.path for module in scene.target.modules()}
    regions = [scene.target.region_at(word) for word in words]
    if any(each is None or (each.in_file and each.path not in paths) for each in regions):
        return False  # a file that others may have mapped too
    if all(d.kind in (EVENT, JOIN, LOCK) and not d.timed for d in others):
        return True
    running = any(d.kind in RUNNING for d in others)
    native = [d for d in others if not scene.view.frames(d.tid)]
    of_its_own = any(activity.module in scene.native_modules(d.tid) for d in native)
    return scene.gil_holder == activity.tid and not running and not of_its_own


class _Leaves(Exception):
    """The loop ends, or does something that is not followed."""


class _Value(NamedTuple):
    number: int | None  # None where it is not known
    sources: _Sources = frozenset()


def find_endless_native_loop(target: Target, thread: Thread) -> NativeLoop | None:
    """Return the loop of native code that a thread cannot leave; None where that is not known."""
    function = FunctionBounds(target).at(thread.pc) if thread.architecture.pc == "rip" else None
    if function is None or function.end - function.start > MAX_FUNCTION:
        return None
    code = range(function.start, function.end)
    return find_endless_loop_from(target.read, code, thread.pc, thread.registers)


def find_endless_loop_from(
    read: Callable[[int, int], bytes], code: range, at: int, registers: Mapping[str, int]
) -> NativeLoop | None:
    """Return the loop that instructions from a place on cannot leave; None where that is unknown.

    `code` are the bytes of the function.
    """
    try:
        return _Run(read, code, at, registers).loop()
    except (_Leaves, UnreadableMemory):
        return None


class _Run:
    """A thread's code goes on."""

    def __init__(
        self, read: Callable[[int, int], bytes], code: range, at: int, registers: Mapping[str, int]
    ) -> None:
        self._read, self._code, self._at = read, code, at
        self._values = {name: _Value(registers.get(name), frozenset((name,))) for name in REGISTERS}
        self._values[_FLAGS] = _Value(registers.get("eflags"))
        self._words: set[int] = set()
        self._needed: _Sources = frozenset()  # what jumps depended on in this turn
        self._decoded: dict[int, Instruction] = {}

    def loop(self) -> NativeLoop:
        """Return the loop that goes round for ever. Raises _Leaves, UnreadableMemory."""
        head, most, count = 0, 1, 0
        kept: dict[str, int | None] = {}
        for _ in range(MAX_STEPS):
            instruction = self._instruction()
            after = self._at + instruction.length
            if instruction.flow == NEXT:
                self._do(instruction)
                self._at = after
                continue
            to = instruction.branches_to(after)
            if to is None or (instruction.flow == BRANCH and not self._is_taken(instruction)):
                to = after if instruction.flow == BRANCH else None
            if to is None:
                raise _Leaves
            if to <= self._at and head in (0, to):
                numbers = {name: value.number for name, value in self._values.items()}
                if head and all(kept[n] == numbers[n] is not None for n in self._decisive()):
                    return NativeLoop(to, tuple(sorted(self._words)))
                count += 1
                if count >= most:
                    head, most, count, kept = to, 2 * most, 0, numbers
                    self._begin_turn()
            self._at = to
        raise _Leaves

    def _decisive(self) -> _Sources:
        """Return the registers that jumps depended on, and those that these come from."""
        needed = self._needed
        while True:
            wider = needed.union(*(self._values[name].sources for name in needed))
            if wider == needed:
                return needed
            needed = wider

    def _begin_turn(self) -> None:
        for name, value in self._values.items():
            self._values[name] = value._replace(sources=frozenset((name,)))
        self._words.clear()
        self._needed = frozenset()

    def _instruction(self) -> Instruction:
        if self._at not in self._code:
            raise _Leaves
        if self._at not in self._decoded:
            decoded = decode(self._read(self._at, min(15, self._code.stop - self._at)))
            stores = decoded is None or any(each.access != "r" for each in decoded.operands)
            if decoded is None or (stores and _swap_of(decoded) is None):
                raise _Leaves
            self._decoded[self._at] = decoded
        return self._decoded[self._at]

    def _do(self, instruction: Instruction) -> None:
        changed = changed_registers(instruction)
        if changed is None or instruction.repeated or instruction.name == "syscall":
            raise _Leaves
        operand = self._operand(instruction)
        values = {MEMORY: operand, **self._values}
        numbers = {name: each.number for name, each in values.items() if each.number is not None}
        swapped = _swap_of(instruction)
        if swapped is not None:
            self._swap(instruction, swapped, operand)
            return
        named = (instruction.reg, instruction.rm, *changed)
        used = [values[name] for name in named if name is not None]
        sources = operand.sources.union(*(each.sources for each in used))
        results = {name: self._result(instruction, name, numbers) for name in changed}
        if not _leaves_flags(instruction):
            results[_FLAGS] = _flags_after(instruction, numbers, results)
        for name, number in results.items():
            self._values[name] = _Value(number, sources)

    def _operand(self, instruction: Instruction) -> _Value:
        """Return what an instruction reads from memory, or the address that it computes."""
        memory = instruction.memory
        if memory is None:
            return _Value(None)
        sources = frozenset[str]().union(*(self._values[r].sources for r in memory.registers()))
        explicit = instruction.explicit
        address = self._address(instruction)
        if explicit is None or address is None or explicit.size not in (1, 2, 4, 8):
            return _Value(None, sources)
        self._words.add(address)
        raw = self._read(address, explicit.size)
        return _Value(int.from_bytes(raw, "little"), sources)

    def _address(self, instruction: Instruction) -> int | None:
        memory = instruction.memory
        if memory is None:
            return None
        numbers = {n: v.number for n, v in self._values.items() if v.number is not None}
        return memory.address({**numbers, "rip": self._at})

    def _result(
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
            address = self._address(instruction)
            return None if address is None else address & mask
        return computed_value(instruction, register, numbers)

    def _swap(self, instruction: Instruction, name: str, operand: _Value) -> None:
        """Do an xchg or cmpxchg that leaves memory as it is. Raises _Leaves for another."""
        mask, mine = (1 << 8 * instruction.size) - 1, self._values[name]
        if mine.number is None or operand.number is None or instruction.size < 4:
            raise _Leaves
        stores_another = mine.number & mask != operand.number
        if stores_another == (instruction.opcode_map == 0):
            raise _Leaves
        sources = mine.sources | operand.sources
        self._needed |= sources
        self._values[name] = _Value(operand.number, sources)
        if instruction.opcode_map:
            flags = _compared(mine.number, operand.number, instruction.size)
            self._values[_FLAGS] = _Value(flags, sources)

    def _is_taken(self, instruction: Instruction) -> bool:
        """Tell whether a conditional jump is taken. Raises _Leaves where that is not known."""
        condition = instruction.opcode & 15
        if not (instruction.opcode_map == 0 and 0x70 <= instruction.opcode < 0x80) and not (
            instruction.opcode_map == 1 and 0x80 <= instruction.opcode < 0x90
        ):
            raise _Leaves
        flags, sources = self._values[_FLAGS]
        if flags is None or (flags & _UNKNOWN_CARRY and condition >> 1 not in (2, 4)):
            raise _Leaves
        self._needed |= sources
        carry, zero = bool(flags & _CARRY), bool(flags & _ZERO)
        sign, overflow = bool(flags & _SIGN), bool(flags & _OVERFLOW)
        holds = (
            overflow, carry, zero, carry or zero, sign, None, sign != overflow,
            zero or sign != overflow,
        )[condition >> 1]  # fmt: skip
        if holds is None:  # parity
            raise _Leaves
        return holds != bool(condition & 1)


def _swap_of(instruction: Instruction) -> str | None:
    """Return the register that xchg and cmpxchg compare with memory; None of any other."""
    if instruction.encoding != "legacy" or instruction.explicit is None:
        return None
    by_opcode = {(0, 0x87): instruction.reg, (1, 0xB1): "rax"}
    return by_opcode.get((instruction.opcode_map, instruction.opcode))


def _leaves_flags(instruction: Instruction) -> bool:
    """Tell whether an instruction is known to leave the flags as they are."""
    quiet = (_SETS_NO_FLAGS, _SETS_NO_FLAGS_TWO)[min(instruction.opcode_map, 1)]
    one_or_two = instruction.encoding == "legacy" and instruction.opcode_map < 2
    return one_or_two and instruction.opcode in quiet


def _flags_after(
    instruction: Instruction, numbers: Mapping[str, int], results: Mapping[str, int | None]
) -> int | None:
    """Return the flags that a comparison or a sum leaves; None where they are not known."""
    opcode, extension = instruction.opcode, instruction.modrm_reg
    if instruction.encoding != "legacy" or instruction.opcode_map:
        return None
    size = instruction.size if opcode & 1 else 1
    by_number = 0x80 <= opcode < 0x84 or opcode in (0xF6, 0xF7)  # then the reg field is no register
    registers = (instruction.rm, None if by_number else instruction.reg)
    if size == 1 and any(name in _HIGH_BYTES for name in registers):
        return None
    tests = opcode in (0x84, 0x85, 0xA8, 0xA9) or (opcode in (0xF6, 0xF7) and extension < 2)
    if tests or 0x38 <= opcode < 0x3E or (0x80 <= opcode < 0x84 and extension == 7):
        left = numbers.get(instruction.rm or MEMORY)
        right = instruction.immediate if by_number else numbers.get(instruction.reg or "")
        if opcode in (0x3C, 0x3D, 0xA8, 0xA9):
            left, right = numbers.get("rax"), instruction.immediate
        elif opcode in (0x3A, 0x3B):
            left, right = right, left
        if left is None or right is None:
            return None
        return _flags(left & right, size) if tests else _compared(left, right, size)
    sums = opcode < 0x40 or opcode in (0x81, 0x83) or (opcode == 0xFF and extension < 2)
    number = next(iter(results.values()), None) if len(results) == 1 else None
    if not sums or not opcode & 1 or instruction.size < 4 or number is None:
        return None
    return _flags(number, size) | _UNKNOWN_CARRY


def _flags(number: int, size: int) -> int:
    """Return the flags of a result without carry and overflow."""
    number &= (1 << 8 * size) - 1
    return (_ZERO if not number else 0) | (_SIGN if number >> 8 * size - 1 else 0)


def _compared(left: int, right: int, size: int) -> int:
    """Return the flags of a subtraction."""
    bits = 8 * size
    left, right = left & (1 << bits) - 1, right & (1 << bits) - 1
    flags = _flags(left - right, size) | (_CARRY if left < right else 0)
    overflow = (left ^ right) & (left ^ (left - right)) & 1 << bits - 1
    return flags | (_OVERFLOW if overflow else 0)
