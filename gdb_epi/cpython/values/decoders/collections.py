# SPDX-License-Identifier: Apache-2.0
"""The containers of collections: deque, defaultdict, OrderedDict, Counter, named tuples."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.values.decoders.builtin_containers import (
    dict_text,
    item_count,
    pair_texts,
    pairs_text,
)
from gdb_epi.cpython.values.decoders.builtin_scalars import read_int
from gdb_epi.cpython.values.repr_decoder import (
    CUT,
    NAMEDTUPLE_REPR,
    Obj,
    ReprDecoder,
    Undecodable,
    decodes,
    decodes_repr,
)
from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import split_into_words

MAX_BLOCKS = 1 << 20
_BLOCK_ITEMS = 64  # BLOCKLEN, Modules/_collectionsmodule.c
MAX_COUNTED = 100_000


@decodes("collections.deque", in_itself="[...]")
def deque(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a deque: blocks of 64 items in a doubly linked list."""
    address, name = obj.address, obj.type.name
    count = item_count(decoder, address, "dequeobject")
    longest = decoder.signed_field(address, "dequeobject", "maxlen")
    tail = f", maxlen={longest}" if longest >= 0 else ""
    inside = decoder.join_item_texts(deque_items(decoder, address, count), count) if count else ""
    return f"{name}([{inside}]{tail})"


def deque_items(decoder: ReprDecoder, address: int, count: int) -> Iterator[int]:
    """Yield the items of a deque."""
    block = decoder.field(address, "dequeobject", "leftblock")
    index = decoder.signed_field(address, "dequeobject", "leftindex")
    data_at = decoder.offset("dequeblock", "data")
    link_at = decoder.offset("dequeblock", "rightlink")
    if not 0 <= index < _BLOCK_ITEMS or count > MAX_BLOCKS * _BLOCK_ITEMS:
        raise Undecodable(f"a deque of {count} items from index {index}")
    left = count
    while left > 0:
        number = min(_BLOCK_ITEMS - index, left)
        yield from split_into_words(decoder.reader.read(block + data_at + 8 * index, 8 * number))
        left -= number
        index = 0
        block = decoder.reader.u64(block + link_at)


@decodes("collections.defaultdict")
def default_dict(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a defaultdict."""
    factory = decoder.field(obj.address, "defdictobject", "default_factory")
    factory_text = decoder.repr_of(factory) if factory else "None"
    return f"{obj.type.name}({factory_text}, {dict_text(decoder, obj.address)})"


def ordered_pairs(decoder: ReprDecoder, address: int) -> list[tuple[int, int]]:
    """Return the pairs of an OrderedDict in its own order, which move_to_end() may change.

    PyODictObject is a PyDictObject followed by od_first; a node is key, hash, next, prev
    (Objects/odictobject.c, 3.8 to 3.15). The list is trusted only if it holds exactly the keys of
    the dict.
    """
    pairs = list(decoder.objects.dict_items(address))
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
        decoder.mark_inexact()
        return pairs
    return [(key, values[key]) for key in order]


@decodes("collections.OrderedDict", in_itself=CUT)
def ordered_dict(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode an OrderedDict."""
    address, name = obj.address, obj.type.name
    count = decoder.field(address, "PyDictObject", "ma_used")
    if not count:
        return f"{name}()"
    pairs = ordered_pairs(decoder, address)
    # 3.12 (gh-101446) shows a dict instead of pairs; the same release brought lv_tag.
    if decoder.layout.offset("PyLongObject", "lv_tag") is not None:
        return f"{name}({{{pairs_text(decoder, iter(pairs), count)}}})"
    texts = (f"({', '.join(pair_texts(decoder, key, value))})" for key, value in pairs)
    return f"{name}([{decoder.join_text(texts, count)}])"


@decodes_repr(NAMEDTUPLE_REPR, in_itself="(...)")
def named_tuple(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what a namedtuple's __repr__ does."""
    names = [
        decoder.string(n) for n in decoder.tuple_items(_class_attribute(decoder, obj, "_fields"))
    ]
    values = decoder.tuple_items(obj.address)
    count = decoder.signed_field(obj.address, "PyTupleObject", "ob_size")
    if len(names) != len(values):
        raise Undecodable(f"a namedtuple of {len(names)} fields and {count} values")
    texts = (
        f"{name}={decoder.repr_of_named(name, value)}"
        for name, value in zip(names, values, strict=True)
    )
    return f"{obj.type.name}({decoder.join_text(texts, count)})"


def _class_attribute(decoder: ReprDecoder, obj: Obj, name: str) -> int:
    value = decoder.types.lookup(obj.type, name)
    if value is None:
        raise Undecodable(f"its class has no {name}")
    return value[1]


@decodes_repr(("collections", "Counter.__repr__"), in_itself="...")
def counter(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Counter.__repr__ does: show the most common first."""
    count = decoder.field(obj.address, "PyDictObject", "ma_used")
    if not count:
        return f"{obj.type.name}()"
    pairs = decoder.objects.dict_items(obj.address)
    if count > MAX_COUNTED:
        decoder.mark_inexact()  # shown in the order of insertion
    else:
        pairs = iter(_sorted_by_count(decoder, list(pairs)))
    return f"{obj.type.name}({{{pairs_text(decoder, pairs, count)}}})"


def _sorted_by_count(decoder: ReprDecoder, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    counts = {value: _count_value(decoder, value) for _, value in pairs}
    if None in counts.values():
        decoder.mark_inexact()
        return pairs
    return sorted(pairs, key=lambda pair: -(counts[pair[1]] or 0))


def _count_value(decoder: ReprDecoder, address: int) -> int | None:
    if decoder.ident(address) not in ("int", "bool"):
        return None
    return read_int(decoder, address)


@decodes_repr(("collections", "ChainMap.__repr__"), in_itself="...")
def chain_map(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what ChainMap.__repr__ does."""
    maps = decoder.attribute_text(obj.address, "maps")
    if not (maps.startswith("[") and maps.endswith("]")):
        raise Undecodable("its maps are no list")
    return f"{decoder.class_name(obj)}({maps[1:-1]})"


@decodes_repr(
    ("collections", "UserDict.__repr__"),
    ("collections", "UserList.__repr__"),
    ("collections", "UserString.__repr__"),
)
def user_dict_list_or_string(decoder: ReprDecoder, obj: Obj) -> str:
    """Show the wrapped object, as all three classes do."""
    with decoder.entering_container(obj.address) as is_first:
        if not is_first:
            raise Undecodable("it holds itself: repr() would not end")
        return decoder.attribute_text(obj.address, "data")
