# SPDX-License-Identifier: Apache-2.0
"""Instances of dataclasses, and of classes that attrs made."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import (
    ATTRS_REPR,
    DATACLASS_REPR,
    Obj,
    ReprDecoder,
    Undecodable,
    decodes_repr,
)
from gdb_epi.errors import Absent


@decodes_repr(DATACLASS_REPR, in_itself="...")
def dataclass(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what the __repr__ that dataclass() makes does."""
    owner = decoder.types.lookup(obj.type, "__repr__")
    fields = decoder.objects.dict_get(owner[0].dict, "__dataclass_fields__") if owner else 0
    if isinstance(fields, Absent) or not fields:
        raise Undecodable("a dataclass without fields")
    texts: list[str] = []
    for key, field in decoder.objects.dict_items(fields):
        if len(texts) > decoder.limits.width:
            break
        if _is_field_in_repr(decoder, field):
            name = decoder.string(key)
            texts.append(f"{name}={_field_text(decoder, obj, name)}")
    return f"{obj.type.qualname}({decoder.join_text(texts, len(texts))})"


def _is_field_in_repr(decoder: ReprDecoder, field: int) -> bool:
    if decoder.attribute_text(field, "repr") != "True":
        return False
    kind = decoder.attribute(field, "_field_type")
    return decoder.string(decoder.attribute(kind, "name")) == "_FIELD"


def _field_text(decoder: ReprDecoder, obj: Obj, name: str) -> str:
    try:
        return decoder.attribute_text(obj.address, name)
    except Undecodable:
        value = decoder.types.lookup(obj.type, name)
        if value is None:
            raise
        return decoder.repr_of_named(name, value[1])


@decodes_repr(ATTRS_REPR, in_itself="...")
def attrs_instance(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode an instance of an attrs class: the last part of its name, then the fields."""
    held = decoder.types.lookup(obj.type, "__attrs_attrs__")
    if held is None:
        raise Undecodable("a class without fields")
    texts = []
    for field in decoder.tuple_items(held[1]):
        shown = decoder.attribute_text(field, "repr")
        name = decoder.string(decoder.attribute(field, "name"))
        if shown == "False":
            continue
        if shown != "True":
            raise Undecodable("a field that is shown by Python code")
        texts.append(f"{name}={decoder.attribute_text(obj.address, name)}")
    qualname = obj.type.qualname.rpartition(">.")[2]
    return f"{qualname}({decoder.join_text(texts, len(texts))})"
