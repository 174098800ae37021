# SPDX-License-Identifier: Apache-2.0
"""Numbers and times as numpy writes them: the shortest digits of its floats, ISO 8601 times."""

from __future__ import annotations

import struct

# numpy/ndarraytypes.h, NPY_DATETIMEUNIT.
UNITS = {
    0: "Y", 1: "M", 2: "W", 4: "D", 5: "h", 6: "m", 7: "s", 8: "ms", 9: "us", 10: "ns", 11: "ps",
    12: "fs", 13: "as", 14: "generic",
}  # fmt: skip
_PER_DAY = {"h": 24, "m": 1440, "s": 86400, "ms": 86400 * 10**3, "us": 86400 * 10**6}
_PER_DAY["ns"] = 86400 * 10**9
_DIGITS = {"ms": 3, "us": 6, "ns": 9}
_NAT = -(1 << 63)
_MOST_DIGITS = {"e": 5, "f": 9}
_EXPONENT_FROM = {"e": 1e3, "f": 1e6}
_PLAIN_BELOW = 1e16
_EPOCH = 719163  # date(1970, 1, 1).toordinal()
_LAST_DAY = 3652059  # date.max.toordinal()


def float_text(value: float, form: str, exponents: bool = False) -> str:
    """Return the shortest text that gives a float back; `form` is struct's letter of its width.

    With `exponents` float32 is written from 1e6 and float16 from 1e3 on with an exponent, as numpy
    does since 2.3.
    """
    if form == "d" or value != value or value in (0, float("inf"), float("-inf")):
        return repr(value)
    most = _EXPONENT_FROM.get(form, _PLAIN_BELOW) if exponents else _PLAIN_BELOW
    plain = 1e-4 <= abs(value) < most  # the float itself counts, not its shortest text
    for digits in range(_MOST_DIGITS[form]):
        text = f"{value:.{digits}e}"
        try:
            if struct.unpack(form, struct.pack(form, float(text)))[0] == value:
                return repr(float(text)) if plain else text
        except OverflowError:
            continue
    return repr(value)


def depends_on_version(value: float, form: str) -> bool:
    """Tell whether releases of numpy differ in how they write a float (see float_text)."""
    return form in _EXPONENT_FROM and _EXPONENT_FROM[form] <= abs(value) < _PLAIN_BELOW


def long_double_text(mantissa: int, rest: int) -> str | None:
    """Return the shortest text that gives an 80-bit float back; None for what is no such number.

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
    digits, point = _shortest(mantissa, max(exponent, 1) - 16383 - 63)
    if -4 < point <= 16:
        whole = (digits[:point] if point > 0 else "0").ljust(point, "0")
        part = "0" * -point + digits[max(point, 0) :]
        return f"{sign}{whole}.{part or '0'}"
    part = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{part}e{'-' if point < 1 else '+'}{abs(point - 1):02d}"


def _shortest(mantissa: int, exponent: int) -> tuple[str, int]:
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
    second = _part(imaginary, form, exponents)
    if real == 0 and not str(real).startswith("-"):
        return f"{second}j"
    sign = "" if second.startswith("-") else "+"
    return f"{_part(real, form, exponents)}{sign}{second}j"


def _part(value: float, form: str, exponents: bool) -> str:
    text = float_text(value, form, exponents)
    return text[:-2] if text.endswith(".0") else text


def not_a_time(value: int) -> bool:
    """Tell whether a time is NaT."""
    return value == _NAT


def moment_text(value: int, unit: str) -> str | None:
    """Return a datetime64 as numpy writes it; None outside of the years 1 to 9999."""
    from datetime import date

    if not_a_time(value):
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
    if not 1 <= days + _EPOCH <= _LAST_DAY:
        return None
    day = date.fromordinal(days + _EPOCH).isoformat()
    return day if unit in ("W", "D") else f"{day}T{_clock(rest, unit)}"


def _clock(rest: int, unit: str) -> str:
    if unit == "h":
        return f"{rest:02d}"
    if unit == "m":
        return f"{rest // 60:02d}:{rest % 60:02d}"
    digits = _DIGITS.get(unit, 0)
    seconds, part = divmod(rest, 10**digits)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{part:0{digits}d}" if digits else text
