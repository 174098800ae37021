# SPDX-License-Identifier: Apache-2.0
"""Attributes of instances: `__slots__` and dicts."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.objects.type_objects import HEAPTYPE, TypeInfo
from gdb_epi.cpython.values.repr_decoder import ReprDecoder, Undecodable, ValueContext
from gdb_epi.errors import Absent, EpiError, UnreadableMemory

MAX_SLOTS = 4096
MAX_NAME = 4096
MAX_KEPT = 100  # attributes of an object that are remembered
MAX_OBJECTS = 20_000  # objects of which they are
# Include/structmember.h: T_OBJECT and T_OBJECT_EX.
_OBJECT_MEMBERS = (6, 16)


def slots(context: ValueContext, info: TypeInfo) -> tuple[tuple[str, int], ...]:
    """Return the names and offsets of a class's slots, those of its bases first."""
    found = context.slots.get(info.address)
    if found is None:
        names: dict[str, int] = {}
        for one in reversed(context.types.mro(info)):
            if one.flags & HEAPTYPE and one.dict:
                names.update(_own_slots(context, one, info.basicsize))
        found = context.slots[info.address] = tuple(names.items())
    return found


def _own_slots(context: ValueContext, info: TypeInfo, size: int) -> Iterator[tuple[str, int]]:
    reader, layout = context.reader, context.reader.layout
    member_at = layout.require("PyMemberDescrObject", "d_member")
    owner_at = layout.require("PyMemberDescrObject", "d_common.d_type")
    type_at = layout.require("PyMemberDef", "type")
    offset_at = layout.require("PyMemberDef", "offset")
    count = 0
    try:
        for key, value in context.objects.dict_items(info.dict):
            if context.types.lineage(reader.type_of(value)).ident != "member_descriptor":
                continue
            count += 1
            if reader.u64(value + owner_at) != info.address or count > MAX_SLOTS:
                continue
            member = reader.u64(value + member_at)
            offset = reader.i64(member + offset_at)
            name = reader.string(key, MAX_NAME)
            usable = reader.u32(member + type_at) in _OBJECT_MEMBERS and 0 < offset <= size - 8
            if usable and not isinstance(name, Absent):
                yield name, offset
    except UnreadableMemory:
        return


def attributes(decoder: ReprDecoder, address: int) -> Iterator[tuple[str, int]]:
    """Yield the (name, PyObject *) of an instance's own attributes; raises what reading raises."""
    context, reader = decoder.context, decoder.reader
    for name, offset in slots(context, decoder.obj(address).type):
        value = reader.u64(address + offset)
        if value:
            yield name, value
    for key, value in context.objects.attributes(address):
        name_of = context.name(key)
        if name_of is not None:
            yield name_of, value


def attribute(decoder: ReprDecoder, address: int, name: str) -> int:
    """Return one attribute (PyObject *) of an instance. Raises Undecodable when it has none."""
    known = decoder.context.attributes
    found = known.get(address)
    if found is None:
        found = {}
        try:
            for key, value in attributes(decoder, address):
                if len(found) > MAX_KEPT and (key == name or name in found):
                    return found.get(name, value)
                if len(found) <= MAX_KEPT:
                    found.setdefault(key, value)
        except EpiError:  # damage behind the one that is wanted
            if name not in found:
                raise
            return found[name]
        if len(found) <= MAX_KEPT and len(known) < MAX_OBJECTS:
            known[address] = found
    if name not in found:
        raise Undecodable(f"no attribute {name}")
    return found[name]
