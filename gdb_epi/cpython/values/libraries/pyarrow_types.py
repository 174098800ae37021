# SPDX-License-Identifier: Apache-2.0
"""Types, fields and schemas of pyarrow, as `repr()` shows them.

What C++ holds of them (arrow/type.h, 17 to 26) is read as pyarrow.py reads arrays. What carries
metadata, and kinds of types that are not known here, are shown by their class.
"""

from __future__ import annotations

from gdb_epi.cpython.values.libraries.pyarrow import (
    FIELD_NAME,
    MAX_FIELDS,
    PLAIN_TYPES,
    TYPE_CHILDREN,
    TYPE_OWN,
    read_shared_pointers,
    read_string,
    read_type_id,
)
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes

MAX_DEPTH = 8
# Members of an arrow::DataType, Field and Schema.
_ZONE, _SCALE = 80, 80
_VALUES, _ORDERED = 88, 104  # of a DictionaryType, after its index type
_FIELD_TYPE, _NULLABLE, _FIELD_METADATA = 56, 72, 80
_SCHEMA, _SCHEMA_METADATA = 24, 88
_TIMES = {18: "timestamp", 19: "time32", 20: "time64", 33: "duration"}
_UNITS = ("s", "ms", "us", "ns")
_DECIMALS = {23: "decimal128", 24: "decimal256", 43: "decimal32", 44: "decimal64"}
_LISTS = {25: "list", 36: "large_list"}
FIXED_BINARY, STRUCT, DICTIONARY, MAP, FIXED_LIST = 15, 26, 29, 30, 32


@decodes("pyarrow.lib.DataType")
def data_type(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a type; its classes have the same repr()."""
    return f"{obj.type.name}({_type_text(decoder, decoder.word(obj, 2))})"


@decodes("pyarrow.lib.Field")
def field(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a field of a schema or a struct."""
    return f"pyarrow.Field<{_field_text(decoder, decoder.word(obj, 2))}>"


@decodes("pyarrow.lib.Schema")
def schema(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a schema: a line a field, and one for each of its children."""
    held = decoder.reader.u64(decoder.word(obj, 2) + _SCHEMA)
    if decoder.reader.u64(held + _SCHEMA_METADATA):
        raise Undecodable("a schema with metadata")
    lines: list[str] = []
    for address in read_shared_pointers(decoder, held, MAX_FIELDS):
        lines += _field_lines(decoder, address, 0)
    return "\n".join(lines)


def _field_lines(decoder: ReprDecoder, address: int, depth: int) -> list[str]:
    """Return what PrettyPrint() writes of a field; each depth is indented twice."""
    lines = [_field_text(decoder, address, depth)]
    if decoder.reader.u64(address + _FIELD_METADATA):
        raise Undecodable("a field with metadata")
    indent = " " * (4 * depth + 2)
    for number, child in enumerate(_child_fields(decoder, _field_type(decoder, address))):
        first, *more = _field_lines(decoder, child, depth + 1)
        lines += [f"{indent}child {number}, {first}", *more]
    return lines


def _field_type(decoder: ReprDecoder, field: int) -> int:
    return decoder.reader.u64(field + _FIELD_TYPE)


def _child_fields(decoder: ReprDecoder, kind: int) -> list[int]:
    return read_shared_pointers(decoder, kind + TYPE_CHILDREN, MAX_FIELDS)


def _field_text(decoder: ReprDecoder, address: int, depth: int = 0) -> str:
    """Return what Field::ToString() gives."""
    end = "" if decoder.reader.u8(address + _NULLABLE) else " not null"
    text = _type_text(decoder, _field_type(decoder, address), depth + 1)
    return f"{read_string(decoder, address + FIELD_NAME)}: {text}{end}"


def _type_text(decoder: ReprDecoder, kind: int, depth: int = 0) -> str:
    """Return what DataType::ToString() gives."""
    decoder.count_nested_value()
    if depth > MAX_DEPTH:
        raise Undecodable("types in types without an end")
    number = read_type_id(decoder, kind)
    if number in PLAIN_TYPES:
        return PLAIN_TYPES[number]
    own = decoder.reader.u32(kind + TYPE_OWN)
    if number in _TIMES:
        if own >= len(_UNITS):
            raise Undecodable(f"a unit of time {own}")
        zone = read_string(decoder, kind + _ZONE) if _TIMES[number] == "timestamp" else ""
        return f"{_TIMES[number]}[{_UNITS[own]}{f', tz={zone}' if zone else ''}]"
    if number in _DECIMALS:
        precision = decoder.reader.u32(kind + TYPE_OWN + 4)
        scale = int.from_bytes(decoder.reader.read(kind + _SCALE, 4), "little", signed=True)
        return f"{_DECIMALS[number]}({precision}, {scale})"
    if number == FIXED_BINARY:
        return f"fixed_size_binary[{own}]"
    if number == DICTIONARY:
        codes, values = (
            _type_text(decoder, decoder.reader.u64(kind + at), depth + 1)
            for at in (TYPE_OWN, _VALUES)
        )
        ordered = decoder.reader.u8(kind + _ORDERED)
        return f"dictionary<values={values}, indices={codes}, ordered={ordered}>"
    children = _child_fields(decoder, kind)
    if number == MAP:
        return _map_text(decoder, children, own & 0xFF, depth)
    texts = [_field_text(decoder, child, depth) for child in children]
    if number == STRUCT:
        return f"struct<{', '.join(texts)}>"
    if len(texts) == 1 and number in _LISTS:
        return f"{_LISTS[number]}<{texts[0]}>"
    if len(texts) == 1 and number == FIXED_LIST:
        return f"fixed_size_list<{texts[0]}>[{own}]"
    raise Undecodable(f"a type of id {number}")


def _map_text(decoder: ReprDecoder, children: list[int], is_sorted: int, depth: int) -> str:
    """Return the text of a map, whose only field is a struct of key and value."""
    parts = _child_fields(decoder, _field_type(decoder, children[0])) if len(children) == 1 else []
    if [read_string(decoder, part + FIELD_NAME) for part in parts] != ["key", "value"] or is_sorted:
        raise Undecodable("a map with names of its own, or of sorted keys")
    if not decoder.reader.u8(parts[1] + _NULLABLE):
        raise Undecodable("a map without nulls")
    texts = [_type_text(decoder, _field_type(decoder, part), depth + 1) for part in parts]
    return f"map<{', '.join(texts)}>"
