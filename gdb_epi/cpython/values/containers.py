# SPDX-License-Identifier: Apache-2.0
"""tuple, list, dict, sets, range, slice and the containers of `collections`."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.values.repr_decoder import CUT, Obj, ReprDecoder, Undecodable, decodes
from gdb_epi.errors import UnreadableMemory

MAX_BLOCKS = 1 << 20
MAX_LOG2_SLOTS = 32
SLOTS_AT_ONCE = 512
_BLOCK_ITEMS = 64  # BLOCKLEN, Modules/_collectionsmodule.c


def _sized(decoder: ReprDecoder, address: int, struct: str) -> int:
    count = decoder.signed(address, struct, "ob_size")
    if count < 0:
        raise Undecodable(f"{count} items")
    return count


@decodes("tuple")
def tuple_(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a tuple."""
    count = _sized(decoder, found.address, "PyTupleObject")
    if not count:
        return "()"
    if not decoder.enter(found.address):
        return "(...)"
    try:
        start = found.address + decoder.context.offset("PyTupleObject", "ob_item")
        inside = decoder.join(decoder.items(start, count, "tuple items"), count)
    finally:
        decoder.leave(found.address)
    return f"({inside},)" if count == 1 else f"({inside})"


@decodes("list")
def list_(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a list."""
    count = _sized(decoder, found.address, "PyListObject")
    if not count:
        return "[]"
    if not decoder.enter(found.address):
        return "[...]"
    try:
        start = decoder.field(found.address, "PyListObject", "ob_item")
        inside = decoder.join(decoder.items(start, count, "list items"), count)
    finally:
        decoder.leave(found.address)
    return f"[{inside}]"


def dict_text(decoder: ReprDecoder, address: int) -> str:
    """Return the text of a dict: `{key: value}`, or `{...}` inside itself."""
    count = decoder.field(address, "PyDictObject", "ma_used")
    if not count:
        return "{}"
    if not decoder.enter(address):
        return "{...}"
    try:
        return "{" + pairs_text(decoder, decoder.context.objects.dict_items(address), count) + "}"
    finally:
        decoder.leave(address)


def pairs_text(decoder: ReprDecoder, pairs: Iterator[tuple[int, int]], count: int) -> str:
    """Return `key: value` pairs with commas."""
    texts = (f"{decoder.show(key)}: {decoder.show(value)}" for key, value in pairs)
    return decoder.join_text(texts, count)


@decodes("dict")
def dict_(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a dict."""
    return dict_text(decoder, found.address)


@decodes("frozendict")
def frozen_dict(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a frozendict (3.15, PEP 814)."""
    inside = dict_text(decoder, found.address)
    return f"{found.type.name}({'' if inside == '{}' else inside})"


@decodes("mappingproxy")
def mapping_proxy(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a mappingproxy."""
    mapping = decoder.field(found.address, "mappingproxyobject", "mapping")
    return f"mappingproxy({decoder.show(mapping)})"


def set_items(decoder: ReprDecoder, address: int) -> Iterator[int]:
    """Yield the members of a set in the order of its table; raises what reading raises."""
    mask = decoder.field(address, "PySetObject", "mask")
    table = decoder.field(address, "PySetObject", "table")
    if mask >> MAX_LOG2_SLOTS or mask & (mask + 1):
        raise Undecodable(f"a set with the mask {mask:#x}")
    width = decoder.layout.size("setentry") or 16
    decoder.require_range(table, (mask + 1) * width, "set slots")
    for first in range(0, mask + 1, SLOTS_AT_ONCE):
        number = min(SLOTS_AT_ONCE, mask + 1 - first)
        data = decoder.reader.read(table + first * width, number * width)
        for at in range(0, number * width, width):
            key = int.from_bytes(data[at : at + 8], "little")
            # A removed member leaves a dummy with the hash -1, which no object has.
            if key and data[at + 8 : at + 16] != b"\xff" * 8:
                yield key


@decodes("set", "frozenset")
def set_(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a set or a frozenset."""
    name = found.type.name
    count = decoder.signed(found.address, "PySetObject", "used")
    if count < 0:
        raise Undecodable(f"a set of {count} members")
    if not count:
        return f"{name}()"
    if not decoder.enter(found.address):
        return f"{name}(...)"
    try:
        inside = "{" + decoder.join(set_items(decoder, found.address), count) + "}"
    finally:
        decoder.leave(found.address)
    return inside if name == "set" else f"{name}({inside})"


@decodes("range")
def range_(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a range; the step only when it is not 1."""
    names = ("start", "stop", "step")
    texts = [decoder.show(decoder.field(found.address, "rangeobject", name)) for name in names]
    return f"range({', '.join(texts[:2] if texts[2] == '1' else texts)})"


@decodes("slice")
def slice_(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a slice."""
    names = ("start", "stop", "step")
    texts = [decoder.show(decoder.field(found.address, "PySliceObject", name)) for name in names]
    return f"slice({', '.join(texts)})"


@decodes("collections.deque")
def deque(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a deque: blocks of 64 items in a doubly linked list."""
    address, name = found.address, found.type.name
    count = _sized(decoder, address, "dequeobject")
    longest = decoder.signed(address, "dequeobject", "maxlen")
    tail = f", maxlen={longest}" if longest >= 0 else ""
    if not decoder.enter(address):
        return "[...]"
    try:
        inside = decoder.join(deque_items(decoder, address, count), count) if count else ""
    finally:
        decoder.leave(address)
    return f"{name}([{inside}]{tail})"


def deque_items(decoder: ReprDecoder, address: int, count: int) -> Iterator[int]:
    """Yield the items of a deque."""
    block = decoder.field(address, "dequeobject", "leftblock")
    index = decoder.signed(address, "dequeobject", "leftindex")
    data_at = decoder.context.offset("dequeblock", "data")
    link_at = decoder.context.offset("dequeblock", "rightlink")
    if not 0 <= index < _BLOCK_ITEMS or count > MAX_BLOCKS * _BLOCK_ITEMS:
        raise Undecodable(f"a deque of {count} items from index {index}")
    left = count
    while left > 0:
        number = min(_BLOCK_ITEMS - index, left)
        data = decoder.reader.read(block + data_at + 8 * index, 8 * number)
        for at in range(0, 8 * number, 8):
            yield int.from_bytes(data[at : at + 8], "little")
        left -= number
        index = 0
        block = decoder.reader.u64(block + link_at)


@decodes("collections.defaultdict")
def default_dict(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a defaultdict."""
    factory = decoder.field(found.address, "defdictobject", "default_factory")
    made = decoder.show(factory) if factory else "None"
    return f"{found.type.name}({made}, {dict_text(decoder, found.address)})"


def ordered_pairs(decoder: ReprDecoder, address: int) -> list[tuple[int, int]]:
    """Return the pairs of an OrderedDict in its own order, which move_to_end() may change.

    PyODictObject is a PyDictObject and, right behind it, od_first; a node is key, hash, next, prev
    (Objects/odictobject.c, 3.8 to 3.15). The list is believed only when it holds exactly the keys
    of the dict.
    """
    pairs = list(decoder.context.objects.dict_items(address))
    values = dict(pairs)
    order: list[int] = []
    try:
        node = decoder.reader.u64(address + (decoder.layout.size("PyDictObject") or 0))
        while node and len(order) <= len(pairs):
            order.append(decoder.reader.u64(node))
            node = decoder.reader.u64(node + 16)
    except UnreadableMemory:
        order = []
    if len(order) != len(pairs) or set(order) != set(values):
        decoder.inexact()
        return pairs
    return [(key, values[key]) for key in order]


@decodes("collections.OrderedDict")
def ordered_dict(decoder: ReprDecoder, found: Obj) -> str:
    """Decode an OrderedDict."""
    address, name = found.address, found.type.name
    count = decoder.field(address, "PyDictObject", "ma_used")
    if not count:
        return f"{name}()"
    if not decoder.enter(address):
        return CUT
    try:
        pairs = ordered_pairs(decoder, address)
        # 3.12 (gh-101446) shows a dict instead of pairs; the same release brought lv_tag.
        if decoder.layout.offset("PyLongObject", "lv_tag") is not None:
            return f"{name}({{{pairs_text(decoder, iter(pairs), count)}}})"
        texts = (f"({decoder.show(key)}, {decoder.show(value)})" for key, value in pairs)
        return f"{name}([{decoder.join_text(texts, count)}])"
    finally:
        decoder.leave(address)


@decodes("dict_keys", "dict_values", "dict_items", "odict_keys", "odict_values", "odict_items")
def view(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a view of a dict: its first word behind the header is the dict."""
    of = decoder.reader.u64(found.address + (decoder.layout.size("PyObject") or 0))
    if decoder.obj(of).lineage.ident not in ("dict", "collections.OrderedDict"):
        raise Undecodable("a view of something that is no dict")
    if not decoder.enter(found.address):
        return CUT
    try:
        count = decoder.field(of, "PyDictObject", "ma_used")
        pairs = decoder.context.objects.dict_items(of)
        kind = found.lineage.ident.rpartition("_")[2]
        if kind == "items":
            texts = (f"({decoder.show(key)}, {decoder.show(value)})" for key, value in pairs)
        else:
            texts = (decoder.show(value if kind == "values" else key) for key, value in pairs)
        return f"{found.type.name}([{decoder.join_text(texts, count)}])"
    finally:
        decoder.leave(found.address)
