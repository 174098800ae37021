# SPDX-License-Identifier: Apache-2.0
"""The instructions of small functions, of the kinds that can be followed.

Those that a tracer or a profiler has replaced are refused: they have no name.
"""

from __future__ import annotations

from gdb_epi.cpython.frames.code_objects import CODE_UNIT
from gdb_epi.cpython.frames.opcodes import Opcodes, opcodes_of_version
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.values.context import Undecodable
from gdb_epi.typing_lite import NamedTuple


class Instruction(NamedTuple):
    """One instruction; `following` is the place in bytes after it and its caches."""

    name: str
    argument: int
    following: int

    def target(self, opcodes: Opcodes) -> int:
        """Return the place in bytes that a jump leads to."""
        start = 0 if self.name in opcodes.absolute else self.following
        distance = opcodes.jump_unit * self.argument
        return start - distance if "BACKWARD" in self.name else start + distance


def find_opcodes(layout: Layout) -> Opcodes:
    """Return how a process's bytecode is written. Raises Undecodable for an unknown version."""
    opcodes = opcodes_of_version(layout.version)
    if opcodes is None:
        raise Undecodable("bytecode of an unknown version")
    return opcodes


def read_instruction(opcodes: Opcodes, units: bytes, at: int) -> Instruction:
    """Return the instruction at a place that control reaches. Raises Undecodable for another."""
    argument = 0
    while 0 <= at < len(units) - 1 and not at % CODE_UNIT:
        name = opcodes.names.get(units[at])
        if name is None:
            raise Undecodable(f"opcode {units[at]}")
        argument = argument << 8 | units[at + 1]
        at += CODE_UNIT * (1 + opcodes.caches.get(units[at], 0))
        if name != "EXTENDED_ARG":
            return Instruction(name, argument, at)
    raise Undecodable("no return")
