# SPDX-License-Identifier: Apache-2.0
"""Where containers keep what they hold when that is not behind their own header."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gdb_epi.cpython.access import Access
from gdb_epi.lean import NamedTuple

MAX_DICT = 1 << 20
MAX_BLOCKS = 1 << 16


class Storage(NamedTuple):
    """A range of memory that belongs to a container but lies elsewhere."""

    start: int
    end: int
    owner: int
    ident: str


def _dict(access: Access, holder: int) -> Iterator[Storage]:
    layout = access.reader.layout
    keys = access.reader.u64(holder + layout.require("PyDictObject", "ma_keys"))
    start, count, width, _ = access.objects.entries(keys)
    yield Storage(start, start + min(count, MAX_DICT) * width, holder, "dict")
    values = access.reader.u64(holder + layout.require("PyDictObject", "ma_values"))
    if values:
        values += layout.offset("PyDictValues", "values") or 0
        yield Storage(values, values + 8 * count, holder, "dict")


def _list(access: Access, holder: int) -> Iterator[Storage]:
    layout = access.reader.layout
    start = access.reader.u64(holder + layout.require("PyListObject", "ob_item"))
    count = access.reader.i64(holder + layout.require("PyListObject", "ob_size"))
    if start and 0 < count < 1 << 40:
        yield Storage(start, start + 8 * count, holder, "list")


def _set(access: Access, holder: int) -> Iterator[Storage]:
    layout = access.reader.layout
    start = access.reader.u64(holder + layout.require("PySetObject", "table"))
    mask = access.reader.u64(holder + layout.require("PySetObject", "mask"))
    if mask < 1 << 36:
        size = layout.size("setentry") or 16
        yield Storage(start, start + size * (mask + 1), holder, "set")


def _deque(access: Access, holder: int) -> Iterator[Storage]:
    layout = access.reader.layout
    block = access.reader.u64(holder + layout.require("dequeobject", "leftblock"))
    last = access.reader.u64(holder + layout.require("dequeobject", "rightblock"))
    link = layout.require("dequeblock", "rightlink")
    seen: set[int] = set()
    while block and block not in seen and len(seen) < MAX_BLOCKS:
        seen.add(block)
        yield Storage(block, block + (layout.size("dequeblock") or 528), holder, "deque")
        if block == last:
            return  # its rightlink is never set
        block = access.reader.u64(block + link)


# By the name of the built-in type; each raises what reading raises.
STORAGES: dict[str, Callable[[Access, int], Iterator[Storage]]] = {
    "dict": _dict,
    "list": _list,
    "set": _set,
    "frozenset": _set,
    "collections.deque": _deque,
}
