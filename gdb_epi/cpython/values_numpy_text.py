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
_EPOCH = 719163  # date(1970, 1, 1).toordinal()
_LAST_DAY = 3652059  # date.max.toordinal()


def float_text(value: float, form: str) -> str:
    """Return the shortest text that gives a float back; `form` is struct's letter of its width."""
    if form == "d" or value != value or value in (0, float("inf"), float("-inf")):
        return repr(value)
    plain = 1e-4 <= abs(value) < 1e16  # the float itself counts, not its shortest text
    for digits in range(_MOST_DIGITS[form]):
        text = f"{value:.{digits}e}"
        try:
            if struct.unpack(form, struct.pack(form, float(text)))[0] == value:
                return repr(float(text)) if plain else text
        except OverflowError:
            continue
    return repr(value)


def depends_on_version(value: float, form: str) -> bool:
    """Tell whether releases of numpy differ in how they write a float.

    2.4 writes float32 from 1e6 and float16 from 1e3 on with an exponent, 2.2 did not.
    """
    return form in _EXPONENT_FROM and _EXPONENT_FROM[form] <= abs(value) < 1e16


def complex_text(real: float, imaginary: float, form: str) -> str:
    """Return a complex number without parentheses."""
    second = _part(imaginary, form)
    if real == 0 and not str(real).startswith("-"):
        return f"{second}j"
    sign = "" if second.startswith("-") else "+"
    return f"{_part(real, form)}{sign}{second}j"


def _part(value: float, form: str) -> str:
    text = float_text(value, form)
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
