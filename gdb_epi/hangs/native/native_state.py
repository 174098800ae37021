# SPDX-License-Identifier: Apache-2.0
"""Registers and memory of native code that goes on (native_loops.py), and where each value is from.

What the code stores is kept beside the memory of the core, by word. Of vector registers only the
low halves are known, with which code computes single numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gdb_epi.sizes import WORD_MASK
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple
from gdb_epi.x86 import REGISTERS, Instruction
from gdb_epi.x86.scalar_floats import (
    COMPARES,
    FROM_GENERAL,
    FROM_INTEGER,
    PACKED_DOUBLE,
    SINGLE,
    STORES,
    TO_GENERAL,
    TO_INTEGER,
    TO_ROUNDED_INTEGER,
    XMM,
    flags_of_float_comparison,
    low_half_after,
    same_numbered_xmm,
    truncated_to_integer,
    zeroes_register,
)

FLAGS = "flags"
_MOVES = frozenset((0x88, 0x89, 0xC6, 0xC7))  # to memory
if TYPE_CHECKING:
    Sources = frozenset[str]  # registers and words as they were at the beginning of a turn


class LeavesLoop(Exception):
    """The loop ends, or does something that is not followed."""


class ValueWithSources(NamedTuple):
    number: int | None  # None where it is not known
    sources: Sources = frozenset()
    apart: bool = False  # its low bytes come from low bytes alone


class NativeState:
    """What is in registers, flags and memory."""

    def __init__(
        self, read: Callable[[int, int], bytes], at: int, registers: Mapping[str, int]
    ) -> None:
        self._read, self._at = read, at
        self._values = {
            name: ValueWithSources(registers.get(name), frozenset((name,)), apart=True)
            for name in (*REGISTERS, *XMM)
        }
        self._values[FLAGS] = ValueWithSources(registers.get("eflags"))
        self._word_of: dict[int, str] = {}  # by byte
        self._words: set[int] = set()

    def _registers(self) -> dict[str, ValueWithSources]:
        """Return the registers alone: each turn of a loop that stores adds words."""
        return {name: self._values[name] for name in (*REGISTERS, FLAGS)}

    def _operand_address(self, instruction: Instruction) -> int | None:
        memory = instruction.memory
        if memory is None:
            return None
        registers = self._registers().items()
        numbers = {name: each.number for name, each in registers if each.number is not None}
        return memory.address({**numbers, "rip": self._at})

    def _operand_value(self, instruction: Instruction) -> ValueWithSources:
        """Return what an instruction reads from memory, or the address that it computes."""
        memory = instruction.memory
        if memory is None:
            return ValueWithSources(None)
        sources = frozenset[str]().union(*(self._values[r].sources for r in memory.registers()))
        explicit = instruction.explicit_operand
        address = self._operand_address(instruction)
        only_stores = instruction.opcode_map == 0 and instruction.opcode in _MOVES
        if explicit is None or address is None or explicit.size not in (1, 2, 4, 8) or (
            only_stores and explicit.access != "r"
        ):  # fmt: skip
            return ValueWithSources(None, sources)
        value = self._load_from_memory(address, explicit.size)
        return value._replace(sources=value.sources | sources)

    def _load_from_memory(self, address: int, size: int) -> ValueWithSources:
        name = self._name_of_word(address, size, stores=False)
        if name in self._values:
            return self._values[name]
        self._words.add(address)
        raw = self._read(address, size)
        return ValueWithSources(int.from_bytes(raw, "little"), frozenset((name,)), apart=True)

    def _store_to_memory(self, address: int, size: int, value: ValueWithSources) -> None:
        self._values[self._name_of_word(address, size, stores=True)] = value

    def _name_of_word(self, address: int, size: int, *, stores: bool) -> str:
        """Return the name of a word. Raises Leaves where a part of another one is stored."""
        name = f"{address:x}:{size}"
        names = {self._word_of.setdefault(address + n, name) for n in range(size)}
        if names != {name} and (stores or not names.isdisjoint(self._values)):
            raise LeavesLoop
        return name

    def _push(self, value: ValueWithSources) -> None:
        stack = self._values["rsp"]
        if stack.number is None:
            raise LeavesLoop
        self._store_to_memory(
            stack.number - 8, 8, value._replace(sources=value.sources | stack.sources)
        )
        self._values["rsp"] = stack._replace(number=stack.number - 8)

    def _pop(self) -> ValueWithSources:
        stack = self._values["rsp"]
        if stack.number is None:
            raise LeavesLoop
        value = self._load_from_memory(stack.number, 8)
        self._values["rsp"] = stack._replace(number=stack.number + 8)
        return value._replace(sources=value.sources | stack.sources)

    def _do_vector_instruction(self, instruction: Instruction) -> bool:
        """Do an instruction of vector registers, as far as it is one of single numbers.

        False of those that are none, and of those that store: what these store is not known then.
        """
        opcode, prefix = instruction.opcode, instruction.prefix
        if instruction.encoding != "legacy":
            for name in XMM:  # 256 bits and more are not followed
                self._values[name] = ValueWithSources(None)
            return False
        if instruction.opcode_map != 1 or instruction.reg is None or not (
            opcode in STORES or 0x10 <= opcode < 0x18 or 0x28 <= opcode < 0x30
            or 0x51 <= opcode < 0x80 or opcode in (0xC2, 0xC6) or opcode >= 0xD0
        ):  # fmt: skip
            return False
        register = same_numbered_xmm(instruction.reg)
        general = opcode in (FROM_GENERAL, FROM_INTEGER) and instruction.rm is not None
        if instruction.memory is not None:
            right = self._low_half_of_vector_operand(instruction)
        elif instruction.rm is None:
            return False
        else:
            right = self._values[instruction.rm if general else same_numbered_xmm(instruction.rm)]
            if general and opcode == FROM_GENERAL and right.number is not None:
                cut = right.number & (WORD_MASK if instruction.size == 8 else 0xFFFFFFFF)
                right = right._replace(number=cut)
        left = self._values[register]
        sources = left.sources | right.sources
        if opcode in COMPARES:
            has_numbers = left.number is not None and right.number is not None
            flags = flags_of_float_comparison(
                left.number or 0, right.number or 0, double=prefix == PACKED_DOUBLE
            ) if has_numbers else None  # fmt: skip
            self._values[FLAGS] = ValueWithSources(flags, sources)
            return True
        if opcode in (TO_INTEGER, TO_ROUNDED_INTEGER) and prefix:
            number = right.number if opcode == TO_INTEGER else None
            if number is not None:
                number = truncated_to_integer(number, instruction.size, double=prefix != SINGLE)
            self._values[instruction.reg] = ValueWithSources(number, right.sources)
            return True
        if opcode in STORES or (opcode == TO_GENERAL and prefix != SINGLE):
            return self._store_vector(instruction, left)
        if zeroes_register(instruction):
            sources = frozenset()
        number = low_half_after(instruction, left.number, right.number)
        self._values[register] = ValueWithSources(number, sources)
        return True

    def _low_half_of_vector_operand(self, instruction: Instruction) -> ValueWithSources:
        """Return the first eight bytes, at most, of what a vector instruction reads."""
        explicit, address = instruction.explicit_operand, self._operand_address(instruction)
        sources = frozenset[str]().union(
            *(self._values[r].sources for r in (instruction.memory or explicit).registers())
        ) if instruction.memory else frozenset[str]()  # fmt: skip
        if explicit is None or explicit.access != "r" or address is None or explicit.size < 4:
            return ValueWithSources(None, sources)
        value = self._load_from_memory(address, min(explicit.size, 8))
        return ValueWithSources(value.number, value.sources | sources)

    def _store_vector(self, instruction: Instruction, value: ValueWithSources) -> bool:
        """Do a store of a vector register; False where it is of memory and not known."""
        explicit = instruction.explicit_operand
        if explicit is None and instruction.rm is not None:
            if instruction.opcode == TO_GENERAL:
                mask = WORD_MASK if instruction.size == 8 else 0xFFFFFFFF
                number = None if value.number is None else value.number & mask
                self._values[instruction.rm] = ValueWithSources(number, value.sources)
            else:
                self._values[same_numbered_xmm(instruction.rm)] = value
            return True
        address = self._operand_address(instruction)
        if explicit is None or address is None or explicit.size not in (4, 8):
            return False
        number = value.number
        if number is not None:
            number &= (1 << 8 * explicit.size) - 1
        at = frozenset[str]().union(
            *(self._values[r].sources for r in (instruction.memory or explicit).registers())
        )
        self._store_to_memory(address, explicit.size, ValueWithSources(number, value.sources | at))
        return True
