# SPDX-License-Identifier: Apache-2.0
"""What asks a thread to stop running byte code for a moment: the eval breaker and pending calls.

Up to 3.12 one word per runtime (3.8) or interpreter says "something is to be done" and separate
words say what; 3.13 (gh-108851) has a word of bits in each thread state.
"""

from __future__ import annotations

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import UNPARSABLE, Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import WORD
from gdb_epi.typing_lite import NamedTuple

MAX_CALLS = 300  # PENDINGCALLSARRAYSIZE, the most of any version

# Include/internal/pycore_ceval.h, the same in 3.13 to 3.15 (the last one since 3.14).
BITS = (
    (1 << 0, "GIL drop request"),
    (1 << 1, "signals pending"),
    (1 << 2, "pending calls"),
    (1 << 3, "asynchronous exception"),
    (1 << 4, "GC scheduled"),
    (1 << 5, "stop for stop-the-world"),
    (1 << 6, "merge reference counts"),
    (1 << 7, "JIT: drop cold code"),
)
# Words up to 3.12, by the words of the bits. A layout lacks those that came later or lie elsewhere.
_WORDS = (
    ("GIL drop request", "gil_drop_request"),
    ("signals pending", "signals_pending"),
    ("pending calls", "pending.calls_to_do"),
    ("asynchronous exception", "pending.async_exc"),
    ("GC scheduled", "gc_scheduled"),  # 3.12 (gh-97922)
)


class PendingCall(NamedTuple):
    """One function that Py_AddPendingCall() left for the eval loop. Addresses as in the process."""

    function: int
    argument: int


class PendingCalls(NamedTuple):
    """A queue of pending calls. `of` says whose: "interpreter" or "main thread"."""

    of: str
    calls: tuple[PendingCall, ...]


def read_thread_requests(reader: MemoryReader, tstate: int) -> tuple[str, ...] | None:
    """Return what a thread state was asked to do; None when this version does not keep it there.

    Raises UnreadableMemory.
    """
    at = reader.layout.offset("PyThreadState", "eval_breaker")
    if at is None:
        return None
    word = reader.u64(tstate + at)
    return tuple(name for bit, name in BITS if word & bit)


def read_interpreter_requests(
    reader: MemoryReader, runtime: int, interpreter: int
) -> tuple[str, ...] | None:
    """Return what all threads of an interpreter were asked to do, up to 3.12; None since.

    Raises UnreadableMemory.
    """
    layout = reader.layout
    if layout.offset("PyThreadState", "eval_breaker") is not None:
        return None
    requests = []
    is_kept = False
    for base, struct in ((interpreter, "PyInterpreterState"), (runtime, "_PyRuntimeState")):
        for name, member in _WORDS:
            at = layout.offset(struct, f"ceval.{member}")
            if at is not None:
                is_kept = True
                if reader.u32(base + at) and name not in requests:
                    requests.append(name)
    return tuple(requests) if is_kept else None


def read_pending_calls(
    reader: MemoryReader, runtime: int, interpreter: int, *, main: bool
) -> list[PendingCalls | Absent]:
    """Return the queues of pending calls of an interpreter, the empty ones too.

    The main interpreter has one more for the main thread alone (3.12, gh-104812); up to 3.8 there
    is one for the whole process.
    """
    layout = reader.layout
    queues: list[PendingCalls | Absent] = []
    at = layout.offset("PyInterpreterState", "ceval.pending")
    if at is not None:
        queues.append(_queue(reader, interpreter + at, "interpreter"))
    if not main:
        return queues
    for member, whose in (
        ("ceval.pending", "process"),
        ("ceval.pending_mainthread", "main thread"),
    ):
        at = layout.offset("_PyRuntimeState", member)
        if at is not None:
            queues.append(_queue(reader, runtime + at, whose))
    return queues


def _queue(reader: MemoryReader, address: int, whose: str) -> PendingCalls | Absent:
    try:
        return PendingCalls(whose, tuple(_calls(reader, address)))
    except (UnreadableMemory, LayoutError) as error:
        return Absent(UNPARSABLE, f"pending calls of the {whose}: {error}")


def _calls(reader: MemoryReader, address: int) -> list[PendingCall]:
    """Read a ring of {func, arg}; since 3.13 (gh-110490) of {func, arg, flags} with a count."""
    layout, struct = reader.layout, "_pending_calls"
    array = layout.find(struct, "calls")
    if array is None:
        raise LayoutError(f"no {struct}.calls in {layout.source}")
    first = reader.u32(address + layout.require(struct, "first"))
    end = reader.u32(address + layout.require(struct, "next", "last"))
    counter = layout.offset(struct, "npending")
    # The entries are an anonymous struct up to 3.12, which no table names: two words, or three.
    width = (2 if counter is None else 3) * WORD
    room = array.size // width
    if first >= room or end >= room or not 0 < room <= MAX_CALLS:
        raise UnreadableMemory(address, 8, f"a ring of {room} with places {first} and {end}")
    count = (end - first) % room if counter is None else reader.u32(address + counter)
    if count > room:
        raise UnreadableMemory(address, 8, f"{count} pending calls of at most {room}")
    start = address + array.offset
    return [
        PendingCall(reader.u64(place), reader.u64(place + WORD))
        for place in (start + (first + n) % room * width for n in range(count))
    ]
