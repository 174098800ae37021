# SPDX-License-Identifier: Apache-2.0
"""The containers of builtins: tuple, list, dict and its views, sets, range, slice.

Struct sequences (os.stat_result, time.struct_time) are tuples of C with names.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.objects.containers import set_keys
from gdb_epi.cpython.objects.type_objects import STRUCT_SEQUENCE
from gdb_epi.cpython.values.repr_decoder import CUT, Obj, ReprDecoder, Undecodable, decodes
from gdb_epi.errors import Absent

MAX_LOG2_SLOTS = 32


def item_count(decoder: ReprDecoder, address: int, struct: str) -> int:
    """Return ob_size of a container. Raises Undecodable when it is negative."""
    count = decoder.signed_field(address, struct, "ob_size")
    if count < 0:
        raise Undecodable(f"{count} items")
    return count


@decodes("tuple", in_itself="(...)")
def tuple_(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a tuple."""
    inside, count = _joined_items(decoder, obj.address, "tuple")
    return f"({inside},)" if count == 1 else f"({inside})"


@decodes("list", in_itself="[...]")
def list_(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a list."""
    return f"[{_joined_items(decoder, obj.address, 'list')[0]}]"


def _joined_items(decoder: ReprDecoder, address: int, kind: str) -> tuple[str, int]:
    """Return the items of a tuple or list with commas, and their number."""
    start, count = decoder.array_range(address, kind)
    if count < 0:
        raise Undecodable(f"{count} items")
    return decoder.join_item_texts(
        decoder.read_object_pointers(start, count, f"{kind} items"), count
    ), count


def dict_text(decoder: ReprDecoder, address: int) -> str:
    """Return the text of a dict: `{key: value}`, or `{...}` inside itself."""
    count = decoder.field(address, "PyDictObject", "ma_used")
    if not count:
        return "{}"
    with decoder.entering_container(address) as is_first:
        if not is_first:
            return "{...}"
        return "{" + pairs_text(decoder, decoder.objects.dict_items(address), count) + "}"


def pairs_text(decoder: ReprDecoder, pairs: Iterator[tuple[int, int]], count: int) -> str:
    """Return `key: value` pairs with commas."""
    texts = (": ".join(pair_texts(decoder, key, value)) for key, value in pairs)
    return decoder.join_text(texts, count)


def pair_texts(decoder: ReprDecoder, key: int, value: int) -> tuple[str, str]:
    """Return the texts of a key and its value; a key of text is the value's name."""
    text = decoder.repr_of(key)
    is_name = text[:1] in ("'", '"') or text[:2] in ("b'", 'b"')
    return text, decoder.repr_of_named(text, value) if is_name else decoder.repr_of(value)


@decodes("dict")
def dict_(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a dict."""
    return dict_text(decoder, obj.address)


@decodes("frozendict")
def frozen_dict(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a frozendict (3.15, PEP 814)."""
    inside = dict_text(decoder, obj.address)
    return f"{obj.type.name}({'' if inside == '{}' else inside})"


@decodes("mappingproxy")
def mapping_proxy(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a mappingproxy."""
    mapping = decoder.field(obj.address, "mappingproxyobject", "mapping")
    return f"mappingproxy({decoder.repr_of(mapping)})"


@decodes(
    "dict_keys",
    "dict_values",
    "dict_items",
    "odict_keys",
    "odict_values",
    "odict_items",
    in_itself=CUT,
)
def dict_view(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a view of a dict: its first word after the header is the dict."""
    of = decoder.reader.u64(obj.address + (decoder.layout.size("PyObject") or 0))
    if decoder.ident(of) not in ("dict", "collections.OrderedDict"):
        raise Undecodable("a view of something that is no dict")
    count = decoder.field(of, "PyDictObject", "ma_used")
    pairs = decoder.objects.dict_items(of)
    kind = obj.lineage.ident.rpartition("_")[2]
    if kind == "items":
        texts = (f"({', '.join(pair_texts(decoder, key, value))})" for key, value in pairs)
    elif kind == "values":
        texts = (pair_texts(decoder, key, value)[1] for key, value in pairs)
    else:
        texts = (decoder.repr_of(key) for key, _ in pairs)
    return f"{obj.type.name}([{decoder.join_text(texts, count)}])"


def set_items(decoder: ReprDecoder, address: int) -> Iterator[int]:
    """Yield the members of a set in the order of its table; raises what reading raises."""
    mask = decoder.field(address, "PySetObject", "mask")
    table = decoder.field(address, "PySetObject", "table")
    if mask >> MAX_LOG2_SLOTS or mask & (mask + 1):
        raise Undecodable(f"a set with the mask {mask:#x}")
    width = decoder.layout.size("setentry") or 16
    decoder.require_range(table, (mask + 1) * width, "set slots")
    yield from set_keys(decoder.reader, table, mask, width)


@decodes("set", "frozenset")
def set_(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a set or a frozenset."""
    name = obj.type.name
    count = decoder.signed_field(obj.address, "PySetObject", "used")
    if count < 0:
        raise Undecodable(f"a set of {count} members")
    if not count:
        return f"{name}()"
    with decoder.entering_container(obj.address) as is_first:
        if not is_first:
            return f"{name}(...)"
        inside = "{" + decoder.join_item_texts(set_items(decoder, obj.address), count) + "}"
    return inside if name == "set" else f"{name}({inside})"


@decodes("range")
def range_(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a range; the step only when it is not 1."""
    names = ("start", "stop", "step")
    texts = [decoder.repr_of(decoder.field(obj.address, "rangeobject", name)) for name in names]
    return f"range({', '.join(texts[:2] if texts[2] == '1' else texts)})"


@decodes("slice")
def slice_(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a slice."""
    names = ("start", "stop", "step")
    texts = [decoder.repr_of(decoder.field(obj.address, "PySliceObject", name)) for name in names]
    return f"slice({', '.join(texts)})"


@decodes(STRUCT_SEQUENCE, in_itself="(...)")
def struct_sequence(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a struct sequence as structseq_repr() does, with the names of tp_members."""
    values = decoder.tuple_items(obj.address)
    # The names of the first members of a C type, as far as they can be read.
    count = len(values)
    members = decoder.field(obj.type.address, "PyTypeObject", "tp_members")
    size = decoder.layout.size("PyMemberDef") or 0
    names: list[str] = []
    while members and len(names) < count:
        pointer = decoder.field(members + len(names) * size, "PyMemberDef", "name")
        name = decoder.reader.c_string(pointer, 256) if pointer else None
        if name is None or isinstance(name, Absent):
            break
        names.append(name)
    if len(names) != len(values) or not obj.type.full_name:
        decoder.mark_inexact()
        inside = decoder.join_item_texts(
            values, decoder.signed_field(obj.address, "PyTupleObject", "ob_size")
        )
        return f"<{obj.type.qualified_name} object at {obj.address:#x}: ({inside})>"
    texts = (f"{name}={decoder.repr_of(value)}" for name, value in zip(names, values, strict=True))
    return f"{obj.type.full_name}({decoder.join_text(texts, len(names))})"
