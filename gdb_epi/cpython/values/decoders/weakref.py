# SPDX-License-Identifier: Apache-2.0
"""Weak references and what is made of them: weakref and _weakrefset."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr
from gdb_epi.errors import Absent


@decodes("weakref", "weakref.ReferenceType")
def weak_reference(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a weak reference: dead, or what it refers to and that one's `__name__`."""
    at = decoder.field(obj.address, "PyWeakReference", "wr_object")
    if not at or decoder.is_none(at):
        return f"<weakref at {obj.address:#x}; dead>"
    held = decoder.obj(at)
    name = _dunder_name(decoder, held)
    kind = decoder.type_name(held)
    return f"<weakref at {obj.address:#x}; to '{kind}' at {at:#x}{f' ({name})' if name else ''}>"


def _dunder_name(decoder: ReprDecoder, obj: Obj) -> str | None:
    """Return `__name__` of an object as getattr() finds it; None when it has none."""
    kind = obj.lineage.ident
    if kind == "type":
        return decoder.types.type_at(obj.address).name
    if kind in ("function", "generator", "coroutine"):
        is_function = kind == "function"
        member = ("PyFunctionObject", "func_name") if is_function else ("PyGenObject", "gi_name")
        return decoder.string(decoder.field(obj.address, *member))
    if kind == "method":
        inner = decoder.obj(decoder.field(obj.address, "PyMethodObject", "im_func"))
        return _dunder_name(decoder, inner) if inner.lineage.ident != "method" else None
    if kind == "builtin_function_or_method":
        text = decoder.reader.method_def_name(obj.address)
        return None if isinstance(text, Absent) else text
    if kind == "module":
        contents = decoder.field(obj.address, "PyModuleObject", "md_dict")
        value = decoder.objects.dict_get(contents, "__name__")
        return None if isinstance(value, Absent) else _text_or_none(decoder, value)
    for key, value in decoder.context.attributes(obj.address):
        if key == "__name__":
            return _text_or_none(decoder, value)
    inherited = decoder.types.lookup(obj.type, "__name__")
    return _text_or_none(decoder, inherited[1]) if inherited is not None else None


def _text_or_none(decoder: ReprDecoder, address: int) -> str | None:
    return decoder.string(address) if decoder.ident(address) == "str" else None


@decodes_repr(("_weakrefset", "WeakSet.__repr__"))
def weak_set(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what WeakSet.__repr__ does: show the set of weak references (3.10+)."""
    return decoder.attribute_text(obj.address, "data")


@decodes_repr(
    ("weakref", "WeakValueDictionary.__repr__"), ("weakref", "WeakKeyDictionary.__repr__")
)
def weak_dict(decoder: ReprDecoder, obj: Obj) -> str:
    """Show no items, as both classes do."""
    return f"<{decoder.class_name(obj)} at {obj.address:#x}>"


@decodes_repr(("weakref", "finalize.__repr__"))
def finalizer(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what finalize.__repr__ does: dead when the class no longer knows it."""
    registry = decoder.types.lookup(obj.type, "_registry")
    if registry is None:
        raise Undecodable("its class has no registry")
    for key, info in decoder.objects.dict_items(registry[1]):
        if key == obj.address:
            reference = decoder.attribute(info, "weakref")
            held = decoder.obj(decoder.field(reference, "PyWeakReference", "wr_object"))
            name = decoder.class_name(held)
            return f"<finalize object at {obj.address:#x}; for {name!r} at {held.address:#x}>"
    return f"<{decoder.class_name(obj)} object at {obj.address:#x}; dead>"
