# SPDX-License-Identifier: Apache-2.0
"""numpy's dtypes, arrays and scalars, without importing numpy.

Where things are: the fields of a dtype come from tp_members of `numpy.dtype` in the core itself;
the width of `itemsize` there tells numpy 1 (int) from numpy 2 (Py_ssize_t), and with it what
follows. An array is data, nd, dimensions, strides, base, descr, flags (PyArrayObject_fields in
numpy/ndarraytypes.h, the same since 1.7). The value of a scalar follows the object header
(numpy/arrayscalars.h).

Arrays and records as numpy prints them are in `numpy_arrays`. How releases write scalars was
measured on 1.24, 2.0, 2.2, 2.3, 2.4 and 2.5; which one it is the module numpy in the core says
(`numpy.__version__`).
"""

from __future__ import annotations

import struct

from gdb_epi.cpython.values.decoders.builtin_scalars import byte_string, unicode_string
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes
from gdb_epi.errors import Absent
from gdb_epi.sizes import HALF_MASK, WORD_MASK
from gdb_epi.typing_lite import Any, NamedTuple

# numpy/ndarraytypes.h, NPY_DATETIMEUNIT.
UNITS = {
    0: "Y", 1: "M", 2: "W", 4: "D", 5: "h", 6: "m", 7: "s", 8: "ms", 9: "us", 10: "ns", 11: "ps",
    12: "fs", 13: "as", 14: "generic",
}  # fmt: skip
_PER_DAY = {"h": 24, "m": 1440, "s": 86400, "ms": 86400 * 10**3, "us": 86400 * 10**6}
_PER_DAY["ns"] = 86400 * 10**9
_DIGITS = {"ms": 3, "us": 6, "ns": 9}
NOT_A_TIME = -(1 << 63)
_MAX_DIGITS = {"e": 5, "f": 9}
_EXPONENT_FROM = {"e": 1e3, "f": 1e6}
_PLAIN_BELOW = 1e16
EPOCH = 719163  # date(1970, 1, 1).toordinal()
_LAST_DAY = 3652059  # date.max.toordinal()


# -- numbers and times as numpy writes them ----------------------------------------------------


def float_text(value: float, form: str, *, exponents: bool = False) -> str:
    """Return the shortest text that gives a float back; `form` is struct's letter of its width.

    With `exponents` float32 is written from 1e6 and float16 from 1e3 on with an exponent, as numpy
    does since 2.3.
    """
    if form == "d" or value != value or value in (0, float("inf"), float("-inf")):
        return repr(value)
    most = _EXPONENT_FROM.get(form, _PLAIN_BELOW) if exponents else _PLAIN_BELOW
    plain = 1e-4 <= abs(value) < most  # the float itself counts, not its shortest text
    for digits in range(_MAX_DIGITS[form]):
        text = f"{value:.{digits}e}"
        try:
            if struct.unpack(form, struct.pack(form, float(text)))[0] == value:
                return repr(float(text)) if plain else text
        except OverflowError:
            continue
    return repr(value)


def is_float_text_version_dependent(value: float, form: str) -> bool:
    """Tell whether releases of numpy differ in how they write a float (see float_text)."""
    return form in _EXPONENT_FROM and _EXPONENT_FROM[form] <= abs(value) < _PLAIN_BELOW


def long_double_text(mantissa: int, rest: int) -> str | None:
    """Return the shortest text that gives an 80-bit float back; None for anything else.

    `mantissa` is the 64 bits with the leading one, `rest` the sign and the exponent, as x87 keeps
    them. numpy writes 1e-4 <= x < 1e16 without an exponent.
    """
    sign, exponent = "-" if rest >> 15 else "", rest & 0x7FFF
    if exponent == 0x7FFF:
        return f"{sign}inf" if mantissa == 1 << 63 else "nan"
    if (mantissa >> 63 == 0) != (exponent == 0):
        return None  # no processor since the 80287 makes these
    if not mantissa:
        return f"{sign}0.0"
    digits, point = _shortest_digits(mantissa, max(exponent, 1) - 16383 - 63)
    if -4 < point <= 16:
        whole = (digits[:point] if point > 0 else "0").ljust(point, "0")
        part = "0" * -point + digits[max(point, 0) :]
        return f"{sign}{whole}.{part or '0'}"
    part = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{part}e{'-' if point < 1 else '+'}{abs(point - 1):02d}"


def _shortest_digits(mantissa: int, exponent: int) -> tuple[str, int]:
    """Return the fewest digits that tell mantissa * 2**exponent from its neighbours.

    The number is 0.DIGITS * 10**point. This is Steele and White's algorithm on integers. A text
    half way to a neighbour is read as the number with the even mantissa.
    """
    even = 1 - (mantissa & 1)
    # value = number / unit; half the way to the neighbours: above / unit, below / unit
    number, unit = mantissa << max(exponent, 0) + 2, 1 << max(-exponent, 0) + 2
    above = below = 1 << max(exponent, 0) + 1
    if mantissa == 1 << 63:
        below >>= 1
    point = (mantissa.bit_length() + exponent) * 30103 // 100000 - 1  # log10(2), rounded down
    scale = 10 ** abs(point)
    if point > 0:
        unit *= scale
    else:
        number, above, below = number * scale, above * scale, below * scale
    while number + above + even > unit:
        unit, point = unit * 10, point + 1
    digits = []
    while True:
        digit, number = divmod(number * 10, unit)
        above, below = above * 10, below * 10
        low, high = number < below + even, number + above + even > unit
        if low or high:
            break
        digits.append(digit)
    if high and (not low or (2 * number, digit & 1) > (unit, 0)):
        digit += 1  # the nearer one; in the middle the even one
    return "".join(map(str, [*digits, digit])), point


def complex_text(real: float, imaginary: float, form: str, exponents: bool = False) -> str:
    """Return a complex number without parentheses."""
    second = _complex_part_text(imaginary, form, exponents=exponents)
    if real == 0 and not str(real).startswith("-"):
        return f"{second}j"
    sign = "" if second.startswith("-") else "+"
    return f"{_complex_part_text(real, form, exponents=exponents)}{sign}{second}j"


def _complex_part_text(value: float, form: str, *, exponents: bool) -> str:
    return float_text(value, form, exponents=exponents).removesuffix(".0")


def is_not_a_time(value: int) -> bool:
    """Tell whether a time is NaT."""
    return value == NOT_A_TIME


def datetime64_text(value: int, unit: str) -> str | None:
    """Return a datetime64 as numpy writes it; None outside of the years 1 to 9999."""
    from datetime import date

    if is_not_a_time(value):
        return "NaT"
    if unit in ("Y", "M"):
        year, month = divmod(value, 12) if unit == "M" else (value, 0)
        if not 1 <= year + 1970 <= 9999:
            return None
        return f"{year + 1970:04d}" + (f"-{month + 1:02d}" if unit == "M" else "")
    days, rest = (value * (7 if unit == "W" else 1), 0)
    if unit in _PER_DAY:
        days, rest = divmod(value, _PER_DAY[unit])
    elif unit not in ("W", "D"):
        return None
    if not 1 <= days + EPOCH <= _LAST_DAY:
        return None
    day = date.fromordinal(days + EPOCH).isoformat()
    return day if unit in ("W", "D") else f"{day}T{_clock_text(rest, unit)}"


def _clock_text(rest: int, unit: str) -> str:
    if unit == "h":
        return f"{rest:02d}"
    if unit == "m":
        return f"{rest // 60:02d}:{rest % 60:02d}"
    digits = _DIGITS.get(unit, 0)
    seconds, part = divmod(rest, 10**digits)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{part:0{digits}d}" if digits else text


# -- dtypes ------------------------------------------------------------------------------------

MAX_DIMENSIONS = 64  # NPY_MAXDIMS: 32, since 2.0 64
MAX_FIELDS = 1000
MAX_RECORDS = 8  # records in records
MAX_ITEM_TEXT = 1024  # bytes of one S or U item
_ALIGNED_STRUCT = 0x80  # NPY_ALIGNED_STRUCT
_T_INT = 1  # Include/structmember.h
_KINDS = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
_FORMATS = {
    "b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
    "u8": "Q", "f2": "e", "f4": "f", "f8": "d", "c8": "f", "c16": "d",
}  # fmt: skip


class DType(NamedTuple):
    """One dtype: kind and char as numpy gives them, `order` one of =|<>."""

    kind: str
    order: str
    size: int
    names: tuple[tuple[str, int, int], ...]  # of a record: name, dtype (PyObject *), offset
    unit: str  # of datetime64 and timedelta64, "" when it is unknown
    titles: tuple[tuple[str, str], ...] = ()  # of fields that have one: name, repr() of the title
    base: int | None = None  # of a sub-array: the dtype (PyObject *) of its items
    shape: tuple[int, ...] = ()  # of a sub-array
    type_name: str = ""  # of its scalars
    is_aligned: bool = False
    alignment: int = 1

    @property
    def kind_and_size(self) -> str:
        """Return kind and size, as in dtype.str without the order."""
        if self.kind in "mM":
            return f"{self.kind}8[{self.unit or '?'}]"
        return f"{self.kind}{self.size // 4 if self.kind == 'U' else self.size}"

    @property
    def unit_name(self) -> str:
        """Return the unit of a time without its multiple."""
        return self.unit.lstrip("0123456789")

    @property
    def unit_multiple(self) -> int:
        """Return how many of its units one step of a time is."""
        return int(self.unit[: len(self.unit) - len(self.unit_name)] or 1)

    @property
    def struct_format(self) -> str:
        """Return struct's letter for an item, or for half of a complex one."""
        return _FORMATS.get(f"{self.kind}{self.size}", "")

    @property
    def byte_order_mark(self) -> str:
        """Return the order of bytes, as in dtype.str."""
        has_none = self.kind in "SVOb" or self.size == 1
        return "|" if has_none else "<" if self.order in "=<" else self.order

    @property
    def str_text(self) -> str:
        """Return what str(dtype) gives."""
        native = self.order in "=|<"
        if self.kind == "O":
            return "object"
        if native and self.kind == "b":
            return "bool"
        if native and self.kind in _KINDS:
            return f"{_KINDS[self.kind]}{8 * self.size}"
        if native and self.kind in "mM":
            return ("datetime64" if self.kind == "M" else "timedelta64") + self.kind_and_size[2:]
        return self.byte_order_mark + self.kind_and_size


def read_dtype(decoder: ReprDecoder, address: int) -> DType:
    """Read a dtype. Raises Undecodable, UnreadableMemory."""
    obj = decoder.obj(address)
    if not any(info.full_name == "numpy.dtype" for info in obj.lineage.types):
        raise Undecodable("its dtype is none")
    kind, order = (
        chr(decoder.reader.u8(decoder.member_address(obj, n))) for n in ("kind", "byteorder")
    )
    size_at, is_int = decoder.member_address(obj, "itemsize"), _is_numpy_1(decoder, obj)
    size = decoder.reader.u32(size_at) if is_int else decoder.reader.i64(size_at)
    if kind in "mM" and size != 8:
        raise Undecodable(f"a dtype of times of {size} bytes")
    if kind not in "biufcmMOSUVT" or order not in "=|<>" or not 0 <= size < 1 << 31:
        raise Undecodable(f"a dtype of kind {kind!r}, order {order!r}, size {size}")
    last = decoder.member_address(obj, "alignment")
    # numpy 1: subarray, fields, names, f, metadata, c_metadata follow the int; numpy 2: metadata,
    # hash, two reserved words, subarray, fields, names, c_metadata follow the Py_ssize_t.
    start = (last + 4 + 7 & ~7) if is_int else last + 40
    unit = _read_time_unit(decoder, start + (40 if is_int else 24)) if kind in "mM" else ""
    names = _read_fields(decoder, start) if kind == "V" else ()
    base, shape = _read_sub_array(decoder, decoder.reader.u64(start)) if kind == "V" else (None, ())
    alignment = decoder.reader.u32(last) if is_int else decoder.reader.i64(last)
    type_at = decoder.reader.u64(decoder.address_behind_header(obj))
    return DType(
        kind=kind,
        order=order,
        size=size,
        names=tuple(field[:3] for field in names),
        unit=unit,
        titles=tuple((name, title) for name, _, _, title in names if title),
        base=base,
        shape=shape,
        type_name=decoder.types.type_at(type_at).qualified_name if kind == "V" else "",
        is_aligned=bool(decoder.reader.u8(decoder.member_address(obj, "flags")) & _ALIGNED_STRUCT),
        alignment=alignment if 0 < alignment <= 64 else 1,
    )


def _read_sub_array(decoder: ReprDecoder, address: int) -> tuple[int | None, tuple[int, ...]]:
    """Return dtype and shape of a sub-array (PyArray_ArrayDescr: base, shape)."""
    if not address:
        return None, ()
    base, held = decoder.reader.u64(address), decoder.reader.u64(address + 8)
    shape = []
    for dimension in decoder.tuple_items(held)[:MAX_DIMENSIONS]:
        length = decoder.objects.integer(dimension)
        if isinstance(length, Absent) or length < 0:
            raise Undecodable("a sub-array of no shape")
        shape.append(length)
    return base, tuple(shape)


def _is_numpy_1(decoder: ReprDecoder, obj: Obj) -> bool:
    """Tell numpy 1, whose dtype declares `itemsize` as an int."""
    for info in obj.lineage.types:
        place = decoder.context.members(info).get("itemsize")
        if place is not None:
            return place[1] == _T_INT
    raise Undecodable("numpy.dtype declares no member itemsize")


def _read_time_unit(decoder: ReprDecoder, slot: int) -> str:
    """Return the unit of a time dtype: after NpyAuxData (4 words) in its c_metadata."""
    metadata = decoder.reader.u64(slot)
    if not metadata:
        return ""
    base, multiple = struct.unpack("<ii", decoder.reader.read(metadata + 32, 8))
    code = UNITS.get(base, "")
    return code if multiple == 1 else f"{multiple}{code}"


def _read_fields(decoder: ReprDecoder, start: int) -> tuple[tuple[str, int, int, str], ...]:
    """Return name, dtype, offset and title (its repr, or "") of each field of a record."""
    fields, names = decoder.reader.u64(start + 8), decoder.reader.u64(start + 16)
    if not names or decoder.ident(names) != "tuple":
        return ()
    if decoder.ident(fields) not in ("dict", "mappingproxy"):
        return ()
    by_name = {}
    for key, value in decoder.objects.dict_items(fields):
        if decoder.ident(key) == "str":  # titles are keys too, of any type
            by_name[decoder.string(key)] = decoder.tuple_items(value)
    record = []
    for name_at in decoder.tuple_items(names)[:MAX_FIELDS]:
        name = decoder.string(name_at)
        parts = by_name.get(name, [])
        if len(parts) < 2:
            raise Undecodable(f"a record without the field {name}")
        offset = decoder.objects.integer(parts[1])
        title = decoder.repr_of(parts[2]) if len(parts) > 2 else ""
        record.append((name, parts[0], -1 if isinstance(offset, Absent) else offset, title))
    return tuple(record)


@decodes("numpy.dtype")
def dtype(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a dtype as numpy/_core/_dtype.py does."""
    described = read_dtype(decoder, obj.address)
    if described.kind == "T" or (described.kind in "mM" and not described.unit):
        decoder.mark_inexact()
    text = dtype_argument_text(decoder, described, is_short=False)
    return f"dtype({text}{', align=True' if described.is_aligned else ''})"


def dtype_text(decoder: ReprDecoder, described: DType) -> str:
    """Return str() of a dtype."""
    if described.names:
        return _record_dtype_text(decoder, described, shows_alignment=True)
    return (
        dtype_argument_text(decoder, described)
        if described.base is not None
        else described.str_text
    )


def dtype_argument_text(
    decoder: ReprDecoder, described: DType, *, is_short: bool = True, depth: int = 0
) -> str:
    """Return what numpy.dtype() would be called with."""
    decoder.count_nested_value()
    if depth > MAX_RECORDS:
        raise Undecodable("records in records without an end")
    if described.base is not None:
        of = dtype_argument_text(decoder, read_dtype(decoder, described.base), depth=depth + 1)
        return f"({of}, {described.shape!r})"
    if described.names:
        return _record_dtype_text(decoder, described, depth=depth)
    kind = described.kind
    order = "" if described.byte_order_mark == "|" else described.byte_order_mark
    if kind == "b":
        return "'?'" if is_short else "'bool'"
    if kind in "OT":
        return f"'{kind}'"
    if kind in "SV":
        return f"'{kind}{described.size or ''}'"
    if kind in "UmM":
        return f"'{order}{described.kind_and_size}'"
    if is_short or described.order == ">":
        return f"'{order}{described.kind_and_size}'"
    return f"'{_KINDS[kind]}{8 * described.size}'"


def _record_dtype_text(
    decoder: ReprDecoder, described: DType, *, shows_alignment: bool = False, depth: int = 0
) -> str:
    parts = [read_dtype(decoder, at) for _, at, _ in described.names]
    titles = dict(described.titles)
    if not (shows_alignment and described.is_aligned) and _are_fields_packed(described, parts):
        fields = []
        for (name, _, _), part in zip(described.names, parts, strict=True):
            title = titles.get(name)
            shown = repr(name) if title is None else f"({title}, {name!r})"
            if part.base is not None:
                of = dtype_argument_text(decoder, read_dtype(decoder, part.base), depth=depth + 1)
                fields.append(f"({shown}, {of}, {part.shape!r})")
            else:
                fields.append(f"({shown}, {dtype_argument_text(decoder, part, depth=depth + 1)})")
        text = f"[{', '.join(fields)}]"
    else:
        names = ", ".join(repr(name) for name, _, _ in described.names)
        formats = ", ".join(dtype_argument_text(decoder, part, depth=depth + 1) for part in parts)
        text = f"{{'names': [{names}], 'formats': [{formats}], 'offsets': ["
        text += ", ".join(str(offset) for _, _, offset in described.names)
        if titles:
            shown_titles = (titles.get(name, "None") for name, _, _ in described.names)
            text += f"], 'titles': [{', '.join(shown_titles)}"
        text += f"], 'itemsize': {described.size}"
        aligned = shows_alignment and described.is_aligned
        text += ", 'aligned': True}" if aligned else "}"
    is_void = described.type_name in ("", "numpy.void")
    return text if is_void else f"({described.type_name}, {text})"


def _are_fields_packed(record: DType, parts: list[DType]) -> bool:
    """Tell whether a record's fields lie as they would without offsets."""
    at, widest = 0, 1
    for (_, _, offset), part in zip(record.names, parts, strict=True):
        if record.is_aligned:
            at += -at % part.alignment
            widest = max(widest, part.alignment)
        if offset != at:
            return False
        at += part.size
    return at + (-at % widest if record.is_aligned else 0) == record.size


# -- arrays ------------------------------------------------------------------------------------


ArrayParts = tuple[int, tuple[int, ...], tuple[int, ...], DType]


def read_array_parts(decoder: ReprDecoder, obj: Obj) -> ArrayParts:
    """Return data, shape, strides (in bytes) and dtype of an array. Raises Undecodable."""
    data, number = decoder.word(obj, 0), decoder.word(obj, 1) & HALF_MASK
    if number > MAX_DIMENSIONS:
        raise Undecodable(f"an array of {number} dimensions")
    shape, strides = (_read_longs(decoder, decoder.word(obj, at), number) for at in (2, 3))
    item_type = read_dtype(decoder, decoder.word(obj, 5))
    count = 1
    for length in shape:
        count *= length
    if any(length < 0 for length in shape) or count >> 48:
        raise Undecodable(f"an array of shape {shape}")
    return data, shape, strides, item_type


def describe_array(decoder: ReprDecoder, obj: Obj) -> str:
    """Describe an array: shape, dtype and the first values in C order."""
    decoder.mark_inexact()
    data, shape, strides, item_type = read_array_parts(decoder, obj)
    count = 1
    for length in shape:
        count *= length
    with decoder.entering_container(obj.address) as is_first:
        if not is_first:
            return "..."
        first = range(min(count, decoder.limits.width))
        places = (item_address(data, index, shape, strides) for index in first)
        texts = (item_text(decoder, at, item_type) for at in places)
        inside = decoder.join_text(texts, count)
    head = f"{obj.type.qualified_name} shape={shape} dtype={item_type.str_text}"
    return f"<{head}{': ' + inside if inside else ''}>"


def _read_longs(decoder: ReprDecoder, address: int, number: int) -> tuple[int, ...]:
    if not number:
        return ()
    return struct.unpack(f"<{number}q", decoder.reader.read(address, 8 * number))


def item_address(data: int, index: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """Return the address of an item in C order; `strides` are in bytes."""
    for length, stride in zip(reversed(shape), reversed(strides), strict=True):
        index, place = divmod(index, length)
        data += place * stride
    return data & WORD_MASK


def item_text(decoder: ReprDecoder, at: int, item_type: DType, depth: int = 0) -> str:
    """Return one item of an array, as repr() of what item() gives."""
    if item_type.kind == "O":
        return decoder.repr_of(decoder.reader.u64(at))
    if item_type.names:
        decoder.count_nested_value()
        if depth > MAX_RECORDS:
            raise Undecodable("records in records without an end")
        decoder.refuse_secret_names(*(name for name, _, _ in item_type.names))
        parts = [
            item_text(decoder, at + offset, read_dtype(decoder, of), depth + 1)
            if offset >= 0
            else "?"
            for _, of, offset in item_type.names
        ]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    size = min(item_type.size, MAX_ITEM_TEXT)
    raw = decoder.reader.read(at, size) if size else b""
    big = item_type.order == ">"
    if item_type.kind == "S":
        return repr(raw.rstrip(b"\0"))
    if item_type.kind == "U":
        return repr(raw.decode("utf-32-be" if big else "utf-32-le", "replace").rstrip("\0"))
    if item_type.kind in "mM":
        value = read_array_number(decoder, at, item_type)
        if is_not_a_time(value):
            return "NaT"
        if item_type.kind == "M":
            return datetime64_text(value, item_type.unit) or str(value)
        return f"{value} {item_type.unit}"
    form = item_type.struct_format
    if not form:
        return f"<{item_type.size} bytes>"
    value = read_array_number(decoder, at, item_type)
    if item_type.kind == "c":
        return complex_text(value[0], value[1], form)
    return float_text(value, form) if item_type.kind == "f" else str(value)


def read_array_number(decoder: ReprDecoder, at: int, item_type: DType) -> Any:
    """Return an item of an array as a number; a complex one as a pair. Raises Undecodable."""
    form = "q" if item_type.kind in "mM" else item_type.struct_format
    if not form:
        raise Undecodable(f"items of dtype {item_type.str_text}")
    form = f"{'>' if item_type.order == '>' else '<'}{'2' if item_type.kind == 'c' else ''}{form}"
    values = struct.unpack(form, decoder.reader.read(at, struct.calcsize(form)))
    return values if item_type.kind == "c" else values[0]


# -- scalars -----------------------------------------------------------------------------------

_INTEGERS = {
    "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
    "int64": "q", "uint64": "Q", "longlong": "q", "ulonglong": "Q", "intc": "i", "uintc": "I",
}  # fmt: skip
_FLOATS = {"float16": "e", "float32": "f", "float64": "d"}
_COMPLEX = {"complex64": "f", "complex128": "d"}


def is_numpy_at_least(decoder: ReprDecoder, release: tuple[int, int]) -> bool:
    """Tell whether numpy is of a release or a later one. Raises Undecodable when none is named."""
    facts, key = decoder.context.library_facts, f"numpy {release}"
    if key not in facts:
        major, _, rest = decoder.string(
            decoder.module_global("numpy", "__version__"), 64
        ).partition(".")
        minor = rest.partition(".")[0]
        if not (major.isdecimal() and minor.isdecimal()):
            raise Undecodable("numpy.__version__ is no version")
        facts[key] = (int(major), int(minor)) >= release
    return facts[key]


def is_numpy_2(decoder: ReprDecoder) -> bool:
    """Tell numpy 2, which puts np.float64(...) around: a scalar type is named `numpy.bool` there.

    Told by numpy.bool_ of the core, so that any scalar can ask.
    """
    facts = decoder.context.library_facts
    if "numpy 2" not in facts:
        scalar_type = decoder.types.type_at(decoder.module_global("numpy", "bool_"))
        facts["numpy 2"] = scalar_type.full_name == "numpy.bool"
    return facts["numpy 2"]


def do_large_floats_have_exponents(decoder: ReprDecoder, form: str, *values: float) -> bool:
    """Tell whether large short floats have exponents: since 2.3. Marks what cannot be told."""
    if not any(is_float_text_version_dependent(value, form) for value in values):
        return False
    try:
        return is_numpy_at_least(decoder, (2, 3))
    except Undecodable:
        decoder.mark_inexact()
        return False


def _scalar_text(decoder: ReprDecoder, obj: Obj, text: str, wrapped: str | None = None) -> str:
    if not is_numpy_2(decoder):
        return text
    name = obj.lineage.root.full_name.rpartition(".")[2]
    name = name.replace("longlong", "int64")  # numpy names the size
    return f"np.{name}({wrapped or text})"


def _scalar_values(decoder: ReprDecoder, obj: Obj, form: str) -> tuple[Any, ...]:
    """Return what a scalar holds after its header, by struct's format without the order.

    A class of the program's own may show it in another way.
    """
    if not obj.is_exact:
        decoder.mark_inexact()
    raw = decoder.reader.read(decoder.address_behind_header(obj), struct.calcsize("<" + form))
    return struct.unpack("<" + form, raw)


@decodes(*(f"numpy.{name}" for name in _INTEGERS))
def integer(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode an integer scalar."""
    form = _INTEGERS[obj.lineage.ident.rpartition(".")[2]]
    return _scalar_text(decoder, obj, str(_scalar_values(decoder, obj, form)[0]))


@decodes("numpy.bool", "numpy.bool_")
def boolean(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode numpy's True and False."""
    byte = decoder.reader.u8(decoder.address_behind_header(obj))
    if byte > 1:
        raise Undecodable(f"a bool of value {byte}")
    return f"np.{bool(byte)}_" if obj.lineage.ident == "numpy.bool" else str(bool(byte))


@decodes(*(f"numpy.{name}" for name in _FLOATS))
def floating(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a floating scalar: the shortest text that gives it back."""
    form = _FLOATS[obj.lineage.ident.rpartition(".")[2]]
    value = float(_scalar_values(decoder, obj, form)[0])
    text = float_text(value, form, exponents=do_large_floats_have_exponents(decoder, form, value))
    return _scalar_text(decoder, obj, text)


@decodes(*(f"numpy.{name}" for name in _COMPLEX))
def complex_number(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a complex scalar."""
    form = _COMPLEX[obj.lineage.ident.rpartition(".")[2]]
    real, imaginary = _scalar_values(decoder, obj, "2" + form)
    text = complex_text(
        real, imaginary, form, do_large_floats_have_exponents(decoder, form, real, imaginary)
    )
    without_exponents = text[1:].replace("e+", "").replace("e-", "")
    has_both_parts = any(sign in without_exponents for sign in "+-")
    if has_both_parts and not is_numpy_2(decoder):
        text = f"({text})"
    return _scalar_text(decoder, obj, text)


@decodes("numpy.longdouble", "numpy.float128")
def long_double(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a long double: 80 bits of x87, at the next multiple of 16."""
    aligned = decoder.address_behind_header(obj) + 15 & ~15
    mantissa, rest = struct.unpack("<QH", decoder.reader.read(aligned, 10))
    shown = long_double_text(mantissa, rest)
    if shown is None:
        raise Undecodable("no normal long double")
    if not obj.is_exact:
        decoder.mark_inexact()
    return _scalar_text(decoder, obj, shown, repr(shown))


@decodes("numpy.str_", "numpy.bytes_")
def str_or_bytes_scalar(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode str_ and bytes_, which are a str and a bytes."""
    decode = unicode_string if obj.lineage.ident == "numpy.str_" else byte_string
    return _scalar_text(decoder, obj, decode(decoder, obj))


@decodes("numpy.datetime64", "numpy.timedelta64")
def datetime_or_timedelta(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode datetime64 and timedelta64: an int64, then the unit and its multiple (two ints)."""
    value, unit, multiple = _scalar_values(decoder, obj, "qii")
    name = obj.lineage.ident.rpartition(".")[2]
    prefix = "np" if is_numpy_2(decoder) else "numpy"
    code = UNITS.get(unit)
    if code is None or not 0 < multiple < 1 << 30:
        raise Undecodable(f"a {name} of unit {unit}")
    unit = f",'{code if multiple == 1 else f'{multiple}{code}'}'"
    always = multiple != 1 or code == "h"
    if name == "timedelta64":
        span = "'NaT'" if is_not_a_time(value) else str(value)
        return f"{prefix}.timedelta64({span}{'' if code == 'generic' else unit})"
    if is_not_a_time(value):
        always = always or is_numpy_at_least(decoder, (2, 4))
        return f"{prefix}.datetime64('NaT'{unit if always else ''})"
    shown = datetime64_text(value * multiple, code)
    if shown is None:
        raise Undecodable(f"{value} {code} since 1970: outside of the years 1 to 9999")
    return f"{prefix}.datetime64('{shown}'{unit if always else ''})"
