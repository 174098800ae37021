# SPDX-License-Identifier: Apache-2.0
"""tuple, list, dict, sets, range, slice and the containers of `collections`."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.values.core import CUT, Obj, Painter, Undecodable, decodes
from gdb_epi.errors import UnreadableMemory

MAX_BLOCKS = 1 << 20
MAX_LOG2_SLOTS = 32
SLOTS_AT_ONCE = 512
_BLOCK_ITEMS = 64  # BLOCKLEN, Modules/_collectionsmodule.c


def _sized(painter: Painter, address: int, struct: str) -> int:
    count = painter.signed(address, struct, "ob_size")
    if count < 0:
        raise Undecodable(f"{count} items")
    return count


@decodes("tuple")
def tuple_(painter: Painter, found: Obj) -> str:
    """Decode a tuple."""
    count = _sized(painter, found.address, "PyTupleObject")
    if not count:
        return "()"
    if not painter.enter(found.address):
        return "(...)"
    try:
        start = found.address + painter.world.offset("PyTupleObject", "ob_item")
        inside = painter.join(painter.items(start, count, "tuple items"), count)
    finally:
        painter.leave(found.address)
    return f"({inside},)" if count == 1 else f"({inside})"


@decodes("list")
def list_(painter: Painter, found: Obj) -> str:
    """Decode a list."""
    count = _sized(painter, found.address, "PyListObject")
    if not count:
        return "[]"
    if not painter.enter(found.address):
        return "[...]"
    try:
        start = painter.field(found.address, "PyListObject", "ob_item")
        inside = painter.join(painter.items(start, count, "list items"), count)
    finally:
        painter.leave(found.address)
    return f"[{inside}]"


def dict_text(painter: Painter, address: int) -> str:
    """Return the text of a dict: `{key: value}`, or `{...}` inside itself."""
    count = painter.field(address, "PyDictObject", "ma_used")
    if not count:
        return "{}"
    if not painter.enter(address):
        return "{...}"
    try:
        return "{" + pairs_text(painter, painter.world.objects.dict_items(address), count) + "}"
    finally:
        painter.leave(address)


def pairs_text(painter: Painter, pairs: Iterator[tuple[int, int]], count: int) -> str:
    """Return `key: value` pairs with commas."""
    texts = (f"{painter.show(key)}: {painter.show(value)}" for key, value in pairs)
    return painter.join_text(texts, count)


@decodes("dict")
def dict_(painter: Painter, found: Obj) -> str:
    """Decode a dict."""
    return dict_text(painter, found.address)


@decodes("frozendict")
def frozen_dict(painter: Painter, found: Obj) -> str:
    """Decode a frozendict (3.15, PEP 814)."""
    inside = dict_text(painter, found.address)
    return f"{found.type.name}({'' if inside == '{}' else inside})"


@decodes("mappingproxy")
def mapping_proxy(painter: Painter, found: Obj) -> str:
    """Decode a mappingproxy."""
    mapping = painter.field(found.address, "mappingproxyobject", "mapping")
    return f"mappingproxy({painter.show(mapping)})"


def set_items(painter: Painter, address: int) -> Iterator[int]:
    """Yield the members of a set in the order of its table; raises what reading raises."""
    mask = painter.field(address, "PySetObject", "mask")
    table = painter.field(address, "PySetObject", "table")
    if mask >> MAX_LOG2_SLOTS or mask & (mask + 1):
        raise Undecodable(f"a set with the mask {mask:#x}")
    width = painter.layout.size("setentry") or 16
    painter.require_range(table, (mask + 1) * width, "set slots")
    for first in range(0, mask + 1, SLOTS_AT_ONCE):
        number = min(SLOTS_AT_ONCE, mask + 1 - first)
        data = painter.reader.read(table + first * width, number * width)
        for at in range(0, number * width, width):
            key = int.from_bytes(data[at : at + 8], "little")
            # A removed member leaves a dummy with the hash -1, which no object has.
            if key and data[at + 8 : at + 16] != b"\xff" * 8:
                yield key


@decodes("set", "frozenset")
def set_(painter: Painter, found: Obj) -> str:
    """Decode a set or a frozenset."""
    name = found.type.name
    count = painter.signed(found.address, "PySetObject", "used")
    if count < 0:
        raise Undecodable(f"a set of {count} members")
    if not count:
        return f"{name}()"
    if not painter.enter(found.address):
        return f"{name}(...)"
    try:
        inside = "{" + painter.join(set_items(painter, found.address), count) + "}"
    finally:
        painter.leave(found.address)
    return inside if name == "set" else f"{name}({inside})"


@decodes("range")
def range_(painter: Painter, found: Obj) -> str:
    """Decode a range; the step only when it is not 1."""
    names = ("start", "stop", "step")
    texts = [painter.show(painter.field(found.address, "rangeobject", name)) for name in names]
    return f"range({', '.join(texts[:2] if texts[2] == '1' else texts)})"


@decodes("slice")
def slice_(painter: Painter, found: Obj) -> str:
    """Decode a slice."""
    names = ("start", "stop", "step")
    texts = [painter.show(painter.field(found.address, "PySliceObject", name)) for name in names]
    return f"slice({', '.join(texts)})"


@decodes("collections.deque")
def deque(painter: Painter, found: Obj) -> str:
    """Decode a deque: blocks of 64 items in a doubly linked list."""
    address, name = found.address, found.type.name
    count = _sized(painter, address, "dequeobject")
    longest = painter.signed(address, "dequeobject", "maxlen")
    tail = f", maxlen={longest}" if longest >= 0 else ""
    if not painter.enter(address):
        return "[...]"
    try:
        inside = painter.join(deque_items(painter, address, count), count) if count else ""
    finally:
        painter.leave(address)
    return f"{name}([{inside}]{tail})"


def deque_items(painter: Painter, address: int, count: int) -> Iterator[int]:
    """Yield the items of a deque."""
    block = painter.field(address, "dequeobject", "leftblock")
    index = painter.signed(address, "dequeobject", "leftindex")
    data_at = painter.world.offset("dequeblock", "data")
    link_at = painter.world.offset("dequeblock", "rightlink")
    if not 0 <= index < _BLOCK_ITEMS or count > MAX_BLOCKS * _BLOCK_ITEMS:
        raise Undecodable(f"a deque of {count} items from index {index}")
    left = count
    while left > 0:
        number = min(_BLOCK_ITEMS - index, left)
        data = painter.reader.read(block + data_at + 8 * index, 8 * number)
        for at in range(0, 8 * number, 8):
            yield int.from_bytes(data[at : at + 8], "little")
        left -= number
        index = 0
        block = painter.reader.u64(block + link_at)


@decodes("collections.defaultdict")
def default_dict(painter: Painter, found: Obj) -> str:
    """Decode a defaultdict."""
    factory = painter.field(found.address, "defdictobject", "default_factory")
    made = painter.show(factory) if factory else "None"
    return f"{found.type.name}({made}, {dict_text(painter, found.address)})"


def ordered_pairs(painter: Painter, address: int) -> list[tuple[int, int]]:
    """Return the pairs of an OrderedDict in its own order, which move_to_end() may change.

    PyODictObject is a PyDictObject and, right behind it, od_first; a node is key, hash, next, prev
    (Objects/odictobject.c, 3.8 to 3.15). The list is believed only when it holds exactly the keys
    of the dict.
    """
    pairs = list(painter.world.objects.dict_items(address))
    values = dict(pairs)
    order: list[int] = []
    try:
        node = painter.reader.u64(address + (painter.layout.size("PyDictObject") or 0))
        while node and len(order) <= len(pairs):
            order.append(painter.reader.u64(node))
            node = painter.reader.u64(node + 16)
    except UnreadableMemory:
        order = []
    if len(order) != len(pairs) or set(order) != set(values):
        painter.inexact()
        return pairs
    return [(key, values[key]) for key in order]


@decodes("collections.OrderedDict")
def ordered_dict(painter: Painter, found: Obj) -> str:
    """Decode an OrderedDict."""
    address, name = found.address, found.type.name
    count = painter.field(address, "PyDictObject", "ma_used")
    if not count:
        return f"{name}()"
    if not painter.enter(address):
        return CUT
    try:
        pairs = ordered_pairs(painter, address)
        # 3.12 (gh-101446) shows a dict instead of pairs; the same release brought lv_tag.
        if painter.layout.offset("PyLongObject", "lv_tag") is not None:
            return f"{name}({{{pairs_text(painter, iter(pairs), count)}}})"
        texts = (f"({painter.show(key)}, {painter.show(value)})" for key, value in pairs)
        return f"{name}([{painter.join_text(texts, count)}])"
    finally:
        painter.leave(address)


@decodes("dict_keys", "dict_values", "dict_items", "odict_keys", "odict_values", "odict_items")
def view(painter: Painter, found: Obj) -> str:
    """Decode a view of a dict: its first word behind the header is the dict."""
    of = painter.reader.u64(found.address + (painter.layout.size("PyObject") or 0))
    if painter.obj(of).lineage.ident not in ("dict", "collections.OrderedDict"):
        raise Undecodable("a view of something that is no dict")
    if not painter.enter(found.address):
        return CUT
    try:
        count = painter.field(of, "PyDictObject", "ma_used")
        pairs = painter.world.objects.dict_items(of)
        kind = found.lineage.ident.rpartition("_")[2]
        if kind == "items":
            texts = (f"({painter.show(key)}, {painter.show(value)})" for key, value in pairs)
        else:
            texts = (painter.show(value if kind == "values" else key) for key, value in pairs)
        return f"{found.type.name}([{painter.join_text(texts, count)}])"
    finally:
        painter.leave(found.address)
