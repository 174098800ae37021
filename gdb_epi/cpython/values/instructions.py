# SPDX-License-Identifier: Apache-2.0
"""The instructions of small functions, of the kinds that can be followed.

`opcodes.json` (tests/tools/emit_repr_opcodes.py) has the numbers of each version. An instruction
that the eval loop has specialised (3.11, PEP 659) stands for the one it came from. Those that a
tracer or a profiler has replaced are refused, like all others.
Source: Python/bytecodes.c, Python/ceval.c, Lib/opcode.py of each version.
"""

from __future__ import annotations

from functools import cache

from gdb_epi.cpython.frames.code_objects import CODE_UNIT
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.values.context import Undecodable
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import shipped_json


class Instruction(NamedTuple):
    """One instruction; `following` is the place in bytes after it and its caches."""

    name: str
    argument: int
    following: int


class BytecodeDialect(NamedTuple):
    """How one version's bytecode is written (opcodes.json)."""

    names: dict[int, str]
    caches: dict[int, int]
    absolute: frozenset[str]
    jump_unit: int
    global_shift: int
    attr_shift: int
    compare_shift: int
    end_for: int  # what END_FOR takes from the stack, 0 where there is none
    operators: dict[int, str]
    common: dict[int, str]  # what LOAD_COMMON_CONSTANT loads, as repr() has it

    def target(self, instruction: Instruction) -> int:
        """Return the place in bytes that a jump leads to."""
        start = 0 if instruction.name in self.absolute else instruction.following
        distance = self.jump_unit * instruction.argument
        return start - distance if "BACKWARD" in instruction.name else start + distance


@cache
def _dialect(version: str) -> BytecodeDialect | None:
    table = shipped_json(__file__, "opcodes.json").get(version)
    if table is None:
        return None
    return BytecodeDialect(
        names={int(number): name for number, name in table["names"].items()},
        caches={int(number): units for number, units in table["caches"].items()},
        absolute=frozenset(table["absolute"]),
        jump_unit=table["jump_unit"],
        global_shift=table["global_shift"],
        attr_shift=table["attr_shift"],
        compare_shift=table["compare_shift"],
        end_for=table["end_for"],
        operators={number: sign for sign, number in table["operators"].items()},
        common={int(number): text for number, text in table["common"].items()},
    )


def find_bytecode_dialect(layout: Layout) -> BytecodeDialect:
    """Return how a process's bytecode is written. Raises Undecodable for an unknown version."""
    dialect = _dialect(".".join(map(str, layout.version)))
    if dialect is None:
        raise Undecodable("bytecode of an unknown version")
    return dialect


def read_instruction(dialect: BytecodeDialect, units: bytes, at: int) -> Instruction:
    """Return the instruction at a place that control reaches. Raises Undecodable for another."""
    argument = 0
    while 0 <= at < len(units) - 1 and not at % CODE_UNIT:
        name = dialect.names.get(units[at])
        if name is None:
            raise Undecodable(f"opcode {units[at]}")
        argument = argument << 8 | units[at + 1]
        at += CODE_UNIT * (1 + dialect.caches.get(units[at], 0))
        if name != "EXTENDED_ARG":
            return Instruction(name, argument, at)
    raise Undecodable("no return")
