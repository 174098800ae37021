# SPDX-License-Identifier: Apache-2.0
"""format() and `%` of plain values, as the `__repr__` of a program uses them.

Only values of the very types int, bool, float and str, whose formatting is C code and the same in
3.8 to 3.15; this Python does it again. What changed in between is refused: a 0 before the width of
a str (3.10, bpo-27772), `z` (3.11), and what depends on the locale (`n`).
"""

from __future__ import annotations

from collections.abc import Callable

from gdb_epi.cpython.values_core import Painter, Undecodable
from gdb_epi.cpython.values_scalars import float_value, int_value

_NUMBER = r"(?:.?[<>^=])?[-+ ]?#?0?\d{0,4}[,_]?(?:\.\d{1,3})?[bcdeEfFgGoxX%]?"
_TEXT = r"(?:.?[<>^])?(?:[1-9]\d{0,3})?(?:\.\d{1,3})?s?"
_PERCENT = r"%(?:%|([-#0 +]*\d{0,4}(?:\.\d{1,3})?)([srdixXofFeEgG]))"
Plain = int | float | str


def plain_value(painter: Painter, address: int) -> Plain:
    """Return an int, bool, float or str of that very type. Raises Undecodable for all others."""
    one = painter.obj(address)
    ident = one.lineage.ident
    if one.type.address != one.lineage.root.address:
        raise Undecodable("formatting by a class of the program's own")
    if ident == "str":
        return painter.string(address, painter.limits.length)
    if ident in ("int", "bool"):
        number = int_value(painter, address)
        return number if ident == "int" else bool(number)
    if ident == "float":
        return float_value(painter, address)
    raise Undecodable(f"formatting of {ident or 'an object'}")


def formatted(value: Plain, spec: str) -> str:
    """Return format(value, spec). Raises Undecodable for what releases do in different ways."""
    import re

    if re.fullmatch(_TEXT if isinstance(value, str) else _NUMBER, spec, re.S) is None:
        raise Undecodable(f"the format {spec!r}")
    try:
        return format(value, spec)
    except (ValueError, OverflowError, TypeError) as error:
        raise Undecodable(str(error)) from None


def percent(
    template: str, count: int, text: Callable[[int, bool], str], value: Callable[[int], Plain]
) -> str:
    """Return `template % items`; `text` gives str() or repr() (True) of an item, `value` a number.

    Raises Undecodable.
    """
    import re

    parts: list[str] = []
    end = taken = 0
    for match in re.finditer(_PERCENT, template):
        parts.append(template[end : match.start()])
        end = match.end()
        flags, kind = match[1], match[2]
        if kind is None:
            parts.append("%")
            continue
        if taken >= count:
            raise Undecodable("too few values for a format")
        item = text(taken, kind == "r") if kind in "sr" else value(taken)
        taken += 1
        try:
            parts.append(f"%{flags}{'s' if kind == 'r' else kind}" % item)
        except (ValueError, OverflowError, TypeError) as error:
            raise Undecodable(str(error)) from None
    parts.append(template[end:])
    if taken != count or any("%" in part for part in parts[::2]):
        raise Undecodable("a format that is not known")
    return "".join(parts)
