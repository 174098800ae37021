# SPDX-License-Identifier: Apache-2.0
"""Who is inside `with lock:`? The block keeps the lock's bound `__exit__` on its value stack.

CPython up to 3.13 (Python/ceval.c, SETUP_WITH and BEFORE_WITH) pushes the bound method before it
calls `__enter__`, so a frame that waits at the entry of its block has one as well: that one holds
nothing. An explicit acquire() leaves no trace.
"""

from __future__ import annotations

from bisect import bisect_right

from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.lean import TYPE_CHECKING, NamedTuple
from gdb_epi.search import find_word

if TYPE_CHECKING:
    from gdb_epi.cpython.reader import Reader

METHOD_DEF_AT, METHOD_SELF_AT = 16, 24  # PyCFunctionObject.m_ml, m_self (Include/methodobject.h)
MAX_REFCOUNT = 1 << 20  # a freed object has a free list's pointer there
MAX_METHODS = 16
FRAME_REACH = 4096  # bytes of one frame's locals and value stack that are looked at
MAX_LOCALS = 1 << 10
MAX_FRAMES = 10_000  # of one thread


class Holder(NamedTuple):
    """A living frame inside a `with` block of the lock: its thread and function."""

    tid: int
    function: str


class Holders(NamedTuple):
    """`living` frames inside a block, and bound `__exit__` that no living frame refers to."""

    living: tuple[Holder, ...]
    elsewhere: tuple[int, ...]


class _Place(NamedTuple):
    """A living frame's memory; `innermost` of its thread."""

    start: int
    end: int
    tid: int
    function: str
    innermost: bool


def find_holders(reader: Reader, python: PythonState, lock: int, waiter: int) -> Holders:
    """Return who is inside a `with` block of a lock, as far as bound methods show it.

    The one that the waiting thread's innermost frame keeps for the block it is about to enter is
    left out.
    """
    frames = _frame_places(reader, python)
    living: list[Holder] = []
    elsewhere: list[int] = []
    entries = 0
    for method in _exit_methods(reader, lock):
        places = find_word(reader.target, method, limit=MAX_METHODS).addresses
        frame = next((f for at in places if (f := _frame_at(frames, at)) is not None), None)
        if frame is None:
            elsewhere.append(method)
            continue
        if frame.innermost and frame.tid == waiter and not entries:
            entries += 1
            continue
        living.append(Holder(frame.tid, frame.function))
    return Holders(tuple(living), tuple(elsewhere))


def _exit_methods(reader: Reader, lock: int) -> list[int]:
    """Return the living bound `__exit__` methods of a lock."""
    found = []
    for hit in find_word(reader.target, lock, limit=4 * MAX_METHODS).addresses:
        method = hit - METHOD_SELF_AT
        try:
            if not 0 < reader.u64(method) < MAX_REFCOUNT:
                continue
            if reader.type_name(reader.type_of(method)) != "builtin_function_or_method":
                continue
            name = reader.c_string(reader.u64(reader.u64(method + METHOD_DEF_AT)), 32)
        except (UnreadableMemory, LayoutError):
            continue
        if not isinstance(name, Absent) and name == "__exit__":
            found.append(method)
    return found[:MAX_METHODS]


def _frame_places(reader: Reader, python: PythonState) -> list[_Place]:
    places: list[_Place] = []
    for thread in python.threads():
        if not thread.alive or thread.tid is None:
            continue
        real = [frame for frame in thread.frames if frame.address]
        starts = sorted({frame.address for frame in real})
        for position, frame in enumerate(real[:MAX_FRAMES]):
            above = bisect_right(starts, frame.address)
            end = min([frame.address + _size(reader, frame), *starts[above : above + 1]])
            name = frame.qualname or frame.name
            places.append(_Place(frame.address, end, thread.tid, name, position == 0))
    return sorted(places)


def _frame_at(frames: list[_Place], address: int) -> _Place | None:
    """Return the frame whose memory holds an address: the one that starts nearest below it."""
    index = bisect_right(frames, address, key=lambda place: place.start) - 1
    found = frames[index] if index >= 0 else None
    return found if found is not None and address < found.end else None


def _size(reader: Reader, frame: PyFrame) -> int:
    """Return the size of a frame: exact up to 3.10, where it says it; else a window."""
    at = reader.layout.offset("PyFrameObject", "f_localsplus")
    if at is None or reader.layout.offset("_PyInterpreterFrame", "previous") is not None:
        return FRAME_REACH
    try:
        return at + 8 * min(max(reader.i64(frame.address + 16), 0), MAX_LOCALS)
    except UnreadableMemory:
        return 0
