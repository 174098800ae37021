# SPDX-License-Identifier: Apache-2.0
"""Whose items lie in a block: a list, dict or set names it as its table."""

from __future__ import annotations

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.address_index import address_index
from gdb_epi.corruption.heap.readers import words_at_fault
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.sizes import WORD

MAX_HOLDERS = 16  # places of one address that are looked at
MAX_ITEMS = 1 << 32
SET_ENTRY = 2 * WORD
# Where an object says that its items lie, and how many; 0 where the block's end tells.
_TABLES = (
    ("list", "PyListObject", "ob_item"),
    ("dict", "PyDictObject", "ma_keys"),
    ("dict", "PyDictObject", "ma_values"),
    ("set", "PySetObject", "table"),
    ("frozenset", "PySetObject", "table"),
)


def find_table_owner(context: Context, slot: int, start: int) -> tuple[str, int] | None:
    """Return the list, dict or set in use that names a block as that of its items: type, address.

    Where one of its pointers lies at `slot`.
    """
    index = address_index(context)
    for place in context.places_of_word(start, MAX_HOLDERS):
        for name, struct, member in _TABLES:
            offset = find_member_offset(context, struct, member)
            owner = place - (offset or 0)
            kind = read_word(context.target, owner + WORD)
            if offset is None or not kind or index.type_name(kind) != name:
                continue
            if not read_word(context.target, owner) and owner not in words_at_fault(context):
                continue  # not being taken down: it is one that CPython keeps for later
            if _is_slot_for_pointer(context, name, member, owner, start, slot):
                return name, owner
    return None


def _is_slot_for_pointer(
    context: Context, name: str, member: str, owner: int, table: int, slot: int
) -> bool:
    """Whether a pointer belongs there: no hash, no free room, nor the head and indices of keys."""
    if name == "list":
        return slot < table + WORD * list_length(context, owner)
    if name in ("set", "frozenset"):
        return (slot - table) % SET_ENTRY == 0  # key, hash (Include/setobject.h)
    python = context.state.python
    if member != "ma_keys" or not isinstance(python, PythonState):
        return True
    try:
        namespaces = NamespaceReader(MemoryReader(context.target, python.layout))
        start, count, width, hashed = namespaces.keys_table_entries(table)
    except (LayoutError, UnreadableMemory):
        return False
    place = slot - start
    return 0 <= place < count * width and not (hashed and place % width == 0)


def list_length(context: Context, owner: int) -> int:
    """Return how many items a list has; 0 where it counts more than it has room for."""
    places = [
        find_member_offset(context, "PyListObject", name) for name in ("ob_size", "allocated")
    ]
    count, room = (read_word(context.target, owner + (at or 0)) or 0 for at in places)
    return count if count <= room < MAX_ITEMS else 0


def find_member_offset(context: Context, struct: str, member: str) -> int | None:
    """Return where a member lies in a struct of CPython; None without a layout of it."""
    python = context.state.python
    return python.layout.offset(struct, member) if isinstance(python, PythonState) else None
