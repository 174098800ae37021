# SPDX-License-Identifier: Apache-2.0
"""format(), `%` and str.format(), repeated where every CPython does the same.

Values of exactly the types int, bool, float and str are formatted by this Python: its C code does
the same in 3.8 to 3.15. What changed in between is refused: a 0 before the width of a str (3.10,
bpo-27772), `z` (3.11), and whatever depends on the locale (`n`).
"""

from __future__ import annotations

from collections.abc import Callable

from gdb_epi.cpython.values.decoders.builtin_scalars import read_float, read_int
from gdb_epi.cpython.values.repr_decoder import ReprDecoder, Undecodable

_NUMBER = r"(?:.?[<>^=])?[-+ ]?#?0?\d{0,4}[,_]?(?:\.\d{1,3})?[bcdeEfFgGoxX%]?"
_TEXT = r"(?:.?[<>^])?(?:[1-9]\d{0,3})?(?:\.\d{1,3})?s?"
_PERCENT = r"%(?:%|([-#0 +]*\d{0,4}(?:\.\d{1,3})?)([srdixXofFeEgG]))"
Plain = int | float | str
_FIELD = r"\{\{|\}\}|\{(?P<index>\d{0,3})(?:!(?P<flag>[rs]))?(?::(?P<spec>[^{}]*))?\}|[{}]"


def plain_value(decoder: ReprDecoder, address: int) -> Plain:
    """Return a value of exactly int, bool, float or str. Raises Undecodable for all others."""
    obj = decoder.obj(address)
    ident = obj.lineage.ident
    if not obj.is_exact:
        raise Undecodable("formatting by a class of the program's own")
    if ident == "str":
        return decoder.string(address, decoder.limits.length)
    if ident in ("int", "bool"):
        number = read_int(decoder, address)
        return number if ident == "int" else bool(number)
    if ident == "float":
        return read_float(decoder, address)
    raise Undecodable(f"formatting of {ident or 'an object'}")


def format_value(value: Plain, spec: str) -> str:
    """Return format(value, spec). Raises Undecodable where releases differ."""
    import re

    if re.fullmatch(_TEXT if isinstance(value, str) else _NUMBER, spec, re.S) is None:
        raise Undecodable(f"the format {spec!r}")
    try:
        return format(value, spec)
    except (ValueError, OverflowError, TypeError) as error:
        raise Undecodable(str(error)) from None


def format_percent(
    template: str, count: int, text: Callable[[int, bool], str], value: Callable[[int], Plain]
) -> str:
    """Return `template % items`; `text` gives str(), or repr() if True, and `value` a number.

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
        argument = text(taken, kind == "r") if kind in "sr" else value(taken)
        taken += 1
        try:
            parts.append(f"%{flags}{'s' if kind == 'r' else kind}" % argument)
        except (ValueError, OverflowError, TypeError) as error:
            raise Undecodable(str(error)) from None
    parts.append(template[end:])
    if taken != count or any("%" in part for part in parts[::2]):
        raise Undecodable("a format that is not known")
    return "".join(parts)


def format_braces(template: str, count: int, text: Callable[[int, str, str], str]) -> str:
    """Return `template.format(*items)`; `text` gives an item by conversion ("r", "s", "") and spec.

    Refuses names, attributes, subscripts and nested fields. Raises Undecodable.
    """
    import re

    parts: list[str] = []
    end = taken = 0
    numbered: set[bool] = set()
    for match in re.finditer(_FIELD, template, re.S):
        parts.append(template[end : match.start()])
        end = match.end()
        if match[0] in ("{{", "}}"):
            parts.append(match[0][0])
            continue
        index = match["index"]
        if index is None:
            raise Undecodable("a format that is not known")
        numbered.add(bool(index))
        if len(numbered) > 1:
            raise Undecodable("a format with fields with and without numbers")
        key = int(index) if index else taken
        taken += 1
        if key >= count:
            raise Undecodable("too few values for a format")
        parts.append(text(key, match["flag"] or "", match["spec"] or ""))
    return "".join([*parts, template[end:]])
