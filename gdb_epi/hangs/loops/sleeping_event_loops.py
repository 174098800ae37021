# SPDX-License-Identifier: Apache-2.0
"""An asyncio event loop that sleeps: what can wake it.

The loop keeps its descriptors in `_selector._fd_to_key`, its timers in `_scheduled`, what is due in
`_ready` (Lib/asyncio/base_events.py, selector_events.py, 3.8 to 3.15). uvloop keeps them in libuv's
structures (cpython/running/uvloops.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.running.tasks import STATES
from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.cpython.running.uvloops import LOOP_WORDS, read_uv_loop
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.errors import Absent, EpiError, LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u64
from gdb_epi.hangs.descriptors import DescriptorTable
from gdb_epi.hangs.frame_references import METHODS
from gdb_epi.hangs.installed_packages import InstalledPackages
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import default_when_unreadable

# Functions of libraries that wait for clients, and modules whose every function does.
_SERVING = frozenset((
    "serve_forever", "serve_tcp", "serve_listeners", "accept", "sock_accept", "serve",
))  # fmt: skip
_SLEEPS = ("doPoll", "doSelect", "doIteration")  # of twisted's reactors
_PORTS = ("Port", "UnixPort", "UNIXPort")
_SERVERS = ("aiohttp.web", "uvicorn", "hypercorn")


HANDLE_WORDS = 16


class SleepingEventLoop(NamedTuple):
    """One sleeping event loop; a number that cannot be had is None.

    `descriptors` leaves out the loop's own pipe. `listening`: it serves clients. `datagrams`: all
    that it watches are sockets to which anybody may send one. `selector` is the class of its
    selector where that is not of the standard library: it may look at more than descriptors.
    """

    address: int
    descriptors: int | None
    timers: int | None
    ready: int | None
    listening: bool
    datagrams: bool = False
    selector: str = ""


class EventLoopReader:
    """Read the event loops of one process."""

    def __init__(
        self, view: PythonView, installed: InstalledPackages, descriptors: DescriptorTable
    ) -> None:
        self._view = view
        self._installed = installed
        self._of_objects = descriptors
        self._containers = ContainerReader(view.reader)

    def loop_of_frame(
        self, frame: PyFrame, tasks: Sequence[UnfinishedTask]
    ) -> SleepingEventLoop | None:
        """Return the loop that a frame of base_events runs."""
        return self._read_event_loop(self._view.variable(frame, "self") or 0, tasks)

    def loop_of_task(
        self, task: UnfinishedTask, tasks: Sequence[UnfinishedTask]
    ) -> SleepingEventLoop | None:
        """Return the loop that runs a task."""
        return self._read_event_loop(self._loop_address_of_task(task), tasks)

    def _read_event_loop(
        self, address: int, tasks: Sequence[UnfinishedTask]
    ) -> SleepingEventLoop | None:
        if not address:
            return None
        # What a loop calls when one of its descriptors can be read. That of who accepts clients is
        # known by its name: asyncio's servers have `_accept_connection`; tornado's loop calls what
        # is in its `handlers`.
        context = get_process_values(self._view.target, self._view.python).context
        called = []
        try:
            keys = context.attribute(context.attribute(address, "_selector"), "_fd_to_key")
            for _, key in self._view.objects.dict_items(keys):
                of_reader = self._items_of_tuple(self._items_of_tuple(key)[3])[0]
                if self._view.type_name(of_reader) == "Handle":  # None: only a writer
                    called.append(context.attribute(of_reader, "_callback"))
        except (EpiError, IndexError):
            pass
        names = (name for callback in called for name in self._names_called_by(callback))
        descriptors = self._count_watched_descriptors(address)
        return SleepingEventLoop(
            address,
            descriptors,
            self._read_length(address, "_scheduled", "PyListObject"),
            self._read_length(address, "_ready", "dequeobject"),
            any(waits_for_clients_in_library(task, self._installed) for task in tasks)
            or any("accept" in name for name in names),
            descriptors == sum(map(self._has_no_peer, called)),
            self._name_of_own_selector(address),
        )

    def _name_of_own_selector(self, loop: int) -> str:
        context = get_process_values(self._view.target, self._view.python).context
        try:
            info = context.types.type_at(
                self._view.reader.type_of(context.attribute(loop, "_selector"))
            )
        except EpiError:
            return ""
        return "" if info.module == "selectors" else info.full_name

    def reactor_of_frame(self, frame: PyFrame) -> SleepingEventLoop | None:
        """Return the reactor of twisted that sleeps in a frame (twisted 20 to 25, base.py)."""
        if not (frame.module or "").startswith("twisted.internet.") or frame.name not in _SLEEPS:
            return None
        view, reactor = self._view, self._view.variable(frame, "self") or 0
        selectables = view.attribute(reactor, "_selectables")
        internal = view.attribute(reactor, "_internalReaders")
        if selectables is None or internal is None:
            return None
        try:
            own = set(self._containers.set_items(internal))
            watched = [at for _, at in view.objects.dict_items(selectables) if at not in own]
        except (UnreadableMemory, LayoutError):
            return None
        lists = ("_pendingTimedCalls", "_newTimedCalls")
        timers = [self._read_length(reactor, name, "PyListObject") for name in lists]
        listening = any(view.type_name(at).rpartition(".")[2] in _PORTS for at in watched)
        count = sum(number or 0 for number in timers)
        return SleepingEventLoop(reactor, len(watched), count, 0, listening)

    def uvloop_of_thread(
        self, tasks: Sequence[UnfinishedTask], epoll: int | None
    ) -> SleepingEventLoop | None:
        """Return the loop of tasks that sleeps in an epoll; its own socket pair is left out."""
        for loop in dict.fromkeys(map(self._loop_address_of_task, tasks)):
            native = read_uv_loop(self._view.reader, loop) if loop else None
            if native is None or native.backend != epoll:
                continue
            own = self._descriptors_in(loop)
            watched = [number for number in native.watched if number is None or number not in own]
            listening = native.listening or any(
                waits_for_clients_in_library(t, self._installed) for t in tasks
            )
            count = len(watched) + native.requests
            return SleepingEventLoop(loop, count, native.timers, None, listening)
        return None

    def _loop_address_of_task(self, task: UnfinishedTask) -> int:
        at = self._view.reader.layout.offset("TaskObj", "task_loop")
        if at is None or task.framework != "asyncio":
            return 0
        try:
            return self._view.reader.u64(task.id + at)
        except UnreadableMemory:
            return 0

    def _descriptors_in(self, loop: int) -> set[int]:
        """Return the descriptors of the sockets that a Loop of uvloop has in its words."""
        words = (read_u64(self._view.target, loop + 8 * place) for place in range(LOOP_WORDS))
        numbers = (self._of_objects.descriptor_of_object(word) for word in words if word)
        return {number for number in numbers if number is not None}

    def signal_handlers(self, loop: int) -> dict[int, int]:
        """Return {signal: callback (PyObject *)} of what add_signal_handler() of a loop was given.

        Reference: Lib/asyncio/unix_events.py, `_signal_handlers`, 3.8 to 3.15.
        """
        handlers = dict[int, int]()
        context = get_process_values(self._view.target, self._view.python).context
        with suppress(EpiError):
            table = self._view.attribute(loop, "_signal_handlers")
            for key, handle in self._view.objects.dict_items(table) if table else ():
                number = self._view.objects.integer(key)
                if not isinstance(number, Absent):
                    handlers[int(number)] = context.attribute(handle, "_callback")
        return handlers or self._signal_handlers_of_uvloop(loop)

    def _signal_handlers_of_uvloop(self, loop: int) -> dict[int, int]:
        """Return the same of a Loop of uvloop, whose attributes are words (uvloop/loop.pxd)."""
        view = self._view
        if not loop or read_uv_loop(view.reader, loop) is None:
            return {}
        words = (read_u64(view.target, loop + 8 * place) for place in range(LOOP_WORDS))
        for table in (word for word in words if word and not word & 7):
            if view.type_name(table) != "dict":
                continue
            handlers = dict[int, int]()
            with suppress(EpiError):
                for key, handle in view.objects.dict_items(table):
                    number = view.objects.integer(key)
                    if view.type_name(handle).endswith("Handle") and isinstance(number, int):
                        handlers[number] = self._callback_of_uvloop_handle(handle)
            if handlers:
                return handlers
        return {}

    def _callback_of_uvloop_handle(self, handle: int) -> int:
        """Return what a Handle of uvloop calls; 0 where that is not known."""
        words = (read_u64(self._view.target, handle + 8 * n) for n in range(HANDLE_WORDS))
        kinds = ((word, self._view.type_name(word)) for word in words if word)
        return next((word for word, kind in kinds if kind in ("function", *METHODS)), 0)

    def is_done(self, future: int) -> bool:
        """Tell whether a future of the C class has a result, an exception or was cancelled."""
        try:
            at = self._view.reader.layout.offset("FutureObj", "fut_state")
            if at is None or self._view.type_name(future) != "_asyncio.Future":
                return False
            state = self._view.reader.u32(future + at)
        except (UnreadableMemory, LayoutError):
            return False
        return state < len(STATES) and STATES[state] != "pending"

    @default_when_unreadable(None)
    def _read_length(self, loop: int, name: str, struct: str) -> int | None:
        value = self._view.attribute(loop, name)
        return None if value is None else self._containers.length(value, struct)

    @default_when_unreadable(False)
    def _has_no_peer(self, callback: int) -> bool:
        """Tell whether a callback is of a datagram transport that was given no peer's address."""
        if self._view.type_name(callback) != "method":
            return False
        owner = self._view.reader.field(callback, "PyMethodObject", "im_self")
        if self._view.type_name(owner) != "_SelectorDatagramTransport":
            return False
        context = get_process_values(self._view.target, self._view.python).context
        return self._view.type_name(context.attribute(owner, "_address")) == "NoneType"

    def _names_called_by(self, callback: int) -> Iterator[str]:
        """Yield the names of a function, and of those that its object calls for descriptors."""
        if self._view.type_name(callback) != "method":
            return
        reader = self._view.reader
        with suppress(EpiError, IndexError):
            yield self._function_name(reader.field(callback, "PyMethodObject", "im_func"))
            owner = reader.field(callback, "PyMethodObject", "im_self")
            handlers = self._view.attribute(owner, "handlers")
            if handlers and self._view.type_name(handlers) == "dict":
                for _, pair in self._view.objects.dict_items(handlers):
                    yield self._function_name(self._items_of_tuple(pair)[1])

    def _items_of_tuple(self, word: int) -> list[int]:
        return list(self._containers.tuple_items(word))

    def _function_name(self, function: int) -> str:
        if self._view.type_name(function) != "function":
            return ""
        reader = self._view.reader
        return reader.text_field(function, "PyFunctionObject", "func_qualname")

    @default_when_unreadable(None)
    def _count_watched_descriptors(self, loop: int) -> int | None:
        """Return how many descriptors the loop watches besides its own pipe."""
        keys = self._view.attribute(loop, "_selector", "_fd_to_key")
        if keys is None:
            return None
        count = sum(1 for _ in self._view.objects.dict_items(keys))
        own = self._view.attribute(loop, "_ssock")
        has_pipe = own is not None and self._view.type_name(own) != "NoneType"
        return max(0, count - has_pipe)


def waits_for_clients_in_library(task: UnfinishedTask, installed: InstalledPackages) -> bool:
    """Tell whether a task is there to wait for clients: in code of a library that does so.

    What the program calls its functions says nothing about what they do.
    """
    return any(
        frame.name in _SERVING or (frame.module or "").startswith(_SERVERS)
        for frame in task.stack if installed.contains_frame(frame)
    )  # fmt: skip
