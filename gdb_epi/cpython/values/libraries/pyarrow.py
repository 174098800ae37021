# SPDX-License-Identifier: Apache-2.0
"""Scalars, arrays and chunked arrays of pyarrow.

The objects of Cython hold a weak reference list, a word for Cython's methods and a shared_ptr to
the object of C++. Its fields (arrow/scalar.h, array/data.h, type.h, buffer.h; 17 to 26) are read as
libstdc++ lays them out on x86-64; they are checked by the ids of types and by sizes. Values of
other types are shown by their class.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from gdb_epi.cpython.values.libraries.numpy import EPOCH, float_text
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from datetime import date

WINDOW = 10  # items of an array that are shown at each end
CHUNKS = 2  # chunks of a chunked array that are shown at each end
MAX_TEXT = 1 << 16
MAX_NESTING = 6
MAX_CHUNKS = 1 << 16
MAX_LENGTH = 1 << 48
MAX_FIELDS = 1000
MAX_NAME = 4096
TYPE_ID, TYPE_CHILDREN, TYPE_OWN = 40, 48, 72  # of a DataType
FIELD_NAME = 24
_UNITS = {0: 1, 1: 10**3, 2: 10**6, 3: 10**9}
_NUMBERS = {
    2: "B", 3: "b", 4: "H", 5: "h", 6: "I", 7: "i", 8: "Q", 9: "q", 10: "e", 11: "f", 12: "d",
    16: "i", 17: "q", 18: "q", 19: "i", 20: "q", 33: "q",
}  # fmt: skip
NULL, BOOL, DATE32, TIMESTAMP, TIME32, TIME64, DURATION = 0, 1, 16, 18, 19, 20, 33
DECIMAL, LIST, STRUCT, DICTIONARY, MAP, LARGE_LIST = 23, 25, 26, 29, 30, 36
_TEXTS = {13: ("i", True), 14: ("i", False), 34: ("q", True), 35: ("q", False)}
_SCALARS = (
    "Null Boolean UInt8 Int8 UInt16 Int16 UInt32 Int32 UInt64 Int64 Float Double String "
    "LargeString Binary LargeBinary Date32 Timestamp Time32 Time64 Duration List LargeList Struct "
    "Map Dictionary Decimal128"
).split()
PLAIN_TYPES = {
    0: "null", 1: "bool", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "uint32", 7: "int32",
    8: "uint64", 9: "int64", 10: "halffloat", 11: "float", 12: "double", 13: "string",
    14: "binary", 16: "date32[day]", 17: "date64[ms]", 34: "large_string", 35: "large_binary",
    37: "month_day_nano_interval",
}  # fmt: skip
_ARRAYS = (
    "Null Boolean UInt8 Int8 UInt16 Int16 UInt32 Int32 UInt64 Int64 Float Double String "
    "LargeString Binary LargeBinary Date32 Timestamp List LargeList Struct Dictionary"
).split()


class _ArrayData(NamedTuple):
    """An arrow::ArrayData."""

    type: int  # arrow::DataType *
    id: int
    length: int
    nulls: int  # -1 when nobody counted them
    offset: int
    buffers: tuple[int, ...]  # where their bytes are; 0 for none
    children: tuple[int, ...]  # arrow::ArrayData *
    dictionary: int  # arrow::ArrayData * or 0


def read_shared_pointers(decoder: ReprDecoder, vector: int, most: int) -> list[int]:
    """Return the pointers of a std::vector of shared_ptr."""
    begin, end = decoder.reader.u64(vector), decoder.reader.u64(vector + 8)
    if end < begin or (end - begin) % 16 or (end - begin) // 16 > most:
        raise Undecodable("a vector of no such length")
    return [decoder.reader.u64(at) for at in range(begin, end, 16)]


def read_type_id(decoder: ReprDecoder, kind: int) -> int:
    """Return the id of an arrow::DataType. Raises Undecodable for one that no release has."""
    number = decoder.reader.u32(kind + TYPE_ID)
    if number > 64:
        raise Undecodable(f"a type of id {number}")
    return number


def _read_array_data(decoder: ReprDecoder, address: int) -> _ArrayData:
    """Read an ArrayData: type, length, null count, offset, buffers, children."""
    decoder.count_nested_value()
    kind = decoder.reader.u64(address)
    length, offset = decoder.reader.i64(address + 16), decoder.reader.i64(address + 32)
    if not (0 <= length < MAX_LENGTH and 0 <= offset < MAX_LENGTH):
        raise Undecodable(f"an array of {length} items from {offset}")
    held = read_shared_pointers(decoder, address + 40, 8)
    buffers = tuple(decoder.reader.u64(at + 16) if at else 0 for at in held)
    children = tuple(read_shared_pointers(decoder, address + 64, MAX_FIELDS))
    return _ArrayData(
        type=kind,
        id=read_type_id(decoder, kind),
        length=length,
        nulls=decoder.reader.i64(address + 24),
        offset=offset,
        buffers=buffers,
        children=children,
        dictionary=decoder.reader.u64(address + 88),
    )


def _is_valid(decoder: ReprDecoder, array_data: _ArrayData, index: int) -> bool:
    if not array_data.buffers or not array_data.buffers[0]:
        return array_data.id != NULL
    return _is_bit_set(decoder, array_data.buffers[0], array_data.offset + index)


def _is_bit_set(decoder: ReprDecoder, buffer: int, place: int) -> bool:
    return bool(decoder.reader.u8(buffer + place // 8) >> place % 8 & 1)


def _items_at(
    decoder: ReprDecoder, array_data: _ArrayData, index: int, form: str
) -> tuple[Any, ...]:
    """Return what an array's second buffer has at an item, by a format of struct of its items."""
    size = struct.calcsize("<" + form[-1])
    place = array_data.buffers[1] + size * (array_data.offset + index)
    return struct.unpack("<" + form, decoder.reader.read(place, struct.calcsize("<" + form)))


def _number_at(decoder: ReprDecoder, array_data: _ArrayData, index: int) -> int | float:
    """Return the number that is an item of an array."""
    value: int | float = _items_at(decoder, array_data, index, _NUMBERS[array_data.id])[0]
    return value


def _text_bytes(decoder: ReprDecoder, array_data: _ArrayData, index: int) -> bytes:
    begin, end = _items_at(decoder, array_data, index, "2" + _TEXTS[array_data.id][0])
    if not 0 <= begin <= end or end - begin > MAX_TEXT:
        raise Undecodable(f"a text from {begin} to {end}")
    return decoder.reader.read(array_data.buffers[2] + begin, end - begin) if end > begin else b""


def _list_item_bounds(decoder: ReprDecoder, array_data: _ArrayData, index: int) -> tuple[int, int]:
    begin, end = _items_at(
        decoder, array_data, index, "2q" if array_data.id == LARGE_LIST else "2i"
    )
    if not 0 <= begin <= end:
        raise Undecodable(f"a list from {begin} to {end}")
    return begin, end


def _time_unit_parts_per_second(decoder: ReprDecoder, kind: int) -> int:
    parts = _UNITS.get(decoder.reader.u32(kind + TYPE_OWN))
    if parts is None:
        raise Undecodable("a time of no unit")
    return parts


def _date_from_days(days: int) -> date:
    from datetime import date

    try:
        return date.fromordinal(days + EPOCH)
    except (ValueError, OverflowError):
        raise Undecodable("a day outside of the years 1 to 9999") from None


# -- as Python has them: scalars ---------------------------------------------------------------


def _repr_of_number(decoder: ReprDecoder, value: int | float, kind: int, number: int) -> str:
    """Return repr() of what as_py() gives for a number."""
    from datetime import datetime, timedelta

    if number == BOOL:
        return str(bool(value))
    if number == DATE32:
        return repr(_date_from_days(int(value)))
    if number in (TIME32, TIME64, DURATION, TIMESTAMP):
        parts = _time_unit_parts_per_second(decoder, kind)
        if parts == 10**9:
            raise Undecodable("a time in nanoseconds, which pandas shows where it is there")
        try:
            span = timedelta(microseconds=int(value) * (10**6 // parts))
            if number == DURATION:
                return repr(span)
            moment = datetime(1970, 1, 1) + span
        except OverflowError:
            raise Undecodable("a time out of range") from None
        if number != TIMESTAMP:
            return repr(moment.time())
        if decoder.reader.u64(kind + TYPE_OWN + 16):
            raise Undecodable("a moment in a zone")
        return repr(moment)
    return repr(value)


def _item_repr(
    decoder: ReprDecoder, array_data: _ArrayData, index: int, depth: int = 0, is_pair: bool = False
) -> str:
    """Return repr() of what as_py() gives for an item of an array; a map's is a pair."""
    decoder.count_nested_value()
    if depth > MAX_NESTING:
        raise Undecodable("lists in lists without an end")
    if not _is_valid(decoder, array_data, index):
        return "None"
    if array_data.id == BOOL:
        return str(_is_bit_set(decoder, array_data.buffers[1], array_data.offset + index))
    if array_data.id in _NUMBERS:
        value = _number_at(decoder, array_data, index)
        return _repr_of_number(decoder, value, array_data.type, array_data.id)
    if array_data.id in _TEXTS:
        raw = _text_bytes(decoder, array_data, index)
        return repr(decode_utf8(raw)) if _TEXTS[array_data.id][1] else repr(raw)
    if array_data.id in (LIST, LARGE_LIST) and len(array_data.children) == 1:
        child = _read_array_data(decoder, array_data.children[0])
        begin, end = _list_item_bounds(decoder, array_data, index)
        shown = (_item_repr(decoder, child, at, depth + 1) for at in range(begin, end))
        return f"[{decoder.join_text(shown, end - begin)}]"
    if array_data.id == STRUCT:
        names, place = _field_names(decoder, array_data.type), array_data.offset + index
        texts = [
            _item_repr(decoder, _read_array_data(decoder, at), place, depth + 1)
            for at in array_data.children
        ]
        if is_pair:
            return f"({', '.join(texts)})"
        inside = [f"{name!r}: {text}" for name, text in zip(names, texts, strict=True)]
        return "{" + ", ".join(inside) + "}"
    raise Undecodable(f"items of type {array_data.id}")


def read_string(decoder: ReprDecoder, at: int) -> str:
    """Return a std::string, which is a name. Raises Undecodable."""
    start, length = decoder.reader.u64(at), decoder.reader.u64(at + 8)
    if length > MAX_NAME:
        raise Undecodable("a name of no such length")
    return decode_utf8(decoder.reader.read(start, length)) if length else ""


def _field_names(decoder: ReprDecoder, kind: int) -> list[str]:
    """Return the names of a struct's fields, for its values: none may be that of a secret."""
    fields = read_shared_pointers(decoder, kind + TYPE_CHILDREN, MAX_FIELDS)
    names = [read_string(decoder, field + FIELD_NAME) for field in fields]
    decoder.refuse_secret_names(*names)
    return names


def decode_utf8(raw: bytes) -> str:
    """Return text of C++. Raises Undecodable."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Undecodable(f"damaged text: {error.reason}") from None


@decodes(*(f"pyarrow.lib.{name}Scalar" for name in _SCALARS))
def scalar(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a scalar."""
    name, at = obj.type.name, decoder.word(obj, 2)
    kind, text = decoder.reader.u64(at + 24), _scalar_text(decoder, at)
    if text == "None":
        pass
    elif read_type_id(decoder, kind) == TIMESTAMP:
        from datetime import datetime

        parts = [int(part) for part in text[len("datetime.datetime(") : -1].split(", ")]
        text = repr(datetime(*parts).isoformat())  # type: ignore[arg-type]
    elif read_type_id(decoder, kind) == STRUCT:
        names = _field_names(decoder, kind)
        held = read_shared_pointers(decoder, at + 48, len(names))
        pairs = zip(names, held, strict=True)
        text = f"[{', '.join(f'({n!r}, {_scalar_text(decoder, v)})' for n, v in pairs)}]"
    return f"<pyarrow.{name}: {text}>"


def _scalar_text(decoder: ReprDecoder, at: int, depth: int = 0) -> str:
    """Return repr() of what as_py() gives for an arrow::Scalar.

    It is its methods and enable_shared_from_this, then type, whether it is valid, and its value.
    """
    decoder.count_nested_value()
    if depth > MAX_NESTING:
        raise Undecodable("scalars in scalars without an end")
    kind = decoder.reader.u64(at + 24)
    number, valid = read_type_id(decoder, kind), decoder.reader.u8(at + 40)
    if valid > 1:
        raise Undecodable("it is neither valid nor not")
    if not valid or number == NULL:
        return "None"
    if number == BOOL:
        return str(bool(decoder.reader.u8(at + 41)))
    if number in _NUMBERS:
        size = struct.calcsize("<" + _NUMBERS[number])
        raw = decoder.reader.read(at + 40 + size if size < 8 else at + 48, size)
        value = struct.unpack("<" + _NUMBERS[number], raw)[0]
        return _repr_of_number(decoder, value, kind, number)
    if number in _TEXTS:
        buffer = decoder.reader.u64(at + 48)
        begin, size = decoder.reader.u64(buffer + 16), decoder.reader.u64(buffer + 24)
        if size > MAX_TEXT:
            raise Undecodable(f"a text of {size} bytes")
        raw = decoder.reader.read(begin, size) if size else b""
        return repr(decode_utf8(raw)) if _TEXTS[number][1] else repr(raw)
    if number == DECIMAL:
        return _decimal_repr(decoder, decoder.reader.read(at + 48, 16), kind)
    if number == STRUCT:
        names = _field_names(decoder, kind)
        pairs = zip(names, read_shared_pointers(decoder, at + 48, len(names)), strict=True)
        texts = [f"{name!r}: {_scalar_text(decoder, held, depth + 1)}" for name, held in pairs]
        return "{" + ", ".join(texts) + "}"
    if number == DICTIONARY:  # the number of the item, the items
        index = _scalar_text(decoder, decoder.reader.u64(at + 48), depth + 1)
        array_data = _read_array_data(decoder, decoder.reader.u64(decoder.reader.u64(at + 64) + 8))
        if not index.isdecimal() or int(index) >= array_data.length:
            raise Undecodable(f"item {index} of a dictionary")
        return _item_repr(decoder, array_data, int(index))
    if number in (LIST, LARGE_LIST, MAP):
        array_data = _read_array_data(decoder, decoder.reader.u64(decoder.reader.u64(at + 48) + 8))
        shown = (
            _item_repr(decoder, array_data, index, is_pair=number == MAP)
            for index in range(array_data.length)
        )
        return f"[{decoder.join_text(shown, array_data.length)}]"
    raise Undecodable(f"a scalar of type {number}")


def _decimal_repr(decoder: ReprDecoder, raw: bytes, kind: int) -> str:
    """Return a decimal; its type is the width in bytes, the precision, the scale."""
    from gdb_epi.cpython.values.decoders.numeric import decimal_text

    width, precision, scale = struct.unpack("<3i", decoder.reader.read(kind + TYPE_OWN, 12))
    value = int.from_bytes(raw, "little", signed=True)
    digits = str(abs(value))
    if width != 16 or not 0 < precision <= 38 or abs(scale) > 38 or len(digits) > precision:
        raise Undecodable("a decimal of no such type")
    return f"Decimal('{'-' if value < 0 else ''}{decimal_text(digits, -scale)}')"


# -- as Arrow prints them: arrays --------------------------------------------------------------


def _printed_item(decoder: ReprDecoder, array_data: _ArrayData, index: int) -> str:
    """Return an item as arrow's PrettyPrint writes it. Raises Undecodable."""
    if not _is_valid(decoder, array_data, index):
        return "null"
    if array_data.id == BOOL:
        return _item_repr(decoder, array_data, index).lower()
    if array_data.id in _TEXTS:
        raw = _text_bytes(decoder, array_data, index)
        return f'"{decode_utf8(raw)}"' if _TEXTS[array_data.id][1] else raw.hex().upper()
    if array_data.id == DATE32:
        return _date_from_days(int(_number_at(decoder, array_data, index))).isoformat()
    if array_data.id == TIMESTAMP:
        from datetime import datetime, timedelta

        parts = _time_unit_parts_per_second(decoder, array_data.type)
        seconds, rest = divmod(int(_number_at(decoder, array_data, index)), parts)
        try:
            moment = datetime(1970, 1, 1) + timedelta(seconds=seconds)
        except OverflowError:
            raise Undecodable("a moment outside of the years 1 to 9999") from None
        digits = len(str(parts)) - 1
        zone = "Z" if decoder.reader.u64(array_data.type + TYPE_OWN + 16) else ""
        return f"{moment}{f'.{rest:0{digits}d}' if digits else ''}{zone}"
    if array_data.id in (11, 12):  # float, double
        value = float(_number_at(decoder, array_data, index))
        if value and not (1e-4 <= abs(value) < 1e10 or abs(value) >= 1e16):
            decoder.mark_inexact()  # where exponents begin is not known
        return float_text(value, _NUMBERS[array_data.id]).removesuffix(".0")
    if array_data.id in _NUMBERS and array_data.id < 10:
        return _item_repr(decoder, array_data, index)
    raise Undecodable(f"items of type {array_data.id}")


def _struct_lines(decoder: ReprDecoder, array_data: _ArrayData) -> str:
    """Return an array of structs as PrettyPrint does: a column after the other."""
    has_nulls = bool(array_data.buffers and array_data.buffers[0]) and array_data.nulls != 0
    if has_nulls or array_data.offset:
        raise Undecodable("structs that are null, or a part of an array")
    _field_names(decoder, array_data.type)
    parts = ["-- is_valid: all not null"]
    for number, at in enumerate(array_data.children):
        child = _read_array_data(decoder, at)
        name = PLAIN_TYPES.get(child.id)
        if name is None or child.id == NULL:
            raise Undecodable(f"a field of type {child.id}")
        shown = _array_lines(decoder, child._replace(length=array_data.length), 2)
        parts.append(f"-- child {number} type: {name}\n{shown}")
    return "\n".join(parts)


def _dictionary_lines(decoder: ReprDecoder, array_data: _ArrayData) -> str:
    """Return an array of items of a dictionary; its type begins with that of the indices."""
    if not array_data.dictionary:
        raise Undecodable("it has no dictionary")
    value_lines = _array_lines(decoder, _read_array_data(decoder, array_data.dictionary), 2)
    kind = decoder.reader.u64(array_data.type + TYPE_OWN)
    indices = array_data._replace(type=kind, id=read_type_id(decoder, kind))
    return f"\n-- dictionary:\n{value_lines}\n-- indices:\n{_array_lines(decoder, indices, 2)}"


def _array_lines(decoder: ReprDecoder, array_data: _ArrayData, indent: int) -> str:
    """Return an array as PrettyPrint does, its brackets at `indent` blanks."""
    if indent > 2 * MAX_NESTING:
        raise Undecodable("lists in lists without an end")
    blanks = " " * indent
    if array_data.id == NULL:
        return f"{blanks}{array_data.length} nulls"
    line_of_item: Callable[[int], str]
    window = WINDOW
    if array_data.id in (LIST, LARGE_LIST) and len(array_data.children) == 1:
        window = CHUNKS
        child = _read_array_data(decoder, array_data.children[0])

        def line_of_item(index: int) -> str:
            if not _is_valid(decoder, array_data, index):
                return f"{blanks}  null"
            begin, end = _list_item_bounds(decoder, array_data, index)
            part = child._replace(offset=child.offset + begin, length=end - begin)
            return _array_lines(decoder, part, indent + 2)
    else:

        def line_of_item(index: int) -> str:
            return f"{blanks}  {_printed_item(decoder, array_data, index)}"

    return _text_of_bracketed_items(line_of_item, array_data.length, window, blanks)


def _text_of_bracketed_items(
    line_of_item: Callable[[int], str], length: int, window: int, blanks: str
) -> str:
    if not length:
        return f"{blanks}[]"
    if length <= 2 * window:
        return f"{blanks}[\n" + ",\n".join(map(line_of_item, range(length))) + f"\n{blanks}]"
    first = ",\n".join(map(line_of_item, range(window)))
    last = ",\n".join(map(line_of_item, range(length - window, length)))
    return f"{blanks}[\n{first},\n{blanks}  ...\n{last}\n{blanks}]"


@decodes(*(f"pyarrow.lib.{name}Array" for name in _ARRAYS))
def array(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode an array: arrow::Array is its methods, then its ArrayData."""
    array_data = _read_array_data(decoder, decoder.reader.u64(decoder.word(obj, 2) + 8))
    special = {STRUCT: _struct_lines, DICTIONARY: _dictionary_lines}.get(array_data.id)
    text = (
        special(decoder, array_data)
        if special is not None
        else _array_lines(decoder, array_data, 0)
    )
    return f"<{obj.type.full_name} object at {obj.address:#x}>\n{text}"


def _chunks(decoder: ReprDecoder, obj: Obj) -> list[int]:
    """Return the arrow::ArrayData * of the chunks with which an arrow::ChunkedArray begins."""
    arrays = read_shared_pointers(decoder, decoder.word(obj, 2), MAX_CHUNKS)
    return [decoder.reader.u64(each + 8) for each in arrays]


@decodes("pyarrow.lib.ChunkedArray")
def chunked_array(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a chunked array."""
    chunks = _chunks(decoder, obj)

    def lines_of_chunk(index: int) -> str:
        return _array_lines(decoder, _read_array_data(decoder, chunks[index]), 2)

    text = _text_of_bracketed_items(lines_of_chunk, len(chunks), CHUNKS, "")
    text = text if chunks else "[\n\n]"
    return f"<{obj.type.full_name} object at {obj.address:#x}>\n{text}"


def read_chunked_texts(decoder: ReprDecoder, address: int) -> list[str]:
    """Return the texts of a chunked array (PyObject *). Raises Undecodable for others."""
    obj = decoder.obj(address)
    if obj.lineage.ident != "pyarrow.lib.ChunkedArray":
        raise Undecodable("no chunked array")
    texts: list[str] = []
    for chunk in _chunks(decoder, obj):
        array_data = _read_array_data(decoder, chunk)
        if array_data.id not in _TEXTS or len(texts) + array_data.length > decoder.limits.width:
            raise Undecodable("no texts, or too many")
        texts += [
            decode_utf8(_text_bytes(decoder, array_data, index))
            for index in range(array_data.length)
        ]
    return texts
