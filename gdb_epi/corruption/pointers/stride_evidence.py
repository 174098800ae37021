# SPDX-License-Identifier: Apache-2.0
"""Whether a program at hand has the number that moves a pointer by a power of two.

An index or a stride comes from somewhere: a register, a local variable, a constant of the code.
Where nothing of that holds it, no array access made a pointer that is wrong by that much.
"""

from __future__ import annotations

from gdb_epi.corruption.context import Context
from gdb_epi.errors import Absent
from gdb_epi.fault.find import GENERAL
from gdb_epi.fault.reads import read_up_to
from gdb_epi.sizes import WORD

LOWEST_BIT = 24  # indices of 2^k that are smaller are common: sizes, capacities, flags
MAX_SCALE = 12  # bits: elements of at most 4 KiB
BELOW, ABOVE = 512, 2048  # bytes of the stack around rsp
CODE = 512  # bytes of the function before the instruction that failed
HALF = 31  # bits of a positive int
# The index -1 as an unsigned int moves a pointer by 2^32 elements: bits that this can set.
WRAPPED_BITS = range(32, 40)
WRAPPED = range(0xFFFF0000, 1 << 32)
# shl by cl of a 64-bit register, and bts by a register.
_SHIFTS = (
    *(bytes((rex, 0xD3, 0xE0 + number)) for rex in (0x48, 0x49) for number in range(8)),
    *(bytes((rex, 0x0F, 0xAB)) for rex in (0x48, 0x49, 0x4C, 0x4D)),
)


def may_stride(context: Context, bit: int) -> bool:
    """Whether a register, the stack near rsp or the code at hand holds what moves by 2^bit.

    That is 2^bit, or the quotient by the size of an element; 32-bit halves count too, and the
    numbers of these bits in registers, for 1 may have been shifted by one. True where that cannot
    be read, and for low bits.
    """
    key = f"may stride:{bit}"
    if key not in context.kept:
        context.kept[key] = bit < LOWEST_BIT or _may_stride(context, bit)
    found: bool = context.kept[key]
    return found


def _may_stride(context: Context, bit: int) -> bool:
    fault = context.fault
    if isinstance(fault, Absent):
        return True
    start = (fault.sp - BELOW) & -WORD
    data = read_up_to(context.target, start, BELOW + ABOVE)
    stack = memoryview(data[: len(data) & -WORD]).cast("Q")
    if not stack:
        return True
    held = [fault.registers[name] for name in GENERAL if name in fault.registers]
    strides = {1 << power for power in range(bit - MAX_SCALE, bit + 1)}
    ints = {one for one in strides if one < 1 << HALF}
    if any(bit - MAX_SCALE <= word <= bit for word in held):
        return True
    for word in (*held, *stack):
        if word in strides or word & 0xFFFFFFFF in ints or word >> 32 in ints:
            return True
        if bit in WRAPPED_BITS and word in WRAPPED:
            return True
    return _in_code(context, fault.pc, strides)


def _in_code(context: Context, pc: int, strides: set[int]) -> bool:
    """Whether the code before holds one of the numbers, or shifts by one that is not known."""
    function = context.functions.at(pc)
    if function is None:
        return True
    start = max(function.start, pc - CODE)
    code = read_up_to(context.target, start, pc - start)
    constants = (one.to_bytes(4 if one < 1 << HALF else WORD, "little") for one in strides)
    return any(one in code for one in (*constants, *_SHIFTS))
