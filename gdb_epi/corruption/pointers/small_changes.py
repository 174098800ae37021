# SPDX-License-Identifier: Apache-2.0
"""Whether a small change of a word makes it an address that could be used.

What one flipped bit explains as well as a bug does has less confidence: such signs have
the id of the sign and ":one-bit" (weights.json), whose `most` is that of signs that damage
elsewhere leaves too.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.address_descriptions import find_malloc_chunk
from gdb_epi.corruption.heap.address_index import BLOCK, FUNCTION, HEADS, OBJECT, address_index
from gdb_epi.corruption.heap.malloc_chunks import is_in_free_chunk
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import TRANSFERS
from gdb_epi.fault.malloc_heap import HEAD_BYTES, IS_MMAPPED
from gdb_epi.fault.mapping_checks import may_execute, permits
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.sizes import ADDRESS_BITS, PAGE, WORD, WORD_MASK
from gdb_epi.target.symbols import symbol_at

ONE_BIT = ":one-bit"


def words_one_byte_off(value: int) -> Iterator[int]:
    """Yield the words that differ from a word in one byte."""
    for lane in range(0, 64, 8):
        rest = value & ~(0xFF << lane)
        for byte in range(256):
            if rest | byte << lane != value:
                yield rest | byte << lane


def has_one_bit_set(value: int) -> bool:
    """Tell whether one flipped bit makes a word of NULL."""
    return value.bit_count() == 1


@once_per_run
def is_one_byte_from_use(context: Context, value: int, distance: int, access: str | None) -> bool:
    """Tell whether one byte of a word, changed, makes the access legal that it led to."""
    target = context.target
    for lane in range(0, 64, 8):
        rest = value & ~(0xFF << lane)
        if rest >> ADDRESS_BITS:
            continue  # however this byte is changed, it is no address
        for byte in range(256):
            at = (rest | byte << lane) + distance
            if permits(target.region_at(at & WORD_MASK), access):
                return True
    return False


@once_per_run
def is_one_bit_from_start_of_thing(context: Context, value: int) -> bool:
    """Tell whether something that could have been meant begins one bit away from a word.

    That is an object or a block in use; a function where control went wrong, for nobody reads or
    writes code. Where a core was cut off, any place of memory that it lacks may be such a start.
    """
    site, index, target = context.site, address_index(context), context.target
    is_cut = target.truncation().truncated
    called = not isinstance(site, Absent) and site.kind in TRANSFERS
    kinds = (OBJECT, BLOCK, FUNCTION) if called else (OBJECT, BLOCK)
    for bit in range(ADDRESS_BITS + 1):
        near = value ^ 1 << bit
        pointee = index.pointee_at(near)
        if (pointee is not None and pointee.kind in kinds) or begins_large_block(context, near):
            return True
        region = target.region_at(near) if is_cut and near % WORD == value % WORD else None
        if region is not None and "w" in region.perms and near >= region.start + region.dumped:
            return True
    return False


def is_lowest_byte_wrong(context: Context, value: int) -> bool:
    """Tell whether another lowest byte, or one bit, makes a word lead to something in use.

    That byte is wrong where nothing can begin. If nothing begins there with another one either,
    more than one byte was written.
    """
    pointee_at = address_index(context).pointee_at
    near = (value & ~0xFF | byte for byte in range(0, 0x100, WORD))
    return is_one_bit_from_start_of_thing(context, value) or any(map(pointee_at, near))


def is_one_bit_from_function(context: Context, value: int) -> bool:
    """Tell whether a function begins one bit away from a word, or code that no unwind table has."""
    for near in (value ^ 1 << bit for bit in range(ADDRESS_BITS)):
        if may_execute(context.target.region_at(near)):
            function = context.functions.function_at(near)
            if function is None or function.start == near:
                return True
    return False


def data_symbol_name(context: Context, value: int) -> str:
    """Return the name of the variable of a loaded file that begins at an address; "" for none.

    dlsym() gives such an address: a library's variable was called as if it were a function.
    """
    if may_execute(context.target.region_at(value)):
        return ""
    symbol = symbol_at(context.target, value)
    return symbol.name if symbol is not None and not symbol.offset else ""


def is_one_bit_from_large_block(context: Context, value: int) -> bool:
    """Tell whether a block that malloc() mapped by itself begins one bit away from a word."""
    return any(begins_large_block(context, value ^ 1 << bit) for bit in range(ADDRESS_BITS))


def block_of_large_text(context: Context, value: int) -> int | None:
    """Return where the block of a large str or bytes began whose characters a pointer leads to.

    None for another place in its page. PyUnicode_AsUTF8() and PyBytes_AsString() return such ones.
    """
    python = context.state.python
    if not isinstance(python, PythonState):
        return None
    layout = python.layout
    heads = [layout.size("PyASCIIObject"), layout.size("PyCompactUnicodeObject")]
    heads.append(layout.offset("PyBytesObject", "ob_sval"))
    starts = (value - head for head in heads if head)
    return next((start for start in starts if start % PAGE == HEAD_BYTES), None)


def is_pointer_into_middle(context: Context, value: int) -> bool:
    """Tell whether a pointer leads into the middle of a thing, and one bit away another begins.

    A pointer of the program to what was freed, cleared or overwritten leads to where that began.
    """
    return _is_inside_block_or_file_data(context, value) and is_one_bit_from_start_of_thing(
        context, value
    )


def _is_inside_block_or_file_data(context: Context, address: int) -> bool:
    """Whether an address lies in a block in use or in a file's data, where nothing begins or began.

    An object that was freed began where its block does, or after the header of its type.
    """
    index, region = address_index(context), context.target.region_at(address)
    if region is None or index.pointee_at(address) is not None:
        return False
    if region.path is not None and not region.path.startswith("["):
        return True
    if index.offset_in_pool_block(address) is not None:
        return index.is_past_start_in_pool_block(address) and not index.in_free_block(address)
    chunk = find_malloc_chunk(context, address)
    if chunk is None or address - chunk[0] in HEADS:
        return False
    return not is_in_free_chunk(context, chunk[0])


def begins_large_block(context: Context, address: int) -> bool:
    """Tell whether a block that malloc() mapped by itself begins at an address."""
    if address % PAGE != HEAD_BYTES:
        return False
    size = read_word(context.target, address - 8)
    return size is not None and bool(size & IS_MMAPPED) and size % PAGE == IS_MMAPPED


def sign_id_or_one_bit_id(context: Context, id: str, *values: int) -> str:
    """Return the id of a sign: another one where one flipped bit explains the same."""
    explained = any(is_one_bit_from_start_of_thing(context, value) for value in values)
    return id + ONE_BIT if explained else id
