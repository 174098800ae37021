# SPDX-License-Identifier: Apache-2.0
"""What reprlib.repr() gives: asyncio shows results and arguments through it.

Reference: Lib/reprlib.py, class Repr with its default limits (3.8 to 3.15).
"""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import ReprDecoder, Undecodable

MAX_STRING = 30
MAX_OTHER = 30
MAX_LONG = 40
MAX_LEVEL = 6
_SEQUENCES = {"list": ("[", "]", 6), "tuple": ("(", ")", 6)}
# reprlib leaves items of these out, instead of the middle of their text; it sorts sets.
_SHORTENED_INSIDE = ("set", "frozenset", "collections.deque", "array.array")


def short(decoder: ReprDecoder, address: int) -> str:
    """Return what reprlib.repr() gives; marks what is not known for sure."""
    return _short(decoder, address, MAX_LEVEL)


def _short(decoder: ReprDecoder, address: int, level: int) -> str:
    found = decoder.obj(address)
    kind = found.lineage.ident
    itself = found.type.address == found.lineage.root.address
    if itself and kind in _SEQUENCES:
        return _sequence(decoder, address, kind, level)
    if itself and kind == "dict":
        return _dict(decoder, address, level)
    text = decoder.show(address)
    if itself and kind == "str":
        return _string(decoder, address, text)
    if itself and kind in _SHORTENED_INSIDE:
        decoder.inexact()
    limit = MAX_LONG if itself and kind == "int" else MAX_OTHER
    if len(text) <= limit:
        return text
    left = max(0, (limit - 3) // 2)
    return f"{text[:left]}...{text[len(text) - (limit - 3 - left) :]}"


def _string(decoder: ReprDecoder, address: int, text: str) -> str:
    """Shorten a str: the ends of its characters first, then of its repr."""
    from gdb_epi.cpython.values.scalars import str_contents

    value, length = str_contents(decoder, address, decoder.limits.length)
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


def _sequence(decoder: ReprDecoder, address: int, kind: str, level: int) -> str:
    left, right, limit = _SEQUENCES[kind]
    struct = "PyListObject" if kind == "list" else "PyTupleObject"
    count = decoder.signed(address, struct, "ob_size")
    if level <= 0 and count:
        return f"{left}...{right}"
    if not decoder.enter(address):
        raise Undecodable("reprlib of a container inside itself")
    try:
        start = address + decoder.context.offset("PyTupleObject", "ob_item")
        if kind == "list" and count:
            start = decoder.field(address, struct, "ob_item")
        held = decoder.items(start, count, "items")[:limit] if count else []
        texts = [_short(decoder, item, level - 1) for item in held]
    finally:
        decoder.leave(address)
    if count > limit:
        texts.append("...")
    comma = "," if kind == "tuple" and count == 1 else ""
    return f"{left}{', '.join(texts)}{comma}{right}"


def _dict(decoder: ReprDecoder, address: int, level: int) -> str:
    count = decoder.field(address, "PyDictObject", "ma_used")
    if not count:
        return "{}"
    if level <= 0:
        return "{...}"
    pairs = [
        pair for _, pair in zip(range(4), decoder.context.objects.dict_items(address), strict=False)
    ]
    named = [(decoder.string(key), key, value) for key, value in pairs if _is_str(decoder, key)]
    if count > 4 or len(named) < count:
        decoder.inexact()  # reprlib shows the first four keys in their sorted order
    texts = [
        f"{_short(decoder, key, level - 1)}: {_short(decoder, value, level - 1)}"
        for _, key, value in sorted(named)
    ]
    return "{" + ", ".join(texts + (["..."] if len(named) < count else [])) + "}"


def _is_str(decoder: ReprDecoder, address: int) -> bool:
    return decoder.ident(address) == "str"
