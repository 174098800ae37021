# SPDX-License-Identifier: Apache-2.0
"""What is known about each Python thread beside its stack: daemon, main, what it does with the GIL.

Two sources: the Thread objects of `threading`, and the thread states. A thread that was started
by C code has no Thread object until it asks for one.
"""

from __future__ import annotations

from itertools import islice

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.paged_reader import PagedReader
from gdb_epi.cpython.runtime.eval_breaker import read_thread_requests
from gdb_epi.cpython.runtime.gil import read_gil
from gdb_epi.cpython.runtime.recover_modules import remember_frame_globals
from gdb_epi.cpython.runtime.thread_names import find_threading_globals, read_active_threads
from gdb_epi.cpython.types import InterpreterState, PythonState, ThreadState
from gdb_epi.errors import Absent, LayoutError, SoftError, UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

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


class ThreadFacts(NamedTuple):
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
) -> tuple[dict[int, ThreadFacts], list[SoftError]]:
    """Return the facts of every thread state, by its address, and what could not be had."""
    reader = PagedReader(target, python.layout)
    objects = NamespaceReader(reader)
    remember_frame_globals(reader, objects, python)
    facts: dict[int, ThreadFacts] = {}
    errors: list[SoftError] = []
    main_at = reader.layout.offset("_PyRuntimeState", "main_thread")
    try:
        main = reader.u64(python.runtime + main_at) if main_at is not None else 0
    except UnreadableMemory:
        main = 0
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
            words = _words(reader, thread.address)
            facts[thread.address] = ThreadFacts(
                thread, thread_objects.get(thread.ident), is_main, doing, *words
            )
    return facts, errors


def _words(
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
            thread_objects[ident] = _thread_object(reader, objects, thread, thread == main)
    except (UnreadableMemory, LayoutError) as error:
        errors.append(SoftError("threads", f"interpreter {interpreter.id}", str(error)))
    return thread_objects


def _thread_object(
    reader: MemoryReader, objects: NamespaceReader, address: int, main: bool
) -> ThreadObject:
    kind = reader.type_name(reader.type_of(address))
    daemon_at = objects.attribute(address, "_daemonic")
    daemon = None
    if not isinstance(daemon_at, Absent):
        value = objects.integer(daemon_at)  # True and False are ints
        daemon = None if isinstance(value, Absent) else bool(value)
    return ThreadObject(address, "" if isinstance(kind, Absent) else kind, daemon, main)
