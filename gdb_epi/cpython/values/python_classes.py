# SPDX-License-Identifier: Apache-2.0
"""Classes of the standard library whose `__repr__` is written in Python.

Which function repr() would have run is looked up in the class, as the interpreter does; a decoder
here stands for that function, never for a class name.
"""

from __future__ import annotations

from gdb_epi.cpython.objects.type_objects import STRUCT_SEQUENCE, TypeInfo
from gdb_epi.cpython.values.attributes import attribute
from gdb_epi.cpython.values.containers import pairs_text
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr
from gdb_epi.cpython.values.scalars import int_value
from gdb_epi.errors import Absent, UnreadableMemory

MAX_COUNTED = 100_000
_NAMEDTUPLE = ("collections", "namedtuple")
_DATACLASS = ("dataclasses", "dataclass")


def function_identity(
    decoder: ReprDecoder, owner: TypeInfo, address: int
) -> tuple[str, str] | None:
    """Return (module, qualname) of a function found in a class; None when it is none.

    namedtuple() and dataclass() make a function for each class; those get one name each.
    """
    try:
        if decoder.obj(address).lineage.ident != "function":
            return None
        names = decoder.field(address, "PyFunctionObject", "func_globals")
        module = decoder.context.objects.module_name(names)
        qualname = decoder.string(decoder.field(address, "PyFunctionObject", "func_qualname"))
        code = decoder.field(address, "PyFunctionObject", "func_code")
        name = decoder.string(decoder.field(code, "PyCodeObject", "co_name"))
    except (UnreadableMemory, Undecodable):
        return None
    if isinstance(module, Absent):
        return None
    get = decoder.context.objects.dict_get
    fields = get(owner.dict, "_fields") if module == "collections" and name == "__repr__" else None
    if fields is not None and not isinstance(fields, Absent):
        return _NAMEDTUPLE
    # The generated function is wrapped against recursion (3.14 took reprlib's wrapper for it).
    if module in ("dataclasses", "reprlib") and name == "wrapper":
        fields = get(owner.dict, "__dataclass_fields__")
        return (owner.module, qualname) if isinstance(fields, Absent) else _DATACLASS
    return module, qualname


def _class_value(decoder: ReprDecoder, found: Obj, name: str) -> int:
    value = decoder.context.types.lookup(found.type, name)
    if value is None:
        raise Undecodable(f"its class has no {name}")
    return value[1]


def _tuple_items(decoder: ReprDecoder, address: int) -> list[int]:
    if decoder.obj(address).lineage.ident not in ("tuple", STRUCT_SEQUENCE):
        raise Undecodable("not a tuple")
    count = decoder.signed(address, "PyTupleObject", "ob_size")
    start = address + decoder.context.offset("PyTupleObject", "ob_item")
    return decoder.items(start, count, "tuple items")


@decodes_repr(_NAMEDTUPLE)
def named_tuple(decoder: ReprDecoder, found: Obj) -> str:
    """Do what a namedtuple's __repr__ does."""
    names = [
        decoder.string(n) for n in _tuple_items(decoder, _class_value(decoder, found, "_fields"))
    ]
    values = _tuple_items(decoder, found.address)
    count = decoder.signed(found.address, "PyTupleObject", "ob_size")
    if len(names) != len(values):
        raise Undecodable(f"a namedtuple of {len(names)} fields and {count} values")
    if not decoder.enter(found.address):
        return "(...)"
    try:
        texts = (f"{name}={decoder.show(value)}" for name, value in zip(names, values, strict=True))
        return f"{found.type.name}({decoder.join_text(texts, count)})"
    finally:
        decoder.leave(found.address)


def _member_names(decoder: ReprDecoder, info: TypeInfo, count: int) -> list[str]:
    """Return the names of the first members of a C type, as far as they can be read."""
    members = decoder.field(info.address, "PyTypeObject", "tp_members")
    size = decoder.layout.size("PyMemberDef") or 0
    names: list[str] = []
    while members and len(names) < count:
        pointer = decoder.field(members + len(names) * size, "PyMemberDef", "name")
        name = decoder.reader.c_string(pointer, 256) if pointer else None
        if name is None or isinstance(name, Absent):
            break
        names.append(name)
    return names


@decodes(STRUCT_SEQUENCE)
def struct_sequence(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a struct sequence as structseq_repr() does, with the names of tp_members."""
    values = _tuple_items(decoder, found.address)
    names = _member_names(decoder, found.type, len(values))
    if not decoder.enter(found.address):
        return "(...)"
    try:
        if len(names) != len(values) or not found.type.full_name:
            decoder.inexact()
            inside = decoder.join(values, decoder.signed(found.address, "PyTupleObject", "ob_size"))
            return f"<{found.type.shown} object at {found.address:#x}: ({inside})>"
        texts = (f"{name}={decoder.show(value)}" for name, value in zip(names, values, strict=True))
        return f"{found.type.full_name}({decoder.join_text(texts, len(names))})"
    finally:
        decoder.leave(found.address)


@decodes_repr(("fractions", "Fraction.__repr__"))
def fraction(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Fraction.__repr__ does."""
    names = ("_numerator", "_denominator")
    parts = [decoder.show(attribute(decoder, found.address, name)) for name in names]
    return f"{found.type.name}({', '.join(parts)})"


@decodes_repr(("uuid", "UUID.__repr__"))
def uuid(decoder: ReprDecoder, found: Obj) -> str:
    """Do what UUID.__repr__ does."""
    value = int_value(decoder, attribute(decoder, found.address, "int"))
    if not 0 <= value < 1 << 128:
        raise Undecodable(f"a UUID of {value:#x}")
    digits = f"{value:032x}"
    parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    return f"{found.type.name}('{'-'.join(parts)}')"


@decodes_repr(("collections", "Counter.__repr__"))
def counter(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Counter.__repr__ does: the most common first."""
    count = decoder.field(found.address, "PyDictObject", "ma_used")
    if not count:
        return f"{found.type.name}()"
    pairs = decoder.context.objects.dict_items(found.address)
    if count > MAX_COUNTED:
        decoder.inexact()  # in the order in which the keys came
    else:
        pairs = iter(_by_count(decoder, list(pairs)))
    if not decoder.enter(found.address):
        return "..."
    try:
        return f"{found.type.name}({{{pairs_text(decoder, pairs, count)}}})"
    finally:
        decoder.leave(found.address)


def _by_count(decoder: ReprDecoder, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    counts = {value: _count(decoder, value) for _, value in pairs}
    if None in counts.values():
        decoder.inexact()
        return pairs
    return sorted(pairs, key=lambda pair: -(counts[pair[1]] or 0))


def _count(decoder: ReprDecoder, address: int) -> int | None:
    if decoder.obj(address).lineage.ident not in ("int", "bool"):
        return None
    return int_value(decoder, address)


@decodes_repr(
    ("pathlib", "PurePath.__repr__"),
    ("pathlib._local", "PurePath.__repr__"),
    ("pathlib", "PathBase.__repr__"),
)
def path(decoder: ReprDecoder, found: Obj) -> str:
    """Do what PurePath.__repr__ does, for POSIX paths."""
    held = {}
    for name in ("_str", "_raw_paths", "_drv", "_root", "_parts"):
        try:
            held[name] = attribute(decoder, found.address, name)
        except Undecodable:
            continue
    if any("Windows" in t.name for t in found.lineage.types):
        if "_str" not in held:
            raise Undecodable("a Windows path that was never shown")
        text = decoder.string(held["_str"]).replace("\\", "/")
        return f"{found.type.name}({text!r})"
    if "_str" in held:
        return f"{found.type.name}({decoder.show(held['_str'])})"
    text = _raw(decoder, held["_raw_paths"]) if "_raw_paths" in held else _parts(decoder, held)
    return f"{found.type.name}({text!r})"


def _list_strings(decoder: ReprDecoder, address: int) -> list[str]:
    if decoder.obj(address).lineage.ident != "list":
        raise Undecodable("path parts that are no list")
    count = decoder.signed(address, "PyListObject", "ob_size")
    start = decoder.field(address, "PyListObject", "ob_item")
    if count > decoder.limits.width:
        raise Undecodable(f"a path of {count} parts")
    return [decoder.string(item) for item in decoder.items(start, count, "path parts")]


def _parts(decoder: ReprDecoder, held: dict[str, int]) -> str:
    # Up to 3.11: _parts holds drive and root as its first item, when there are any.
    if not {"_drv", "_root", "_parts"} <= held.keys():
        raise Undecodable("a path without parts")
    anchor = decoder.string(held["_drv"]) + decoder.string(held["_root"])
    parts = _list_strings(decoder, held["_parts"])
    return (anchor + "/".join(parts[1:]) if anchor else "/".join(parts)) or "."


def _raw(decoder: ReprDecoder, address: int) -> str:
    """Return the text of a path that was not parsed yet (3.12+), as posixpath.join makes it."""
    joined = ""
    for part in _list_strings(decoder, address):
        joined = part if part.startswith("/") or not joined else f"{joined.rstrip('/')}/{part}"
        joined = joined or part
    slashes = len(joined) - len(joined.lstrip("/"))
    root = "//" if slashes == 2 else "/" if slashes else ""
    return root + "/".join(p for p in joined.split("/") if p not in ("", ".")) or "."


@decodes_repr(_DATACLASS)
def dataclass(decoder: ReprDecoder, found: Obj) -> str:
    """Do what the __repr__ that dataclass() makes does."""
    owner = decoder.context.types.lookup(found.type, "__repr__")
    fields = decoder.context.objects.dict_get(owner[0].dict, "__dataclass_fields__") if owner else 0
    if isinstance(fields, Absent) or not fields:
        raise Undecodable("a dataclass without fields")
    if not decoder.enter(found.address):
        return "..."
    try:
        texts: list[str] = []
        for key, field in decoder.context.objects.dict_items(fields):
            if len(texts) > decoder.limits.width:
                break
            if _is_shown(decoder, field):
                name = decoder.string(key)
                texts.append(f"{name}={_field_text(decoder, found, name)}")
        return f"{found.type.qualname}({decoder.join_text(texts, len(texts))})"
    finally:
        decoder.leave(found.address)


def _is_shown(decoder: ReprDecoder, field: int) -> bool:
    if decoder.show(attribute(decoder, field, "repr")) != "True":
        return False
    kind = attribute(decoder, field, "_field_type")
    return decoder.string(attribute(decoder, kind, "name")) == "_FIELD"


def _field_text(decoder: ReprDecoder, found: Obj, name: str) -> str:
    try:
        return decoder.show(attribute(decoder, found.address, name))
    except Undecodable:
        value = decoder.context.types.lookup(found.type, name)
        if value is None:
            raise
        return decoder.show(value[1])
