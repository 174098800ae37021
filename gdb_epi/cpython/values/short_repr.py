# SPDX-License-Identifier: Apache-2.0
"""What reprlib.repr() gives: asyncio shows results and arguments through it.

Reference: Lib/reprlib.py, class Repr with its default limits (3.8 to 3.15).
"""

from __future__ import annotations

from gdb_epi.cpython.values.core import Painter, Undecodable

MAX_STRING = 30
MAX_OTHER = 30
MAX_LONG = 40
MAX_LEVEL = 6
_SEQUENCES = {"list": ("[", "]", 6), "tuple": ("(", ")", 6)}
# reprlib leaves items of these out, instead of the middle of their text; it sorts sets.
_SHORTENED_INSIDE = ("set", "frozenset", "collections.deque", "array.array")


def short(painter: Painter, address: int) -> str:
    """Return what reprlib.repr() gives; marks what is not known for sure."""
    return _short(painter, address, MAX_LEVEL)


def _short(painter: Painter, address: int, level: int) -> str:
    found = painter.obj(address)
    kind = found.lineage.ident
    itself = found.type.address == found.lineage.root.address
    if itself and kind in _SEQUENCES:
        return _sequence(painter, address, kind, level)
    if itself and kind == "dict":
        return _dict(painter, address, level)
    text = painter.show(address)
    if itself and kind == "str":
        return _string(painter, address, text)
    if itself and kind in _SHORTENED_INSIDE:
        painter.inexact()
    limit = MAX_LONG if itself and kind == "int" else MAX_OTHER
    if len(text) <= limit:
        return text
    left = max(0, (limit - 3) // 2)
    return f"{text[:left]}...{text[len(text) - (limit - 3 - left) :]}"


def _string(painter: Painter, address: int, text: str) -> str:
    """Shorten a str: the ends of its characters first, then of its repr."""
    from gdb_epi.cpython.values.scalars import str_contents

    value, length = str_contents(painter, address, painter.limits.length)
    if length > len(value):
        raise Undecodable("the end of a long str was not read")
    shown = repr(value[:MAX_STRING])
    if len(shown) <= MAX_STRING:
        return shown if len(value) <= MAX_STRING else _ends(value)
    return _ends(value)


def _ends(value: str) -> str:
    left = (MAX_STRING - 3) // 2
    right = MAX_STRING - 3 - left
    shown = repr(value[:left] + value[len(value) - right :])
    return f"{shown[:left]}...{shown[len(shown) - right :]}"


def _sequence(painter: Painter, address: int, kind: str, level: int) -> str:
    left, right, limit = _SEQUENCES[kind]
    struct = "PyListObject" if kind == "list" else "PyTupleObject"
    count = painter.signed(address, struct, "ob_size")
    if level <= 0 and count:
        return f"{left}...{right}"
    if not painter.enter(address):
        raise Undecodable("reprlib of a container inside itself")
    try:
        start = address + painter.world.offset("PyTupleObject", "ob_item")
        if kind == "list" and count:
            start = painter.field(address, struct, "ob_item")
        held = painter.items(start, count, "items")[:limit] if count else []
        texts = [_short(painter, item, level - 1) for item in held]
    finally:
        painter.leave(address)
    if count > limit:
        texts.append("...")
    comma = "," if kind == "tuple" and count == 1 else ""
    return f"{left}{', '.join(texts)}{comma}{right}"


def _dict(painter: Painter, address: int, level: int) -> str:
    count = painter.field(address, "PyDictObject", "ma_used")
    if not count:
        return "{}"
    if level <= 0:
        return "{...}"
    pairs = [
        pair for _, pair in zip(range(4), painter.world.objects.dict_items(address), strict=False)
    ]
    named = [(painter.string(key), key, value) for key, value in pairs if _is_str(painter, key)]
    if count > 4 or len(named) < count:
        painter.inexact()  # reprlib shows the first four keys in their sorted order
    texts = [
        f"{_short(painter, key, level - 1)}: {_short(painter, value, level - 1)}"
        for _, key, value in sorted(named)
    ]
    return "{" + ", ".join(texts + (["..."] if len(named) < count else [])) + "}"


def _is_str(painter: Painter, address: int) -> bool:
    return painter.ident(address) == "str"
