# SPDX-License-Identifier: Apache-2.0
"""The values of builtins that hold no other: None, numbers, str, bytes."""

from __future__ import annotations

import struct

from gdb_epi.cpython.memory_reader import CODECS
from gdb_epi.cpython.values.repr_decoder import CUT, Obj, ReprDecoder, Undecodable, decodes

DIGIT_BITS = 30  # PyLong_SHIFT of 64-bit builds
MAX_DECIMALS = 4300  # as many as CPython itself converts; beyond that, only the size is shown
MAX_INT_BYTES = 1 << 30
_CHUNK = 500  # decimals at once: below every limit of int -> str conversions
_HEAD_DIGITS = 4  # digits of 30 bits shown of an int that is too long


_SINGLETONS = {"NoneType": "None", "ellipsis": "Ellipsis", "NotImplementedType": "NotImplemented"}


@decodes(*_SINGLETONS)
def singleton(_decoder: ReprDecoder, obj: Obj) -> str:
    """Decode None, `...` and NotImplemented."""
    return _SINGLETONS[obj.lineage.ident]


def read_int_parts(decoder: ReprDecoder, address: int) -> tuple[int, int, int]:
    """Return (sign, number of digits, address of the digits) of an int.

    Reference: Include/cpython/longintrepr.h; 3.12 (gh-101291) moved the sign into lv_tag.
    """
    layout = decoder.layout
    tag_at = layout.offset("PyLongObject", "lv_tag")
    if tag_at is not None:
        tag = decoder.reader.u64(address + tag_at)
        count, sign = tag >> 3, 1 - (tag & 3)
        if sign < -1 or (sign == 0) != (count == 0 or (count == 1 and sign == 0)):
            raise Undecodable(f"int with the tag {tag:#x}")
    else:
        size = decoder.signed_field(address, "PyLongObject", "ob_size")
        count, sign = abs(size), (size > 0) - (size < 0)
    if count > MAX_INT_BYTES // 4:
        raise Undecodable(f"int of {count} digits")
    digits = address + layout.require("PyLongObject", "ob_digit")
    decoder.require_range(digits, 4 * count, "int digits")
    return sign, count, digits


def read_int(decoder: ReprDecoder, address: int) -> int:
    """Return the value of an int that str() takes too. Raises Undecodable for longer ones."""
    sign, count, digits = read_int_parts(decoder, address)
    if count * DIGIT_BITS > MAX_DECIMALS * 3:  # a decimal has more than 3 bits
        raise Undecodable(f"int of {count} digits")
    return sign * _magnitude(decoder, digits, count)


def _magnitude(decoder: ReprDecoder, digits: int, count: int) -> int:
    value = 0
    for digit in struct.unpack(f"<{count}I", decoder.reader.read(digits, 4 * count))[::-1]:
        if digit >> DIGIT_BITS:
            raise Undecodable(f"int with a digit of {digit:#x}")
        value = value << DIGIT_BITS | digit
    return value


def unlimited_int_text(value: int) -> str:
    """Return str(value), whatever the interpreter's limit of conversions is."""
    if -(1 << 64) < value < 1 << 64:
        return str(value)
    parts = []
    rest = abs(value)
    base = 10**_CHUNK
    while rest >= base:
        rest, low = divmod(rest, base)
        parts.append(f"{low:0{_CHUNK}d}")
    parts.append(str(rest))
    return ("-" if value < 0 else "") + "".join(reversed(parts))


@decodes("int")
def integer(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode an int; of a very long one the size and the leading bits."""
    sign, count, digits = read_int_parts(decoder, obj.address)
    limit = min(MAX_DECIMALS, decoder.limits.length)
    if count * DIGIT_BITS * 0.30103 > limit + 20:
        head = _magnitude(decoder, digits + 4 * (count - _HEAD_DIGITS), _HEAD_DIGITS)
        bits = (count - _HEAD_DIGITS) * DIGIT_BITS + head.bit_length()
        decoder.cut = True
        return f"<int {'-' if sign < 0 else ''}{head:#x}{CUT} of {bits} bits>"
    text = unlimited_int_text(sign * _magnitude(decoder, digits, count))
    if len(text) > limit + 1:
        decoder.cut = True
        return f"<int {text[:40]}{CUT} of {len(text.lstrip('-'))} decimals>"
    return text


@decodes("bool")
def boolean(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode True and False."""
    value = read_int(decoder, obj.address)
    if value not in (0, 1):
        raise Undecodable(f"bool of value {value}")
    return "True" if value else "False"


def read_float(decoder: ReprDecoder, address: int) -> float:
    """Return the value of a float."""
    at = address + decoder.offset("PyFloatObject", "ob_fval")
    return float(struct.unpack("<d", decoder.reader.read(at, 8))[0])


@decodes("float")
def floating(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a float: the shortest text that gives it back."""
    return repr(read_float(decoder, obj.address))


@decodes("complex")
def complex_number(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a complex number."""
    at = obj.address + decoder.offset("PyComplexObject", "cval.real", "cval")
    return repr(complex(*struct.unpack("<dd", decoder.reader.read(at, 16))))


def read_str(decoder: ReprDecoder, address: int, limit: int) -> tuple[str, int]:
    """Return the first `limit` characters of a str object and its whole length.

    Reference: Include/cpython/unicodeobject.h (3.8 to 3.15). Lone surrogates are kept.
    """
    start, length, width, is_ascii = decoder.reader.str_characters(address)
    codec = CODECS.get(width)
    if codec is None:
        raise Undecodable(f"str of kind {width}")
    decoder.require_range(start, length * width, f"str of {length} characters")
    raw = decoder.reader.read(start, min(length, limit) * width)
    if is_ascii and not raw.isascii():
        raise Undecodable("an ASCII str with other characters")
    try:
        return raw.decode(codec, "surrogatepass"), length
    except UnicodeDecodeError as error:
        raise Undecodable(f"damaged str: {error.reason}") from None


@decodes("str")
def unicode_string(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a str."""
    value, length = read_str(decoder, obj.address, decoder.limits.length)
    is_whole = len(value) == length
    return _repr_of_part(decoder, decoder.mask_passwords(value), is_whole=is_whole)


@decodes("bytes")
def byte_string(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a bytes object."""
    size = decoder.signed_field(obj.address, "PyBytesObject", "ob_size")
    start = obj.address + decoder.offset("PyBytesObject", "ob_sval")
    return _bytes_literal(decoder, start, size)


@decodes("bytearray")
def byte_array(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a bytearray.

    Reference: bytearray_repr() in Objects/bytearrayobject.c. Up to 3.14 it quotes by itself, and
    escapes single quotes between double ones too; 3.15 keeps a bytes object and shows that.
    """
    size = decoder.signed_field(obj.address, "PyByteArrayObject", "ob_size")
    start = decoder.field(obj.address, "PyByteArrayObject", "ob_start") if size else 0
    text = _bytes_literal(decoder, start, size)
    if (
        text.startswith('b"')
        and decoder.layout.offset("PyByteArrayObject", "ob_bytes_object") is None
    ):
        text = text.replace("'", "\\'")
    return f"{obj.type.name}({text})"


def _bytes_literal(decoder: ReprDecoder, start: int, size: int) -> str:
    decoder.require_range(start, size, "bytes")
    value = decoder.reader.read(start, min(size, decoder.limits.length)) if size else b""
    text = value.decode("latin-1")
    masked = decoder.mask_passwords(text)
    is_whole = size <= len(value)
    value = masked.encode("latin-1") if masked != text else value
    return _repr_of_part(decoder, value, is_whole=is_whole)


def _repr_of_part(decoder: ReprDecoder, value: str | bytes, *, is_whole: bool) -> str:
    decoder.cut |= not is_whole
    return repr(value) + ("" if is_whole else CUT)


@decodes("sentinel")
def sentinel(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a sentinel (3.15, PEP 661): its name, its module, and its repr when it was given."""
    name, custom_repr = decoder.word(obj, 0), decoder.word(obj, 2)
    shown = custom_repr or name
    if decoder.ident(shown) != "str":
        raise Undecodable("it has no name")
    return decoder.string(shown)
