# SPDX-License-Identifier: Apache-2.0
"""x86-64 instructions, as far as a fault needs them: operands, accesses, control flow.

In: bytes of code. Out: an `Instruction` with its memory operands (`decode`), its length alone
(`length`), the registers that it changes and where their values come from (`flow`, `arithmetic`).
Nothing here reads memory or knows of processes, and nothing is guessed: anything unknown is None.
"""

from __future__ import annotations

from gdb_epi.x86.decode import decode, first_memory_operand
from gdb_epi.x86.instruction import MAX_LENGTH, REGISTERS, UNKNOWN_INDEX, Instruction, MemoryOperand

__all__ = [
    "MAX_LENGTH",
    "REGISTERS",
    "UNKNOWN_INDEX",
    "Instruction",
    "MemoryOperand",
    "decode",
    "first_memory_operand",
]
