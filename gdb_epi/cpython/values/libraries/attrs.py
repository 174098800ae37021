# SPDX-License-Identifier: Apache-2.0
"""Instances of classes that attrs made."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import (
    ATTRS_REPR,
    Obj,
    ReprDecoder,
    Undecodable,
    decodes_repr,
)


@decodes_repr(ATTRS_REPR, in_itself="...")
def instance(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what the __repr__ that attrs makes does: the last part of the name, then the fields."""
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
