# SPDX-License-Identifier: Apache-2.0
"""Attributes of instances: `__slots__` and dicts."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.objects.type_objects import HEAPTYPE, TypeInfo
from gdb_epi.cpython.values.core import Painter, Undecodable, World
from gdb_epi.errors import Absent, EpiError, UnreadableMemory

MAX_SLOTS = 4096
MAX_NAME = 4096
MAX_KEPT = 100  # attributes of an object that are remembered
MAX_OBJECTS = 20_000  # objects of which they are
# Include/structmember.h: T_OBJECT and T_OBJECT_EX.
_OBJECT_MEMBERS = (6, 16)


def slots(world: World, info: TypeInfo) -> tuple[tuple[str, int], ...]:
    """Return the names and offsets of a class's slots, those of its bases first."""
    found = world.slots.get(info.address)
    if found is None:
        names: dict[str, int] = {}
        for one in reversed(world.types.mro(info)):
            if one.flags & HEAPTYPE and one.dict:
                names.update(_own_slots(world, one, info.basicsize))
        found = world.slots[info.address] = tuple(names.items())
    return found


def _own_slots(world: World, info: TypeInfo, size: int) -> Iterator[tuple[str, int]]:
    reader, layout = world.reader, world.reader.layout
    member_at = layout.require("PyMemberDescrObject", "d_member")
    owner_at = layout.require("PyMemberDescrObject", "d_common.d_type")
    type_at = layout.require("PyMemberDef", "type")
    offset_at = layout.require("PyMemberDef", "offset")
    count = 0
    try:
        for key, value in world.objects.dict_items(info.dict):
            if world.types.lineage(reader.type_of(value)).ident != "member_descriptor":
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


def attributes(painter: Painter, address: int) -> Iterator[tuple[str, int]]:
    """Yield the (name, PyObject *) of an instance's own attributes; raises what reading raises."""
    world, reader = painter.world, painter.reader
    for name, offset in slots(world, painter.obj(address).type):
        value = reader.u64(address + offset)
        if value:
            yield name, value
    for key, value in world.objects.attributes(address):
        name_of = world.name(key)
        if name_of is not None:
            yield name_of, value


def attribute(painter: Painter, address: int, name: str) -> int:
    """Return one attribute (PyObject *) of an instance. Raises Undecodable when it has none."""
    known = painter.world.attributes
    found = known.get(address)
    if found is None:
        found = {}
        try:
            for key, value in attributes(painter, address):
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
