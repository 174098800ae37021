# SPDX-License-Identifier: Apache-2.0
"""How each version's bytecode is written: opcodes.json, which tests/tools/emit_opcodes.py makes.

Source: Lib/opcode.py, Lib/dis.py, Python/ceval.c and Python/bytecodes.c of each version.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from gdb_epi.cpython.frames.code_objects import CODE_UNIT
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import shipped_json

# Before 3.11 each operator has an instruction of its own.
_SIGNS = {
    "ADD": "+", "SUBTRACT": "-", "MULTIPLY": "*", "FLOOR_DIVIDE": "//", "TRUE_DIVIDE": "/",
    "MODULO": "%", "AND": "&", "OR": "|", "XOR": "^", "RSHIFT": ">>", "LSHIFT": "<<",
    "POWER": "**",
}  # fmt: skip
OPERATORS_BY_INSTRUCTION = {
    f"{how}_{name}": sign + suffix
    for how, suffix in (("BINARY", ""), ("INPLACE", "="))
    for name, sign in _SIGNS.items()
}


class Instruction(NamedTuple):
    """One instruction: its byte, the byte after it and its caches, its name, its argument.

    The name is "" where a tracer, a profiler or the JIT compiler has replaced it. An EXTENDED_ARG
    is one by itself; the argument of the instruction after it has its bits.
    """

    at: int
    end: int
    name: str
    argument: int


class OpcodesOfVersion(NamedTuple):
    """One version.

    An instruction that the eval loop has specialised (3.11, PEP 659) has the name of the one it
    came from. Those that a tracer, a profiler or the JIT compiler has `rewritten` have no name.
    """

    names: dict[int, str]
    base: dict[int, int]  # what each specialised opcode was made of
    caches: dict[int, int]  # how many units follow an instruction
    rewritten: frozenset[int]
    consts: frozenset[int] = frozenset()  # their argument is an index into co_consts
    absolute: frozenset[str] = frozenset()  # jumps to a place that is counted from the beginning
    jump_unit: int = 2
    global_shift: int = 0
    attr_shift: int = 0
    compare_shift: int = 0
    end_for: int = 0  # what END_FOR takes from the stack, 0 where there is none
    handlers_last: bool = False  # the handlers of exceptions stand after all other code
    operators: tuple[str, ...] = ()  # of BINARY_OP
    common: dict[int, str] = {}  # what LOAD_COMMON_CONSTANT loads, as repr() has it
    instructions: frozenset[str] = frozenset()  # what there is: asked instead of the version

    def operator_sign(self, number: int) -> str | None:
        """Return the sign of an operator of BINARY_OP; None for a number that is none."""
        return self.operators[number] if 0 <= number < len(self.operators) else None

    def decode(self, units: bytes, at: int = 0) -> Iterator[Instruction]:
        """Yield the instructions of some code from a byte on."""
        extended = 0
        while 0 <= at < len(units) - 1:
            opcode, argument = units[at], units[at + 1] | extended
            name = self.names.get(opcode, "")
            end = at + CODE_UNIT * (1 + self.caches.get(opcode, 0))
            yield Instruction(at, end, name, argument)
            extended = argument << 8 if name == "EXTENDED_ARG" else 0
            at = end

    def jump_target(self, name: str, argument: int, end: int) -> int:
        """Return the byte that a jump leads to; `end` is the one after it and its caches."""
        start = 0 if name in self.absolute else end
        distance = self.jump_unit * argument
        return start - distance if "BACKWARD" in name else start + distance


@cache
def opcodes_of_magic(magic: bytes) -> OpcodesOfVersion | None:
    """Return those of the magic number of .pyc files; None where there is no table."""
    table = shipped_json(__file__, "opcodes.json").get(magic.hex())
    if table is None:
        return None
    names = {number: name for name, number in table["names"].items()}
    base = {int(special): number for special, number in table["base"].items()}
    caches = {int(number): units for number, units in table["caches"].items()}
    caches |= {special: caches[number] for special, number in base.items() if number in caches}
    return OpcodesOfVersion(
        names | {special: names[number] for special, number in base.items()},
        base,
        caches,
        frozenset(table["rewritten"]),
        frozenset(table["consts"]),
        frozenset(table["absolute"]),
        table["jump_unit"],
        table["global_shift"],
        table["attr_shift"],
        table["compare_shift"],
        table["end_for"],
        table["handlers_last"],
        tuple(table["operators"]),
        {int(number): text for number, text in table["common"].items()},
        frozenset(table["names"]),
    )


@cache
def opcodes_of_version(version: tuple[int, int]) -> OpcodesOfVersion | None:
    """Return those of a release like (3, 12); None where there is no table."""
    tables, wanted = shipped_json(__file__, "opcodes.json"), "{}.{}".format(*version)
    magic = next((magic for magic, table in tables.items() if table["version"] == wanted), None)
    return None if magic is None else opcodes_of_magic(bytes.fromhex(magic))
