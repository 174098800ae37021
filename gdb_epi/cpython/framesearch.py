# SPDX-License-Identifier: Apache-2.0
"""Frame objects (CPython 3.8 to 3.10) that no link leads to, by the C stack of their thread.

Before 3.11 every Python call is a C call of the eval loop, which holds the frame object, and
frames have no stack of their own: where one frame is lost, so are the links to all the older ones.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Iterator

from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import NATIVE, InterpreterState, ThreadState
from gdb_epi.errors import SoftError, UnreadableMemory
from gdb_epi.target.search import WordSearch

MAX_STACK = 8 << 20  # bytes of one C stack that are read; the usual limit of its size
MAX_WORDS = 200_000  # different words of it that are looked at


def frames_on_stack(reader: Reader, tstate: int, type_at: int) -> list[int]:
    """Return the running frame objects that a thread's C stack points to, innermost first.

    `type_at` is PyFrame_Type. A frame object counts when its type is that and it says that it is
    being run: f_executing, in 3.10 f_state (bpo-42246). The eval loop that runs a frame is the
    outermost place of the stack to hold it. Empty without registers, or with other layouts.
    """
    executing = executing_at(reader)
    if executing is None or not type_at:
        return []
    at, wanted = executing
    words = _words(reader, tstate)
    last: dict[int, int] = {word: place for place, word in enumerate(words) if not word & 7}
    found = []
    for word in list(last)[:MAX_WORDS]:
        region = reader.target.region_at(word)
        if region is None or "w" not in region.perms:
            continue
        try:
            if reader.u8(word + at) == wanted and reader.type_of(word) == type_at:
                found.append(word)
        except UnreadableMemory:
            continue
    return sorted(found, key=last.__getitem__)


def without_shared(interpreters: list[InterpreterState]) -> list[InterpreterState]:
    """Take the frames that a C stack gave to several thread states of one thread from these.

    The links of one of them may tell whose they are; where no link does, nobody's they are.
    """
    threads = [thread for one in interpreters for thread in one.threads]
    count = Counter(frame.address for thread in threads for frame in thread.frames)

    def own(thread: ThreadState) -> ThreadState:
        kept = [f for f in thread.frames if f.provenance != NATIVE or count[f.address] == 1]
        if len(kept) == len(thread.frames):
            return thread
        why = (
            "of several interpreters on this thread: whose the frames of its C stack are is unknown"
        )
        error = SoftError("frames", f"tstate {thread.address:#x}", why)
        return thread._replace(frames=tuple(kept), soft_errors=(*thread.soft_errors, error))

    return [one._replace(threads=tuple(map(own, one.threads))) for one in interpreters]


def frame_type(reader: Reader, frames: Iterable[int]) -> int:
    """Return PyFrame_Type: by its symbol, else the type of a frame object that is known."""
    symbol = reader.target.symbol("PyFrame_Type")
    if symbol:
        return symbol
    for address in frames:
        try:
            return reader.type_of(address)
        except UnreadableMemory:
            continue
    return 0


def frame_objects(reader: Reader, type_at: int) -> Iterator[int]:
    """Yield the living objects of a type (PyFrame_Type) in writable memory."""
    kind_at = reader.layout.require("PyObject", "ob_type")
    count_at = reader.layout.require("PyObject", "ob_refcnt")
    for at in WordSearch(reader.target, type_at).addresses():
        try:
            if reader.i64(at - kind_at + count_at) > 0:
                yield at - kind_at
        except UnreadableMemory:
            continue


def executing_at(reader: Reader) -> tuple[int, int] | None:
    """Return (offset, value) of the byte that says that a frame object runs; None from 3.11."""
    layout = reader.layout
    if layout.offset("_PyInterpreterFrame", "previous") is not None:
        return None
    at = layout.offset("PyFrameObject", "f_state")  # 3.10 (bpo-42246)
    if at is not None:
        return at, layout.constant("FRAME_EXECUTING") or 0
    at = layout.offset("PyFrameObject", "f_executing")
    return None if at is None else (at, 1)


def _words(reader: Reader, tstate: int) -> tuple[int, ...]:
    """Return the C stack of the thread of a PyThreadState, from its stack pointer on."""
    try:
        ident = reader.u64(tstate + reader.layout.require("PyThreadState", "thread_id"))
    except UnreadableMemory:
        return ()
    for thread in reader.target.threads():
        if thread.registers.get("fs_base") == ident and ident:
            low = thread.registers.get("rsp", 0) & -8
            region = reader.target.region_at(low)
            if region is None:
                return ()
            count = min(region.end - low, MAX_STACK) // 8
            return _unpacked(reader, low, count)
    return ()


def _unpacked(reader: Reader, low: int, count: int) -> tuple[int, ...]:
    """Return the words of a range, as 0 where they are lost."""
    words: list[int] = []
    for at in range(low, low + 8 * count, 4096):
        size = min(4096, low + 8 * count - at)
        try:
            words += struct.unpack(f"<{size // 8}Q", reader.read(at, size))
        except UnreadableMemory:
            words += [0] * (size // 8)
    return tuple(words)
