# SPDX-License-Identifier: Apache-2.0
"""What gevent's greenlets wait for: its primitives lead to the greenlets that are linked to them.

gevent waits in C (Cython), so no Python frame says what for. But whatever can wake a greenlet holds
its `switch` method, by itself or by a Waiter: a lock, event or other greenlet in its list of links,
a queue in its deques, a watcher of the event loop as its callback. These lists are followed forward
from every such object. The fields of these classes have no names in memory and differ by version;
they are found by the types of the objects that they refer to. Tried with gevent 21.12 to 26.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from struct import unpack

from gdb_epi.cpython.heap.instances import InstancesByClass
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.running.frame_waits import TaskWait, WaitReader
from gdb_epi.cpython.running.wait_rules import (
    OTHER,
    PROCESS,
    QUEUE_GET,
    QUEUE_JOIN,
    QUEUE_PUT,
    READ,
    RUN_QUEUE,
    SIGNAL,
    SLEEP,
    TASK,
    WRITE,
)
from gdb_epi.errors import EpiError, UnreadableMemory
from gdb_epi.sizes import split_into_words
from gdb_epi.typing_lite import NamedTuple

_BASES = ("_gevent_c_abstract_linkable", "_abstract_linkable", "__abstract_linkable")
LINKABLES = frozenset(f"gevent.{module}.AbstractLinkable" for module in _BASES)
QUEUES = frozenset(
    f"gevent.{module}.{name}"
    for module in ("_gevent_cqueue", "queue", "_queue")
    for name in ("SimpleQueue", "Queue", "UnboundQueue", "Channel")
)
WATCHERS = frozenset(("gevent.libev.corecext.watcher",))
GREENLETS = frozenset(("gevent._gevent_cgreenlet.Greenlet", "gevent.greenlet.Greenlet"))
HUBS = frozenset(("gevent.hub.Hub", "gevent._hub_primitives.WaitOperationsGreenlet"))
_WAITER = "Waiter"
_ITEM_WAITER = "ItemWaiter"
_READS, _WRITES = 1, 2  # EV_READ, EV_WRITE (libev's ev.h)

MAX_SIZE = 1024  # bytes of an object of gevent
MAX_DEPTH = 8
MAX_ITEMS = 10_000  # of one list of links
MAX_SEEN = 1_000_000
_WATCHES = {
    "io": READ,
    "timer": SLEEP,
    "child": PROCESS,
    "signal": SIGNAL,
    "idle": RUN_QUEUE,
    "async_": OTHER,
    "async": OTHER,
    "stat": OTHER,
    "fork": OTHER,
    "prepare": RUN_QUEUE,
    "check": RUN_QUEUE,
}


class WakeLink(NamedTuple):
    """One object that would wake a greenlet. `task` is the greenlet that is joined, else 0."""

    wait: TaskWait
    task: int = 0


class WakeLinks:
    """What would wake which greenlet, of one process."""

    def __init__(
        self, waits: WaitReader, instances: InstancesByClass, greenlets: frozenset[int]
    ) -> None:
        self._waits = waits
        self._reader = waits.context.reader
        self._instances = instances
        self._greenlets = greenlets
        self._containers = ContainerReader(self._reader)
        self._head = self._reader.layout.require("PyMethodObject", "im_func")
        self._owner: dict[int, int] = {}  # the queue that an event of gevent's belongs to

    def all(self) -> dict[int, list[WakeLink]]:
        """Return the links by greenlet. Never raises for damage."""
        links: dict[int, list[WakeLink]] = {}
        wanted = LINKABLES | QUEUES | WATCHERS | GREENLETS
        sources = self._instances.of(wanted)
        for source in sources:
            if source.kind in QUEUES:
                for word in self._words(source.address):
                    if self._instances.kind(word, LINKABLES):
                        self._owner[word] = source.address
        for source in sources:
            seen: set[int] = set()
            watching = source.kind in WATCHERS
            for greenlet, puts in self._woken_greenlets(source.address, seen, watching=watching):
                if greenlet != source.address:
                    link = self._link(source.address, source.kind, puts=puts)
                    links.setdefault(greenlet, []).append(link)
        return links

    def _words(self, address: int) -> list[int]:
        """Return the fields of an object that may be pointers to objects."""
        try:
            size = self._waits.context.obj(address).type.basicsize
            if not self._head < size <= MAX_SIZE:
                return []
            content = self._reader.read(address + self._head, size - self._head)
        except EpiError:
            return []
        return [word for word in split_into_words(content) if word > 1 << 12 and not word & 7]

    def _woken_greenlets(
        self, source: int, seen: set[int], *, watching: bool
    ) -> Iterator[tuple[int, bool]]:
        """Yield the greenlets that an object would switch to, and whether each puts an item."""
        todo = [(word, 0, False) for word in self._fields(source)]
        while todo and len(seen) < MAX_SEEN:
            word, depth, puts = todo.pop()
            if word in seen or depth > MAX_DEPTH:
                continue
            seen.add(word)
            ident = self._instances.ident(word)
            try:
                if ident == "builtin_function_or_method":
                    if greenlet := self._greenlet_of_switch(word):
                        yield greenlet, puts
                    continue
                names = self._names(word)
                if _WAITER in names:  # of its fields one is the greenlet, another the hub
                    put = _ITEM_WAITER in names
                    for greenlet in self._words(word):
                        if greenlet in self._greenlets and not self._instances.kind(greenlet, HUBS):
                            yield greenlet, puts or put
                    continue
                inner, put = self._contents(word, ident, watching=watching)
            except EpiError:
                continue
            todo += [(next_word, depth + 1, puts or put) for next_word in inner]

    def _names(self, address: int) -> list[str]:
        """Return the names of an object's class and its bases, without their modules."""
        return [name.rpartition(".")[2] for name in self._waits.classes(address)]

    def _fields(self, source: int) -> list[int]:
        """Return what links may be in: lists, deques and methods, of its struct or its dict."""
        fields = self._words(source)
        with suppress(EpiError):
            fields += [value for _, value in self._waits.context.attributes(source)]
        kinds = ("list", "collections.deque", "method", "builtin_function_or_method", "function")
        return [word for word in fields if self._instances.ident(word) in kinds]

    def _contents(self, word: int, ident: str, *, watching: bool) -> tuple[list[int], bool]:
        """Return what a container or method leads to, and whether it holds an item."""
        if ident == "list":
            return self._containers.list_items(word)[:MAX_ITEMS], False
        if ident == "tuple":
            return self._containers.tuple_items(word)[:MAX_ITEMS], True
        if ident == "collections.deque":
            return list(islice(self._containers.deque_items(word), MAX_ITEMS)), False
        if ident == "method":
            return [self._reader.field(word, "PyMethodObject", "im_self")], False
        if watching and ident == "function":
            return self._containers.cells(word, MAX_ITEMS), False
        if watching and self._instances.kind(word, LINKABLES):
            return self._fields(word), False
        if watching and word not in self._greenlets:
            event = self._waits.attribute(word, "event")  # of a PollResult
            return ([event] if event else []), False
        return [], False

    def _greenlet_of_switch(self, method: int) -> int:
        """Return the greenlet of a bound `switch`, not of a `throw`: that is a time limit's."""
        greenlet = self._reader.field(method, "PyCFunctionObject", "m_self")
        if greenlet not in self._greenlets or self._reader.definition_name(method) != "switch":
            return 0
        return greenlet

    def _link(self, address: int, kind: str, *, puts: bool) -> WakeLink:
        shown = self._waits.shown(address)
        if kind in WATCHERS:
            return self._watcher(address)
        if kind in GREENLETS:
            return WakeLink(TaskWait(TASK, address, shown), address)
        if kind in QUEUES:
            return WakeLink(TaskWait(QUEUE_PUT if puts else QUEUE_GET, address, shown))
        queue = self._owner.get(address)
        if queue is not None:
            return WakeLink(TaskWait(QUEUE_JOIN, queue, self._waits.shown(queue)))
        return WakeLink(TaskWait(self._waits.kind_by_class(address), address, shown))

    # -- watchers of libev ----------------------------------------------------------------------

    def _watcher(self, address: int) -> WakeLink:
        """Return what a watcher waits for: the end of its struct has the times, or descriptor."""
        names = self._names(address)
        kind = next((name for name in names if name in _WATCHES), "")
        with suppress(EpiError):
            end = self._end_of_struct(address, kind)
            if kind == "io":
                fd, events = unpack("<iI", self._reader.read(end - 8, 8))
                writes = events & _WRITES and not events & _READS
                return WakeLink(TaskWait(WRITE if writes else READ, fd=fd if fd >= 0 else None))
            if kind == "timer":
                at = unpack("<d", self._reader.read(end - 16, 8))[0]
                now = self._now(address)
                return WakeLink(TaskWait(SLEEP, remaining=max(0.0, at - now) if now else None))
        return WakeLink(TaskWait(_WATCHES.get(kind, OTHER)))

    def _end_of_struct(self, address: int, kind: str) -> int:
        """Return the end of libev's struct, which ends the C class, proven by the pointer to it."""
        for info in self._waits.context.obj(address).lineage.types:
            if info.shown.rpartition(".")[2] == kind:
                end = address + info.basicsize
                if any(address < word < end for word in self._words(address)):
                    return end
        raise UnreadableMemory(address, 8, "no watcher of libev")

    def _now(self, watcher: int) -> float:
        """Return the time of the loop when it last looked, on the clock of its timers; 0: unknown.

        libev's struct ev_loop begins with ev_rt_now, now_floor, mn_now, rtmn_diff: the first is the
        sum of the last two, which proves it.
        """
        for loop in self._words(watcher):
            if not self._waits.shown(loop).endswith("corecext.loop"):
                continue
            for word in self._words(loop):
                try:
                    real, _, now, difference = unpack("<4d", self._reader.read(word, 32))
                except UnreadableMemory:
                    continue
                if real > 1e9 and 0 < now < 1e9 and abs(real - now - difference) < 1e-3:
                    return float(now)
        return 0.0
