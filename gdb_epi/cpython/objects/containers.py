# SPDX-License-Identifier: Apache-2.0
"""The items of tuples, lists, sets, deques and dicts, as pointers; lengths checked, in pieces.

Reference: Include/cpython/{tuple,list,set}object.h, Modules/_collectionsmodule.c, 3.8 to 3.15.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import WORD, WORD_MASK, split_into_words

MAX_ITEMS = 1 << 22
SLOTS_AT_ONCE = 1024
_BLOCK_ITEMS = 64  # BLOCKLEN, Modules/_collectionsmodule.c
_DUMMY = WORD_MASK  # the hash of a removed member of a set: -1, which no object has


def set_keys(reader: MemoryReader, table: int, mask: int, width: int) -> Iterator[int]:
    """Yield the members in the table of a set, whose entries have `width` bytes."""
    for first in range(0, mask + 1, SLOTS_AT_ONCE):
        number = min(SLOTS_AT_ONCE, mask + 1 - first)
        words = split_into_words(reader.read(table + first * width, number * width))
        step = width // WORD
        for key, key_hash in zip(words[::step], words[1::step], strict=True):
            if key and key_hash != _DUMMY:
                yield key


class ContainerReader:
    """Containers of one process. Every method raises UnreadableMemory for damage."""

    def __init__(self, reader: MemoryReader) -> None:
        self._reader = reader
        self._require = reader.layout.require

    def length(self, address: int, struct: str) -> int:
        """Return ob_size of a tuple, list or deque (`struct` names its C struct)."""
        size = self._reader.signed_field(address, struct, "ob_size")
        if not 0 <= size <= MAX_ITEMS:
            raise UnreadableMemory(address, 8, f"a {struct} of {size} items")
        return size

    def tuple_items(self, address: int) -> list[int]:
        """Return the items of a tuple."""
        count = self.length(address, "PyTupleObject")
        return self._read_words(address + self._require("PyTupleObject", "ob_item"), count)

    def list_items(self, address: int) -> list[int]:
        """Return the items of a list."""
        count = self.length(address, "PyListObject")
        first_item = self._reader.field(address, "PyListObject", "ob_item")
        return self._read_words(first_item, count) if count else []

    def set_items(self, address: int) -> Iterator[int]:
        """Yield the members of a set or frozenset."""
        mask = self._reader.field(address, "PySetObject", "mask")
        table = self._reader.field(address, "PySetObject", "table")
        if mask >= MAX_ITEMS or mask & (mask + 1):
            raise UnreadableMemory(address, 8, f"a set with the mask {mask:#x}")
        width = self._reader.layout.size("setentry") or 16
        yield from set_keys(self._reader, table, mask, width)

    def deque_items(self, address: int) -> Iterator[int]:
        """Yield the items of a deque, the left one first."""
        count = self.length(address, "dequeobject")
        block = self._reader.field(address, "dequeobject", "leftblock")
        index = self._reader.signed_field(address, "dequeobject", "leftindex")
        data_at = self._require("dequeblock", "data")
        next_at = self._require("dequeblock", "rightlink")
        if not 0 <= index <= _BLOCK_ITEMS:
            raise UnreadableMemory(address, 8, f"a deque that begins at {index}")
        while count > 0:
            number = min(count, _BLOCK_ITEMS - index)
            yield from self._read_words(block + data_at + 8 * index, number)
            count, index = count - number, 0
            if count:
                block = self._reader.u64(block + next_at)

    def word_behind_list(self, address: int) -> int:
        """Return the word behind the last item of a list: what pop() took, if it was the last."""
        items = self._reader.field(address, "PyListObject", "ob_item")
        return self._reader.u64(items + 8 * self.length(address, "PyListObject"))

    def word_beside_deque(self, address: int, *, left: bool) -> int:
        """Return the word beside a deque's first or last item; 0 where that is not known."""
        end, step = ("left", -1) if left else ("right", 1)
        block = self._reader.field(address, "dequeobject", f"{end}block")
        index = self._reader.i64(address + self._require("dequeobject", f"{end}index")) + step
        if not self.length(address, "dequeobject") or not 0 <= index < _BLOCK_ITEMS:
            return 0  # an empty one begins again in the middle of its block
        return self._reader.u64(block + self._require("dequeblock", "data") + 8 * index)

    def closure_values(self, function: int, most: int) -> list[int]:
        """Return the contents of the first cells of a function's closure; 0 for an empty one."""
        closure = self._reader.field(function, "PyFunctionObject", "func_closure")
        at = self._require("PyCellObject", "ob_ref")
        cells = self.tuple_items(closure)[:most] if closure else ()
        return [self._reader.u64(cell + at) for cell in cells]

    def _read_words(self, start: int, count: int) -> list[int]:
        return split_into_words(self._reader.read(start, 8 * count)) if count else []
