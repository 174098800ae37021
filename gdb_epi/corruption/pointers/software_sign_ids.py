# SPDX-License-Identifier: Apache-2.0
"""The ids under which signs of a software bug count: other ones where a value's place is in doubt.

The ids are those of weights.json. What a flipped bit elsewhere explains as well has an id of its
own, so that its counts are its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.pointers.read_place import (
    addresses_value_was_read_through,
    differs_from_read_place,
    find_read_place,
    find_register_origin,
    has_known_provenance,
    is_pointer_aligned,
    is_read_from_outside_blocks,
    is_slot_in_block_from_base,
    origin_before_copies,
)
from gdb_epi.corruption.pointers.small_changes import (
    ONE_BIT,
    has_one_bit_set,
    is_pointer_into_middle,
)
from gdb_epi.corruption.pointers.suspects import FaultWord, is_at_most_once_off_stacks
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import DATA, TRANSFERS
from gdb_epi.fault.instructions import instructions_before
from gdb_epi.sizes import WORD
from gdb_epi.x86 import MemoryOperand
from gdb_epi.x86.register_changes import LOAD, changed_registers

WILD_VALUE, NOT_AS_READ, UNMAPPED = "S:wild-value", "S:not-as-read", "S:unmapped"
UNTRACED = ":untraced"
NUMBER = "S:number"
ADD_TO_RM, ADD_TO_REG = 0x01, 0x03  # opcodes
COMMON = frozenset(("S:ascii", "S:double", "S:int-pair"))  # forms that ordinary memory is full of


def sign_id_of_value(context: Context, word: FaultWord, sign_id: str) -> str:
    """Return the id of a sign that a value gives: another one where its place is in doubt.

    Ordinary memory is full of text, doubles and pairs of integers, so such a value says less when
    nobody knows where it was read from than when it stands where a pointer belongs. A number of one
    bit that the code did not make, and that one word holds, may be NULL with that bit flipped.
    """
    if differs_from_read_place(context, word.source):
        # Who frees a block clears the pointer to it: the register has what stood there before.
        origin = find_register_origin(context, word.source)
        cleared = origin is not None and not origin.expected and sign_id.startswith(UNMAPPED)
        return sign_id if cleared else NOT_AS_READ
    if is_read_from_outside_blocks(context, word.source):
        # Where the value itself shows that a low bit of the pointer was wrong, the sign says so.
        return (
            sign_id
            if sign_id.endswith(ONE_BIT)
            else sign_id_of_read_place(context, WILD_VALUE, word.source)
        )
    if (
        sign_id == NUMBER
        and has_one_bit_set(word.value)
        and is_at_most_once_off_stacks(context, word.value)
        and not _was_added_to_null(context, word)
    ):
        return sign_id_of_pointer(context, word, sign_id).replace(UNTRACED, ONE_BIT)
    common = sign_id in COMMON or (sign_id == "S:poison" and _is_printable(word.value))
    return sign_id + UNTRACED if common and not _is_read_from_its_place(context, word) else sign_id


def _was_added_to_null(context: Context, word: FaultWord) -> bool:
    """Whether a number was made by an addition of what still holds all of it, hence to a NULL."""
    site = context.site
    if isinstance(site, Absent) or site.kind != DATA or site.arrived:
        return False
    for _, step in reversed(instructions_before(context.target, site.fault.pc) or ()):
        changed = changed_registers(step)
        if changed is None or word.source not in changed:
            continue
        number = step.reg if step.opcode == ADD_TO_RM else step.rm
        return (
            step.opcode in (ADD_TO_RM, ADD_TO_REG)
            and (step.opcode_map, step.size) == (0, 8)
            and {step.reg, step.rm} == {word.source, number} != {word.source}
            and site.fault.registers.get(number or "") == word.value
        )
    return False


def _is_printable(value: int) -> bool:
    """Tell whether all bytes of a word are printable: strings hold runs of zeros and spaces."""
    return all(0x20 <= byte < 0x7F for byte in value.to_bytes(WORD, "little"))


def sign_id_of_read_place(context: Context, sign_id: str, *sources: str) -> str:
    """Return the id of a sign of what was read, by the pointers that it was read through.

    Another one where such a pointer leads into the middle of a thing, and a flipped bit of it
    explains that. `sources` are registers, or "target" of a pointer that was called.
    """
    bases = [
        base for source in sources for base in addresses_value_was_read_through(context, source)
    ]
    return (
        sign_id + ONE_BIT
        if any(is_pointer_into_middle(context, base) for base in bases)
        else sign_id
    )


def sign_id_of_pointer(context: Context, word: FaultWord, sign_id: str) -> str:
    """Return the id of a sign of a pointer: another one unless the code before made it.

    A value that was read from memory, or whose origin is unknown, may be the work of a flipped bit.
    """
    origin = origin_before_copies(context, find_register_origin(context, word.source))
    computed = origin is not None and origin.kind != LOAD and origin.held == origin.expected
    return sign_id if computed else sign_id + UNTRACED


def _is_read_from_its_place(context: Context, word: FaultWord) -> bool:
    """Tell whether it is known that a word was read from where it belongs."""
    site = context.site
    if isinstance(site, Absent):
        return False
    read_from = find_read_place(context, word)
    if read_from is not None:
        return read_from.owned
    return has_known_provenance(context, site, find_register_origin(context, word.source)) is True


def sign_id_of_null(context: Context) -> str:
    """Return what kind of NULL it was: by where the registers of the access came from.

    S:null_dereference: the register is 0, and the code before made it so, or it stands as 0 in a
    variable of the stack, in a library's data, or inside of the object or block that it was read
    through. S:null-read: it was read beyond that, or through a pointer at which nothing begins, or
    memory holds another value than the register. S:low-number: it is a small number, no NULL;
    S:wild-value: and it was read where no object or block is; S:not-as-read: and memory holds
    another.
    S:null-untraced: nobody knows where it came from. S:null-unread: not even which register it is.
    """
    site = context.site
    if isinstance(site, Absent) or (site.operand is None and not site.code and not site.arrived):
        return "S:null-unread"
    if site.kind in TRANSFERS and site.address:  # what was called is a number
        if is_read_from_outside_blocks(context, "target"):
            return sign_id_of_read_place(context, WILD_VALUE, "target")
        return "S:low-number"
    if site.operand is None:
        return "S:null-untraced"
    registers = site.fault.registers
    names = [name for name in site.operand.registers() if name in registers]
    if site.kind != DATA:  # the pointer that was called stands in memory
        return _sign_id_of_called_null(context, site.operand, registers)
    if names and all(registers[name] for name in names):
        if any(differs_from_read_place(context, name) for name in names):
            return NOT_AS_READ
        wild = [name for name in names if is_read_from_outside_blocks(context, name)]
        return sign_id_of_read_place(context, WILD_VALUE, *wild) if wild else "S:low-number"
    traced = [
        has_known_provenance(context, site, find_register_origin(context, name)) for name in names
    ]
    bases = [base for name in names for base in addresses_value_was_read_through(context, name)]
    if False in traced or any(is_pointer_into_middle(context, base) for base in bases):
        return sign_id_of_read_place(context, "S:null-read", *names)
    return "S:null_dereference" if True in traced else "S:null-untraced"


def _sign_id_of_called_null(
    context: Context, operand: MemoryOperand, registers: Mapping[str, int]
) -> str:
    slot = operand.address(registers)
    region = context.target.region_at(slot) if slot is not None else None
    if slot is None or region is None:
        return "S:null-untraced"
    bases = [registers[name] for name in operand.registers()]
    in_file = region.path is not None and not any(
        is_pointer_into_middle(context, base) for base in bases
    )
    in_place = in_file or any(is_slot_in_block_from_base(context, base, slot) for base in bases)
    if in_place and is_pointer_aligned(slot):
        return "S:null_dereference"
    return sign_id_of_read_place(context, "S:null-read", "target")
