# SPDX-License-Identifier: Apache-2.0
"""Values: a memory operand and a decoded instruction."""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.sizes import WORD_MASK
from gdb_epi.typing_lite import NamedTuple

REGISTERS = (
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
)  # fmt: skip
MAX_LENGTH = 15  # bytes of the longest instruction
# In the place of an index register: a vector of them, a bit number, a scaled displacement that
# is not known. Then no address can be computed.
UNKNOWN_INDEX = "?"

NEXT, JUMP, BRANCH, CALL, RETURN, TRAP = "next", "jump", "branch", "call", "return", "trap"


class MemoryOperand(NamedTuple):
    """One memory access: segment + base + index * scale + displacement.

    `access` is "r", "w" (also for one that reads and writes: the CPU asks for both at once) or
    None when it is not known. `size` is in bytes, 0 when not known. `implicit`: the stack and
    string accesses that no operand names. `align`: what the address must be a multiple of, else
    the CPU raises a general protection fault; 1 when it need not.
    """

    base: str | None
    index_register: str | None
    scale: int
    displacement: int
    segment: str | None
    access: str | None
    rip_relative: bool = False
    length: int = 0  # of the whole instruction, 0 when not known
    size: int = 0
    implicit: bool = False
    align: int = 1
    narrow: bool = False  # the address is cut to 32 bits (prefix 0x67)

    def address(self, registers: Mapping[str, int]) -> int | None:
        """Return the effective address; None when a register that it needs is unknown."""
        total = self.displacement
        if self.rip_relative:
            if "rip" not in registers or not self.length:
                return None
            total += registers["rip"] + self.length
        for name, scale in ((self.base, 1), (self.index_register, self.scale)):
            if name is None:
                continue
            if name not in registers:
                return None
            total += registers[name] * scale
        if self.narrow:
            total &= 0xFFFFFFFF
        if self.segment is not None:
            if self.segment not in registers:
                return None
            total += registers[self.segment]
        return total & WORD_MASK

    def registers(self) -> tuple[str, ...]:
        """Return the general registers of the address, the base first."""
        names = (self.base, self.index_register)
        return tuple(name for name in names if name is not None and name != UNKNOWN_INDEX)


class Instruction(NamedTuple):
    """One instruction.

    `flow` says where the next one is: NEXT, BRANCH (here or at `target`), JUMP, CALL, RETURN or
    TRAP (none of this process: int3, ud2, hlt). `target` is relative to the end of the
    instruction. An indirect jump or call goes through `target_register`, or else through its
    first operand. `name` is a mnemonic where the decoder needs one, else "". `reg` and `rm` are the
    general registers of the ModRM byte by their 64-bit names, whatever their kind really is.
    `prefix` is the one that selects one of the instructions of an opcode (0x66, 0xF2, 0xF3),
    0 without one. `rex`: it has a REX prefix, by which bytes are those of sil and not of dh.
    `repeated`: a string operation with a rep prefix, which can fail between two of its rounds.
    """

    length: int
    name: str
    flow: str
    operands: tuple[MemoryOperand, ...]
    encoding: str  # "legacy", "vex" or "evex"
    opcode_map: int  # 0 one byte, 1 after 0x0F, 2 after 0x0F38, 3 after 0x0F3A
    opcode: int
    reg: str | None
    rm: str | None  # None when the ModRM byte names memory
    modrm_reg: int  # the reg field as a number, -1 without ModRM
    size: int  # operand size in bytes: 2, 4 or 8
    immediate: int | None
    target: int | None = None
    target_register: str | None = None
    privileged: bool = False
    memory: MemoryOperand | None = None  # what the ModRM byte addresses, also for lea
    repeated: bool = False
    prefix: int = 0
    rex: bool = False

    @property
    def explicit_operand(self) -> MemoryOperand | None:
        """Return the access that the instruction names, None when it has none."""
        return next((operand for operand in self.operands if not operand.implicit), None)

    def jump_target_address(self, end: int) -> int | None:
        """Return where a direct jump or branch that ends at a place leads; None for all others."""
        if self.target is None or self.flow not in (JUMP, BRANCH):
            return None
        return end + self.target
