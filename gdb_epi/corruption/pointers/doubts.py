# SPDX-License-Identifier: Apache-2.0
"""What software makes the same wrong word: marks in top or low bits, indices of a power of two."""

from __future__ import annotations

from gdb_epi.corruption.code.register_origins import remade
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.pointers.pointer_marks import marks, may_set, sets
from gdb_epi.corruption.pointers.stride_evidence import may_stride
from gdb_epi.corruption.pointers.suspects import Suspect
from gdb_epi.errors import Absent
from gdb_epi.fault.site import FaultSite
from gdb_epi.sizes import ADDRESS_BITS
from gdb_epi.x86.flow import LOAD

TAG_BITS = range(ADDRESS_BITS, 64)
LOW_TAG_BITS = range(3)
STRIDE_BITS = range(12, ADDRESS_BITS)
STACK, HEAP, MIXED = "stack", "heap", "mixed"  # where a word is held


def ambiguity(
    context: Context,
    site: FaultSite,
    one: Suspect,
    corrected: int,
    bit: int,
    known: object,
    is_object: bool,
    spot: str,
) -> str | None:
    """Return what software makes the same word, or None.

    `known`: what the right word is for is known. CPython tags no high bits, and no library can in
    a field of CPython's own; nobody tags addresses of the stack or of a file's data. `is_object`:
    an object that other words name begins at the corrected address, or its links: no array does,
    so no stride.
    Nor is one a stride that nothing at hand holds.
    `spot`: STACK when all places that hold the word are on stacks, HEAP when none is and something
    begins at the corrected address.
    """
    spilled = spot == STACK
    if bit in TAG_BITS and not known and not _unmarked(context, site, one, bit, spot):
        return "a single tag bit at the top"
    if one.depth and bit in LOW_TAG_BITS:
        return "a low tag bit"
    if one.source == "rsp" and one.value < corrected:
        return "a large frame or alloca gives the same stack pointer"
    if bit not in STRIDE_BITS or one.depth or (known and one.slots):
        return None
    if one.value > corrected and spilled and not is_object and may_stride(context, bit):
        return f"an index or stride of 2^{bit} gives the same address"
    operand = site.operand
    if operand is not None and one.source in (operand.index_register, "fault address"):
        return f"an index of 2^{bit} gives the same address"
    return None


def _unmarked(context: Context, site: FaultSite, one: Suspect, bit: int, spot: str) -> bool:
    """Whether no pointer in memory has that bit, and the code at hand cannot set it.

    For a word of the heap that is the code of the module that loaded it, which would have to take
    the mark off; and the word must be the only one.
    """
    if spot == STACK:
        return not sets(context, bit) and not marks(context, one.value, bit)
    if spot == MIXED or one.depth or len(one.slots) != 1:
        return False
    at = _loaded_at(context, site, one.source)
    if may_set(context, at, bit) or len(context.places_of(one.value, 2)) != 1:
        return False
    return not marks(context, one.value, bit, starts=True)


def _loaded_at(context: Context, site: FaultSite, register: str) -> int:
    """Return the address of the instruction that loaded a register; rip where it is not known."""
    made = remade(context)
    if not isinstance(made, Absent):
        for one in made:
            if one.register == register and one.kind == LOAD:
                return one.at
    return site.fault.pc
