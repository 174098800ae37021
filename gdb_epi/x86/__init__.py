# SPDX-License-Identifier: Apache-2.0
"""x86-64 instructions, as far as a fault needs them: operands, accesses, control flow."""

from __future__ import annotations

from gdb_epi.x86.decode import decode, memory_operand
from gdb_epi.x86.operand import (
    MAX_LENGTH,
    REGISTERS,
    UNKNOWN_INDEX,
    Instruction,
    Operand,
)

__all__ = [
    "MAX_LENGTH",
    "REGISTERS",
    "UNKNOWN_INDEX",
    "Instruction",
    "Operand",
    "decode",
    "memory_operand",
]
