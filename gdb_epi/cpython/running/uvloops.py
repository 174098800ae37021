# SPDX-License-Identifier: Apache-2.0
"""What an event loop of uvloop watches: the handles of its libuv loop.

A Loop has a pointer to its uv_loop_t, whose `data` points back (uvloop/loop.pyx); from there the
handles are a list. Members and their places are the ABI of libuv 1.x on 64-bit Linux (include/uv.h,
include/uv/unix.h), the same in all versions that uvloop 0.12 to 0.22 were built with.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import UnreadableMemory
from gdb_epi.typing_lite import NamedTuple

LOOP_WORDS = 128  # of a Loop, in which the pointer is looked for
MAX_HANDLES = 100_000
# uv_loop_t
_QUEUE, _REQUESTS, _BACKEND = 16, 32, 64
# uv_handle_t, uv_stream_t, uv_poll_t
_OF_LOOP, _TYPE, _NODE, _FLAGS = 8, 16, 32, 88
_STREAM_FD, _CONNECTION, _POLL_FD = 136 + 48, 224, 104 + 48
_CLOSING, _ACTIVE, _INTERNAL = 1 | 2, 4, 16
# enum uv_handle_type
_POLL, _TIMER = 8, 13
_STREAMS = frozenset((7, 12, 14))  # pipes, TCP, terminals
_WATCHING = _STREAMS | {_POLL, 3, 4, 10, 11, 15}  # changes of files, processes, UDP


class UvLoop(NamedTuple):
    """What a libuv loop watches: the handles that are active and the program's."""

    backend: int  # the descriptor of its epoll
    watched: tuple[int | None, ...]  # descriptors, None where a handle is of no one
    requests: int  # to its threads, for names or files
    timers: int
    listening: bool


def read_uv_loop(reader: MemoryReader, loop: int) -> UvLoop | None:
    """Return what a Loop of uvloop watches; None where no uv_loop_t is there."""
    for place in range(LOOP_WORDS):
        try:
            address = reader.u64(loop + 8 * place)
            if address and not address & 7 and reader.u64(address) == loop:
                return _read_loop(reader, address)
        except UnreadableMemory:
            continue
    return None


def _read_loop(reader: MemoryReader, address: int) -> UvLoop:
    watched: list[int | None] = []
    timers, listening = 0, False
    for handle, kind in _active_handles(reader, address):
        timers += kind == _TIMER
        if kind in _WATCHING:
            at = _POLL_FD if kind == _POLL else _STREAM_FD if kind in _STREAMS else None
            watched.append(reader.u32(handle + at) if at is not None else None)
            listening |= kind in _STREAMS and bool(reader.u64(handle + _CONNECTION))
    backend = reader.u32(address + _BACKEND)
    return UvLoop(backend, tuple(watched), reader.u32(address + _REQUESTS), timers, listening)


def _active_handles(reader: MemoryReader, address: int) -> Iterator[tuple[int, int]]:
    """Yield (address, type) of the active handles that are the program's.

    Raises UnreadableMemory where the list does not lead back to the loop.
    """
    end = address + _QUEUE
    node = reader.u64(end)
    for _ in range(MAX_HANDLES):
        if node == end:
            return
        handle = node - _NODE
        if reader.u64(handle + _OF_LOOP) != address:
            raise UnreadableMemory(handle, 8, "no handle of this loop")
        flags = reader.u32(handle + _FLAGS)
        if flags & _ACTIVE and not flags & (_CLOSING | _INTERNAL):
            yield handle, reader.u32(handle + _TYPE)
        node = reader.u64(node)
    raise UnreadableMemory(node, 8, "more handles than a loop has")
