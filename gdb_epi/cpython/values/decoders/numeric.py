# SPDX-License-Identifier: Apache-2.0
"""Numbers of the standard library: decimal and fractions."""

from __future__ import annotations

import struct

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr
from gdb_epi.errors import Absent
from gdb_epi.sizes import split_into_words

MAX_DECIMAL_WORDS = 1 << 20
_SPECIAL = {"F": "Infinity", "n": "NaN", "N": "sNaN"}  # by _exp of _pydecimal
_RADIX_DIGITS = 19  # decimals in one word of libmpdec on 64-bit machines


@decodes("decimal.Decimal")
def decimal(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a Decimal of the C module.

    PyDecObject is the header, a hash, and an mpd_t: flags (8 bits), exp, digits, len, alloc, data
    (Modules/_decimal/libmpdec/mpdecimal.h, 3.8 to 3.15).
    """
    start = obj.address + (decoder.layout.size("PyObject") or 0) + 8
    flags, exponent, digits, length, alloc, limbs = struct.unpack(
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
    raw = split_into_words(decoder.reader.read(limbs, 8 * words))
    if any(word >= 10**_RADIX_DIGITS for word in raw):
        raise Undecodable("a Decimal with a word above its radix")
    text = "".join(f"{word:019d}" for word in reversed(raw)).lstrip("0")
    if flags & 12:
        return f"Decimal('{sign}{'sNaN' if flags & 8 else 'NaN'}{text if digits else ''}')"
    text = text or "0"
    if len(text) != digits:
        raise Undecodable(f"a Decimal of {digits} digits with the coefficient {text[:40]}")
    return f"Decimal('{sign}{decimal_text(text, exponent)}')"


def decimal_text(digits: str, exponent: int) -> str:
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


@decodes_repr(("decimal", "Decimal.__repr__"), ("_pydecimal", "Decimal.__repr__"))
def python_decimal(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a Decimal of _pydecimal, which serves where CPython was built without libmpdec.

    3.15 no longer bundles the library (gh-115119), and Debian dropped it.
    """
    shown_by = decoder.types.lookup(obj.type, "__str__")
    if shown_by is None or shown_by[0].qualname != "Decimal":
        raise Undecodable("a str() of its own")
    held = {name: decoder.attribute(obj.address, name) for name in ("_sign", "_int", "_exp")}
    digits = decoder.string(held["_int"], decoder.limits.length)
    negative = decoder.objects.integer(held["_sign"])
    if isinstance(negative, Absent) or not (digits.isdecimal() or not digits):
        raise Undecodable("a Decimal without digits or sign")
    sign = "-" if negative else ""
    if decoder.is_attribute_true(obj.address, "_is_special"):
        kind = decoder.string(held["_exp"])
        if kind not in _SPECIAL:
            raise Undecodable(f"a Decimal with the exponent {kind[:40]}")
        return f"Decimal('{sign}{_SPECIAL[kind]}{'' if kind == 'F' else digits}')"
    exponent = decoder.objects.integer(held["_exp"])
    if isinstance(exponent, Absent) or not digits:
        raise Undecodable("a Decimal without an exponent")
    return f"Decimal('{sign}{decimal_text(digits, exponent)}')"


@decodes_repr(("fractions", "Fraction.__repr__"))
def fraction(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Fraction.__repr__ does."""
    names = ("_numerator", "_denominator")
    parts = [decoder.attribute_text(obj.address, name) for name in names]
    return f"{obj.type.name}({', '.join(parts)})"
