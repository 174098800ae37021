# SPDX-License-Identifier: Apache-2.0
"""Types of the standard library's C modules: datetime, decimal, array, zoneinfo."""

from __future__ import annotations

import struct

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes

MAX_DECIMAL_WORDS = 1 << 20
_RADIX_DIGITS = 19  # decimals in one word of libmpdec on 64-bit machines
# arraydescr.typecode (Modules/arraymodule.c) and what struct calls the items.
_ARRAY_CODES = {
    "b": "b", "B": "B", "h": "h", "H": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "q": "q",
    "Q": "Q", "f": "f", "d": "d",
}  # fmt: skip


def _tp_name(found: Obj) -> str:
    if not found.type.full_name:
        raise Undecodable("its type has no name")
    return found.type.full_name


def _data(decoder: ReprDecoder, found: Obj, kind: str, size: int) -> bytes:
    at = decoder.context.offset(kind, "data")
    return decoder.reader.read(found.address + at, size)


def _date_parts(data: bytes) -> list[int]:
    parts = [data[0] << 8 | data[1], data[2], data[3]]
    if not (1 <= parts[0] <= 9999 and 1 <= parts[1] <= 12 and 1 <= parts[2] <= 31):
        raise Undecodable(f"a date of {parts}")
    return parts


def _time_parts(data: bytes) -> list[int]:
    hour, minute, second = data[:3]
    micro = int.from_bytes(data[3:6], "big")
    if hour > 23 or minute > 59 or second > 59 or micro > 999_999:
        raise Undecodable(f"a time of {hour}:{minute}:{second}.{micro}")
    parts = [hour, minute, second, micro]
    while len(parts) > 2 and not parts[-1]:
        parts.pop()
    return parts


def _zone(decoder: ReprDecoder, found: Obj, kind: str) -> str:
    fold = decoder.reader.u8(found.address + decoder.context.offset(kind, "fold"))
    text = f", fold={fold}" if fold else ""
    if decoder.reader.u8(found.address + decoder.context.offset(kind, "hastzinfo")):
        text += f", tzinfo={decoder.show(decoder.field(found.address, kind, 'tzinfo'))}"
    return text


@decodes("datetime.date")
def date(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a date."""
    parts = _date_parts(_data(decoder, found, "PyDateTime_Date", 4))
    return f"{_tp_name(found)}({', '.join(map(str, parts))})"


@decodes("datetime.datetime")
def date_time(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a datetime."""
    kind = "PyDateTime_DateTime"
    data = _data(decoder, found, kind, 10)
    parts = _date_parts(data) + _time_parts(data[4:])
    return f"{_tp_name(found)}({', '.join(map(str, parts))}{_zone(decoder, found, kind)})"


@decodes("datetime.time")
def time(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a time of day."""
    kind = "PyDateTime_Time"
    parts = _time_parts(_data(decoder, found, kind, 6))
    return f"{_tp_name(found)}({', '.join(map(str, parts))}{_zone(decoder, found, kind)})"


@decodes("datetime.timedelta")
def time_delta(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a timedelta."""
    names = ("days", "seconds", "microseconds")
    parts = []
    for name in names:
        at = decoder.context.offset("PyDateTime_Delta", name)
        value = struct.unpack("<i", decoder.reader.read(found.address + at, 4))[0]
        if value:
            parts.append(f"{name}={value}")
    return f"{_tp_name(found)}({', '.join(parts) or '0'})"


@decodes("datetime.timezone")
def time_zone(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a timezone: behind the header are its offset and its name or NULL."""
    head = decoder.layout.size("PyObject") or 0
    offset = decoder.reader.u64(found.address + head)
    name = decoder.reader.u64(found.address + head + 8)
    if decoder.obj(offset).lineage.ident != "datetime.timedelta":
        raise Undecodable("its offset is no timedelta")
    text = decoder.show(offset)
    if not name:
        # timezone(timedelta(0)) is always the one object `timezone.utc`.
        return f"{_tp_name(found)}.utc" if text.endswith("(0)") else f"{_tp_name(found)}({text})"
    return f"{_tp_name(found)}({text}, {decoder.show(name)})"


@decodes("zoneinfo.ZoneInfo")
def zone_info(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a zoneinfo.ZoneInfo: its key is the first word behind the header."""
    key = decoder.reader.u64(found.address + (decoder.layout.size("PyObject") or 0))
    if decoder.obj(key).lineage.ident != "str":
        raise Undecodable("it has no key")
    name = found.type.shown if found.type.module else found.type.full_name
    return f"{name}(key={decoder.show(key)})"


@decodes("decimal.Decimal")
def decimal(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a Decimal of the C module.

    PyDecObject is the header, a hash, and an mpd_t: flags (8 bits), exp, digits, len, alloc, data
    (Modules/_decimal/libmpdec/mpdecimal.h, 3.8 to 3.15).
    """
    start = found.address + (decoder.layout.size("PyObject") or 0) + 8
    flags, exponent, digits, length, alloc, data = struct.unpack(
        "<B7xqqqqQ", decoder.reader.read(start, 48)
    )
    sign = "-" if flags & 1 else ""
    if flags & 2:
        return f"Decimal('{sign}Infinity')"
    words = max(0, length)
    if not 0 <= length <= min(alloc, MAX_DECIMAL_WORDS) or not 0 <= digits <= 19 * words:
        raise Undecodable(f"a Decimal of {digits} digits in {length} words")
    if words * _RADIX_DIGITS > decoder.limits.length + 40:
        raise Undecodable(f"a Decimal of {digits} digits: more than the limit")
    raw = struct.unpack(f"<{words}Q", decoder.reader.read(data, 8 * words))
    if any(word >= 10**_RADIX_DIGITS for word in raw):
        raise Undecodable("a Decimal with a word above its radix")
    text = "".join(f"{word:019d}" for word in reversed(raw)).lstrip("0")
    if flags & 12:
        return f"Decimal('{sign}{'sNaN' if flags & 8 else 'NaN'}{text if digits else ''}')"
    text = text or "0"
    if len(text) != digits:
        raise Undecodable(f"a Decimal of {digits} digits with the coefficient {text[:40]}")
    return f"Decimal('{sign}{scientific(text, exponent)}')"


def scientific(digits: str, exponent: int) -> str:
    """Return a coefficient and exponent as str(Decimal) writes them."""
    point = exponent + len(digits)  # where the decimal point goes
    if exponent <= 0 and point > -6:
        if exponent == 0:
            return digits
        if point > 0:
            return f"{digits[:point]}.{digits[point:]}"
        return f"0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{rest}E{point - 1:+d}"


@decodes("array.array")
def array(decoder: ReprDecoder, found: Obj) -> str:
    """Decode an array.array: header, ob_item, allocated, ob_descr (Modules/arraymodule.c)."""
    head = decoder.layout.size("PyVarObject") or 0
    count = decoder.signed(found.address, "PyVarObject", "ob_size")
    start, _allocated, descr = struct.unpack("<QqQ", decoder.reader.read(found.address + head, 24))
    code, size = struct.unpack("<cxxxi", decoder.reader.read(descr, 8))
    letter = code.decode("latin-1")
    if letter in "uw":
        return _text_array(decoder, found, start, count * size, count, letter)
    item = _ARRAY_CODES.get(letter)
    if item is None or struct.calcsize("<" + item) != size or count < 0:
        raise Undecodable(f"an array of {letter!r} with items of {size} bytes")
    name = found.type.name
    if not count:
        return f"{name}('{letter}')"
    decoder.require_range(start, count * size, "array items")
    number = min(count, decoder.limits.width)
    values = struct.unpack(f"<{number}{item}", decoder.reader.read(start, number * size))
    return f"{name}('{letter}', [{decoder.join_text(map(repr, values), count)}])"


def _text_array(
    decoder: ReprDecoder, found: Obj, start: int, size: int, count: int, letter: str
) -> str:
    """Decode an array of characters: wchar_t, or Py_UCS4 (3.13, gh-80480); both have 4 bytes."""
    if not 0 <= size == 4 * count:
        raise Undecodable(f"an array of {count} characters in {size} bytes")
    if not count:
        return f"{found.type.name}('{letter}')"
    decoder.require_range(start, size, "array items")
    number = min(count, decoder.limits.length)
    try:
        text = decoder.reader.read(start, 4 * number).decode("utf-32-le", "surrogatepass")
    except UnicodeDecodeError as error:
        raise Undecodable(f"damaged characters: {error.reason}") from None
    decoder.cut = decoder.cut or number < count
    return f"{found.type.name}('{letter}', {text!r}{'...' if number < count else ''})"


@decodes("datetime.IsoCalendarDate")
def iso_calendar_date(decoder: ReprDecoder, found: Obj) -> str:
    """Decode what isocalendar() returns since 3.9 (bpo-24416): a tuple with a repr of its own."""
    start = found.address + decoder.context.offset("PyTupleObject", "ob_item")
    year, week, day = (decoder.show(at) for at in decoder.items(start, 3, "its parts"))
    return f"{_tp_name(found)}(year={year}, week={week}, weekday={day})"
