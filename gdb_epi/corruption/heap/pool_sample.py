# SPDX-License-Identifier: Apache-2.0
"""What lies in Python's small blocks, by a sample: objects that no variable leads to, too.

Of pieces and of pools that are evenly spaced each block in use that begins with an object counts
for all. Blocks of other things (keys of dicts, items of lists) have no type.
"""

from __future__ import annotations

from gdb_epi.corruption.heap.pymalloc_pools import (
    HEADER_SIZE,
    POOL_SIZES,
    heap_pieces,
    object_header_size,
    parse_pool,
    read_pool_shape,
)
from gdb_epi.cpython.heap.memory_use import KindOfObjects
from gdb_epi.cpython.heap.object_search import TYPE_SUBCLASS
from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.sizes import PAGE, WORD
from gdb_epi.target.api import Target, view_memory

MAX_PIECES = 48  # of a megabyte
POOLS_OF_PIECE = 4


def sample_small_blocks(target: Target, python: PythonState) -> tuple[int, list[KindOfObjects]]:
    """Return the bytes of small blocks in use, and the types of the objects in them; estimates.

    Nothing for free-threaded builds, which use mimalloc.
    """
    if python.layout.free_threaded:
        return 0, []
    type_at = python.layout.require("PyObject", "ob_type")
    values = PlainValues(target, python)
    heads: dict[int, int] = {}  # type -> bytes before its objects; -1: no type

    def head_of(kind: int) -> int:
        if kind not in heads:
            heads[kind] = -1
            try:
                info = values.context.types.at(kind)
                metatype = values.context.types.at(values.reader.type_of(kind))
                if metatype.flags & TYPE_SUBCLASS:
                    heads[kind] = object_header_size(info.flags)
            except (UnreadableMemory, LayoutError):
                pass
        return heads[kind]

    pieces = [(low, high) for _, low, high in heap_pieces(target)]
    chosen = pieces[:: len(pieces) // MAX_PIECES + 1]
    times = len(pieces) / len(chosen) if chosen else 0.0
    used = 0.0
    numbers: dict[int, float] = {}
    sizes: dict[int, float] = {}
    for low, high in chosen:
        try:
            memory = view_memory(target, low, (high - low) & -PAGE)
        except UnreadableMemory:
            continue
        places = [
            at
            for at in range(-low % PAGE, len(memory) - HEADER_SIZE, PAGE)
            if read_pool_shape(low + at, memory, at) is not None
        ]
        some = places[:: len(places) // POOLS_OF_PIECE + 1]
        for place in some:
            pool = parse_pool(low + place, bytes(memory[place : place + POOL_SIZES[0]]))
            if pool is None:
                continue
            weight = times * len(places) / len(some)
            used += weight * pool.used * pool.block
            words = memory[place : place + pool.size].cast("Q")
            for offset in pool.blocks():
                for head in (0, 16, 32):
                    at = (offset + head + type_at) // WORD
                    if head + type_at < pool.block and head_of(words[at]) == head:
                        kind = words[at]
                        numbers[kind] = numbers.get(kind, 0.0) + weight
                        sizes[kind] = sizes.get(kind, 0.0) + weight * pool.block
                        break
    kinds = [
        KindOfObjects(values.context.types.at(kind).shown, round(numbers[kind]), round(total))
        for kind, total in sorted(sizes.items(), key=lambda pair: -pair[1])
    ]
    return round(used), kinds
