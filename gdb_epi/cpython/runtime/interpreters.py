# SPDX-License-Identifier: Apache-2.0
"""Every interpreter of a process: its GIL, collector, finalization, pending calls, modules."""

from __future__ import annotations

from itertools import islice

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.runtime.gc import GcState, read_gc_state
from gdb_epi.cpython.runtime.gil import Gil, read_gil
from gdb_epi.cpython.runtime.recover_modules import (
    find_threading_globals,
    read_active_threads,
    remember_frame_globals,
)
from gdb_epi.cpython.types import InterpreterState, PythonState, ThreadState
from gdb_epi.errors import (
    NOT_AVAILABLE,
    UNPARSABLE,
    UNREADABLE,
    Absent,
    LayoutError,
    SoftError,
    UnreadableMemory,
)
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

# What asks a thread to stop running byte code for a moment: the eval breaker and pending calls.
#
# Up to 3.12 one word per runtime (3.8) or interpreter says "something is to be done" and separate
# words say what; 3.13 (gh-108851) has a word of bits in each thread state.


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
        queues.append(_read_pending_call_queue(reader, interpreter + at, "interpreter"))
    if not main:
        return queues
    for member, whose in (
        ("ceval.pending", "process"),
        ("ceval.pending_mainthread", "main thread"),
    ):
        at = layout.offset("_PyRuntimeState", member)
        if at is not None:
            queues.append(_read_pending_call_queue(reader, runtime + at, whose))
    return queues


def _read_pending_call_queue(
    reader: MemoryReader, address: int, whose: str
) -> PendingCalls | Absent:
    try:
        return PendingCalls(whose, tuple(_read_pending_calls(reader, address)))
    except (UnreadableMemory, LayoutError) as error:
        return Absent(UNPARSABLE, f"pending calls of the {whose}: {error}")


def _read_pending_calls(reader: MemoryReader, address: int) -> list[PendingCall]:
    """Read a ring of {func, arg}; since 3.13 (gh-110490) of {func, arg, flags} with a count."""
    layout, struct = reader.layout, "_pending_calls"
    array = layout.find_field(struct, "calls")
    if array is None:
        raise LayoutError(f"no {struct}.calls in {layout.source}")
    first = reader.field32(address, struct, "first")
    end = reader.field32(address, struct, "next", "last")
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


if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

MAX_MODULES = 100_000


class StopTheWorld(NamedTuple):
    """A request that all threads of an interpreter stop (3.13+). `requester`: PyThreadState *."""

    requested: bool
    stopped: bool
    requester: int


class InterpreterDetails(NamedTuple):
    """One interpreter. What could not be had is an Absent with the reason.

    `own_gil`: a GIL of its own (3.12+); the main interpreter counts as having one. `finalizing` is
    the PyThreadState * that tears the interpreter down, 0 when nobody does. `modules` counts
    sys.modules. `requests` are those of all its threads, None where threads have their own
    (3.13+).
    """

    state: InterpreterState
    own_gil: bool
    gil: Gil | Absent | None
    gc: GcState | Absent
    finalizing: int | Absent
    modules: int | Absent
    requests: tuple[str, ...] | Absent | None
    pending: tuple[PendingCalls | Absent, ...]
    stop_the_world: StopTheWorld | Absent | None


class RuntimeDetails(NamedTuple):
    """The whole runtime. `finalizing`: the PyThreadState * that ends the process, 0 when none does.

    `main_ident` is the pthread_t of the main thread.
    """

    finalizing: int | Absent
    main_ident: int | Absent
    interpreters: tuple[InterpreterDetails, ...]
    soft_errors: tuple[SoftError, ...]

    def thread_state_at(self, tstate: int) -> ThreadState | None:
        """Return the thread state at an address, of whatever interpreter it is."""
        every = (
            thread for interpreter in self.interpreters for thread in interpreter.state.threads
        )
        return next((thread for thread in every if thread.address == tstate), None)


def read_runtime(target: Target, python: PythonState) -> RuntimeDetails:
    """Return what every interpreter was doing. Never raises for damage."""
    reader = MemoryReader(target, python.layout)
    decoder = _InterpreterDecoder(reader, python.runtime)
    interpreters = tuple(decoder.decode_interpreter(state) for state in python.interpreters)
    errors = [
        SoftError("interpreters", f"interpreter {interpreter.state.id}", part.detail)
        for interpreter in interpreters
        for part in (*interpreter, *interpreter.pending)
        if isinstance(part, Absent) and part.reason != NOT_AVAILABLE
    ]
    return RuntimeDetails(
        decoder.finalizing_thread(), decoder.main_ident(), interpreters, tuple(errors)
    )


def _result_or_absent(function: Callable[[], T]) -> T | Absent:
    """Return what a reader returns, or why it cannot."""
    try:
        return function()
    except (UnreadableMemory, LayoutError) as error:
        return Absent(UNREADABLE, str(error))


class _InterpreterDecoder:
    def __init__(self, reader: MemoryReader, runtime: int) -> None:
        self._reader, self._layout, self._runtime = reader, reader.layout, runtime
        self._objects = NamespaceReader(reader)

    def finalizing_thread(self) -> int | Absent:
        """Return who finalizes the runtime."""
        # 3.9 (bpo-36854) renamed `finalizing` to `_finalizing`.
        at = self._layout.offset("_PyRuntimeState", "_finalizing", "finalizing")
        return self._word_or_absent(self._runtime, at)

    def main_ident(self) -> int | Absent:
        """Return the pthread_t of the main thread."""
        return self._word_or_absent(
            self._runtime, self._layout.offset("_PyRuntimeState", "main_thread")
        )

    def decode_interpreter(self, state: InterpreterState) -> InterpreterDetails:
        """Return one interpreter."""
        at, reader, runtime = state.address, self._reader, self._runtime
        return InterpreterDetails(
            state=state,
            own_gil=self._has_own_gil(state),
            gil=_result_or_absent(lambda: read_gil(reader, runtime, at)),
            gc=_result_or_absent(lambda: read_gc_state(reader, runtime, at)),
            # 3.12 (gh-104341): interpreters are finalized one by one.
            finalizing=self._word_or_absent(
                at, self._layout.offset("PyInterpreterState", "_finalizing")
            ),
            modules=self._module_count(at),
            requests=_result_or_absent(lambda: read_interpreter_requests(reader, runtime, at)),
            pending=tuple(read_pending_calls(reader, runtime, at, main=state.id == 0)),
            stop_the_world=_result_or_absent(lambda: self._stop_the_world(at)),
        )

    def _word_or_absent(self, base: int, at: int | None) -> int | Absent:
        if at is None:
            return Absent(NOT_AVAILABLE, "this version does not keep it")
        return _result_or_absent(lambda: self._reader.u64(base + at))

    def _has_own_gil(self, state: InterpreterState) -> bool:
        at = self._layout.offset("PyInterpreterState", "ceval.own_gil")
        try:
            return state.id == 0 or (at is not None and bool(self._reader.u32(state.address + at)))
        except UnreadableMemory:
            return state.id == 0

    def _module_count(self, interpreter: int) -> int | Absent:
        at = self._layout.offset("PyInterpreterState", "imports.modules", "modules")
        modules = self._word_or_absent(interpreter, at)
        if isinstance(modules, Absent):
            return modules
        if not modules:
            return 0  # torn down already, or not made yet
        used = self._layout.offset("PyDictObject", "ma_used")
        count = self._word_or_absent(modules, used)
        if not isinstance(count, Absent) and count > MAX_MODULES:
            return Absent(UNREADABLE, f"sys.modules has {count} entries, which is absurd")
        return count

    def _stop_the_world(self, interpreter: int) -> StopTheWorld | None:
        at = self._layout.offset("PyInterpreterState", "stoptheworld.requested")
        if at is None:
            return None
        base, name = interpreter, "PyInterpreterState"
        stopped = base + self._layout.require(name, "stoptheworld.world_stopped")
        requester = base + self._layout.require(name, "stoptheworld.requester")
        return StopTheWorld(
            bool(self._reader.u8(base + at)),
            bool(self._reader.u8(stopped)),
            self._reader.u64(requester),
        )


# What is known about each Python thread beside its stack: daemon, main, what it does with the
# GIL.
#
# Two sources: the Thread objects of `threading`, and the thread states. A thread that was started
# by C code has no Thread object until it asks for one.


MAX_THREADS = 100_000

# What 3.13+ (gh-111569) says about a thread state: may it run Python code right now?
_STATES = (
    ("_Py_THREAD_DETACHED", "detached"),
    ("_Py_THREAD_ATTACHED", "attached"),
    ("_Py_THREAD_SUSPENDED", "suspended"),
)


class ThreadObject(NamedTuple):
    """One entry of threading._active. `kind` is the class, such as "_DummyThread"."""

    address: int
    kind: str
    daemon: bool | None
    main: bool  # it is threading.main_thread()


class ThreadStateFacts(NamedTuple):
    """One thread state. None means: this version does not say, or it could not be read.

    `gil` is "" or one of gdb_epi.cpython.runtime.gil's WAITS and HANDED_OVER, by where the kernel
    had the thread asleep. `gil_requested`: the thread's own word that it wants the GIL (3.15+).
    `requests` is what the eval loop was asked to do (3.13+). `main`: the thread that began the
    process, by `_PyRuntime.main_thread`.
    """

    thread: ThreadState
    object: ThreadObject | None
    main: bool
    gil: str
    gil_requested: bool | None
    attached: str | None
    requests: tuple[str, ...] | None
    async_exc: bool | None  # an exception that PyThreadState_SetAsyncExc() left, not yet raised


def read_thread_facts(
    target: Target, python: PythonState
) -> tuple[dict[int, ThreadStateFacts], list[SoftError]]:
    """Return the facts of every thread state, by its address, and what could not be had."""
    reader = MemoryReader(target, python.layout)
    objects = NamespaceReader(reader)
    remember_frame_globals(reader, objects, python)
    facts: dict[int, ThreadStateFacts] = {}
    errors: list[SoftError] = []
    main = reader.word(python.runtime + reader.layout.require("_PyRuntimeState", "main_thread"))
    for interpreter in python.interpreters:
        thread_objects = _thread_objects(reader, objects, interpreter, errors)
        try:
            gil = read_gil(reader, python.runtime, interpreter.address)
        except (UnreadableMemory, LayoutError):
            gil = None
        waiting = gil.waiting if gil is not None else {}
        for thread in interpreter.threads:
            doing = waiting.get(thread.tid, "") if thread.tid is not None and thread.alive else ""
            is_main = interpreter.id == 0 and bool(thread.ident) and thread.ident == main
            words = _read_thread_state_flags(reader, thread.address)
            facts[thread.address] = ThreadStateFacts(
                thread, thread_objects.get(thread.ident), is_main, doing, *words
            )
    return facts, errors


def _read_thread_state_flags(
    reader: MemoryReader, tstate: int
) -> tuple[bool | None, str | None, tuple[str, ...] | None, bool | None]:
    layout = reader.layout
    requested_at = layout.offset("PyThreadState", "gil_requested")  # 3.15
    async_at = layout.offset("PyThreadState", "async_exc")
    state_at = layout.offset("PyThreadState", "state")
    try:
        state = None if state_at is None else reader.u32(tstate + state_at)
        states = [name for constant, name in _STATES if layout.constant(constant) == state]
        return (
            None if requested_at is None else bool(reader.u32(tstate + requested_at)),
            states[0] if states and state is not None else None,
            read_thread_requests(reader, tstate),
            None if async_at is None else bool(reader.u64(tstate + async_at)),
        )
    except UnreadableMemory:
        return None, None, None, None


def _thread_objects(
    reader: MemoryReader,
    objects: NamespaceReader,
    interpreter: InterpreterState,
    errors: list[SoftError],
) -> dict[int, ThreadObject]:
    """Return the Thread objects of an interpreter by ident; empty without `threading`."""
    thread_objects: dict[int, ThreadObject] = {}
    try:
        contents = find_threading_globals(reader, objects, interpreter.address)
        if isinstance(contents, Absent):
            return thread_objects
        main = objects.dict_get(contents, "_main_thread")
        for ident, thread in islice(read_active_threads(objects, contents), MAX_THREADS):
            thread_objects[ident] = _thread_object(reader, objects, thread, main=thread == main)
    except (UnreadableMemory, LayoutError) as error:
        errors.append(SoftError("threads", f"interpreter {interpreter.id}", str(error)))
    return thread_objects


def _thread_object(
    reader: MemoryReader, objects: NamespaceReader, address: int, *, main: bool
) -> ThreadObject:
    kind = reader.type_name(reader.type_of(address))
    daemon_at = objects.attribute(address, "_daemonic")
    daemon = None
    if not isinstance(daemon_at, Absent):
        value = objects.integer(daemon_at)  # True and False are ints
        daemon = None if isinstance(value, Absent) else bool(value)
    return ThreadObject(address, "" if isinstance(kind, Absent) else kind, daemon, main)
