# SPDX-License-Identifier: Apache-2.0
"""Interpreters, thread states, the GIL: from `_PyRuntime` to every thread's Python stack."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.code import CodeReader
from gdb_epi.cpython.find import Runtime, find_runtime
from gdb_epi.cpython.frames import frame_reader
from gdb_epi.cpython.gil import gil_address, gil_holder
from gdb_epi.cpython.objects import Objects
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.stackwalk import StackWalker, Walk
from gdb_epi.cpython.threads import thread_names
from gdb_epi.cpython.types import InterpreterState, PythonState, ThreadState
from gdb_epi.errors import (
    UNPARSABLE,
    Absent,
    LayoutError,
    SoftError,
    UnreadableMemory,
)
from gdb_epi.lean import NamedTuple
from gdb_epi.target.api import Target

MAX_INTERPRETERS = 10_000
MAX_THREAD_STATES = 200_000
MAX_PROBLEMS_PER_THREAD = 20


class _Lwps(NamedTuple):
    """The threads that are in the core, by their pthread_t and by their number."""

    by_ident: dict[int, int]
    tids: frozenset[int]
    crashed: int | None


def decode_python(target: Target) -> PythonState | Absent:
    """Decode the CPython runtime of a process.

    Absent when there is none, or when it cannot be found or read; the detail says why.
    """
    runtime = find_runtime(target)
    if isinstance(runtime, Absent):
        return runtime
    try:
        return _Decoder(target, runtime).state()
    except (UnreadableMemory, LayoutError) as error:
        return Absent(UNPARSABLE, f"CPython {runtime.version}: {error}")


class _Decoder:
    def __init__(self, target: Target, runtime: Runtime) -> None:
        self.target = target
        self.runtime = runtime
        self.layout = runtime.layout
        self.reader = Reader(target, runtime.layout)
        self.objects = Objects(self.reader)
        self.codes = CodeReader(self.reader)
        self.walker = StackWalker(self.reader, frame_reader(self.reader, self.codes), self.objects)
        self.errors: list[SoftError] = list(runtime.soft_errors)
        self._ident_at = self.layout.require("PyThreadState", "thread_id")
        # 3.11 (bpo-46038); before, only the pthread_t is known.
        self._tid_at = self.layout.offset("PyThreadState", "native_thread_id")
        self.lwps = _lwps(target)

    def state(self) -> PythonState:
        """Return everything that the runtime leads to."""
        interpreters = []
        holders: set[int] = set()
        for address in self._interpreters():
            number = self._interpreter_id(address)
            holder = self._gil_holder(address)
            holders |= {holder} if holder else set()
            threads = [
                self._thread(tstate, number, tstate in holders)
                for tstate in self._thread_states(address)
            ]
            threads = self._named(threads, address, number)
            interpreters.append(InterpreterState(address, number, tuple(threads)))
        interpreters.sort(key=lambda interpreter: interpreter.id)
        held = [t.tid for i in interpreters for t in i.threads if t.holds_gil]
        return PythonState(
            self.runtime.version,
            self.runtime.version_hex,
            self.layout,
            self.runtime.address,
            self.runtime.found_by,
            self._finalizing(),
            held[0] if held else None,
            tuple(interpreters),
            tuple(self.errors),
        )

    def _named(
        self, threads: list[ThreadState], interpreter: int, number: int
    ) -> list[ThreadState]:
        names = thread_names(self.reader, self.objects, interpreter)
        if isinstance(names, Absent):
            self._problem("thread names", f"interpreter {number}", names.detail)
            return threads
        return [thread._replace(name=names.get(thread.ident)) for thread in threads]

    def _problem(self, stage: str, subject: str, message: str) -> None:
        self.errors.append(SoftError(stage, subject, message))

    def _list(self, head: int, next_at: int, cap: int, what: str) -> Iterator[int]:
        """Yield the nodes of a linked list; a cycle, damage or the cap end it with a SoftError."""
        seen: set[int] = set()
        address = head
        while address:
            if address in seen or len(seen) >= cap:
                why = "comes twice" if address in seen else f"is beyond the cap of {cap}"
                self._problem("python", what, f"{address:#x} {why}; the list ends here")
                return
            seen.add(address)
            try:
                following = self.reader.u64(address + next_at)
            except UnreadableMemory as error:
                self._problem("python", what, f"{error}; the list ends here")
                return
            yield address
            address = following

    def _interpreters(self) -> Iterator[int]:
        head_at = self.layout.require("_PyRuntimeState", "interpreters.head")
        head = self.reader.u64(self.runtime.address + head_at)
        next_at = self.layout.require("PyInterpreterState", "next")
        return self._list(head, next_at, MAX_INTERPRETERS, "interpreters")

    def _interpreter_id(self, address: int) -> int:
        try:
            return self.reader.i64(address + self.layout.require("PyInterpreterState", "id"))
        except UnreadableMemory:
            return -1

    def _thread_states(self, interpreter: int) -> Iterator[int]:
        # 3.11 (bpo-46008) moved tstate_head into a struct `threads`.
        head_at = self.layout.require("PyInterpreterState", "threads.head", "tstate_head")
        try:
            head = self.reader.u64(interpreter + head_at)
        except UnreadableMemory as error:
            self._problem("python", f"interpreter {interpreter:#x}", str(error))
            return iter(())
        next_at = self.layout.require("PyThreadState", "next")
        return self._list(head, next_at, MAX_THREAD_STATES, "thread states")

    def _gil_holder(self, interpreter: int) -> int | None:
        """Return the PyThreadState that holds this interpreter's GIL.

        Absent (None) when it is free, and in free-threaded builds.
        """
        try:
            gil = gil_address(self.reader, self.runtime.address, interpreter)
            return gil_holder(self.reader, gil) or None
        except (UnreadableMemory, LayoutError) as error:
            self._problem("python", "GIL", str(error))
            return None

    def _finalizing(self) -> bool:
        # 3.9 (bpo-36854) renamed `finalizing` to `_finalizing`.
        at = self.layout.offset("_PyRuntimeState", "_finalizing", "finalizing")
        try:
            return at is not None and bool(self.reader.u64(self.runtime.address + at))
        except UnreadableMemory:
            return False

    def _thread(self, tstate: int, interpreter: int, holds_gil: bool) -> ThreadState:
        problems: list[str] = []
        try:
            ident = self.reader.u64(tstate + self._ident_at)
        except UnreadableMemory as error:
            ident = 0
            problems.append(str(error))
        tid = self._tid(tstate, ident)
        try:
            walk = self.walker.walk(tstate)
        except (UnreadableMemory, LayoutError) as error:
            walk = Walk((), (str(error),))
        problems += walk.problems
        subject = f"thread {tid}" if tid is not None else f"tstate {tstate:#x}"
        cut = len(problems) - MAX_PROBLEMS_PER_THREAD
        if cut > 0:
            problems[MAX_PROBLEMS_PER_THREAD:] = [f"and {cut} more"]
        return ThreadState(
            tstate,
            interpreter,
            ident,
            tid,
            None,
            holds_gil,
            tid is not None and tid == self.lwps.crashed,
            ident in self.lwps.by_ident or tid in self.lwps.tids,
            walk.frames,
            tuple(SoftError("frames", subject, text) for text in problems),
        )

    def _tid(self, tstate: int, ident: int) -> int | None:
        """Return the native id: by fs_base (the pthread_t on glibc), else native_thread_id.

        The first is right in every pid namespace and before 3.11; a thread that is not in the
        core keeps the number it had.
        """
        if ident in self.lwps.by_ident:
            return self.lwps.by_ident[ident]
        if self._tid_at is None:
            return None
        try:
            return self.reader.u64(tstate + self._tid_at) or None
        except UnreadableMemory:
            return None


def _lwps(target: Target) -> _Lwps:
    threads = target.threads()
    by_ident = {t.registers["fs_base"]: t.tid for t in threads if t.registers.get("fs_base")}
    crash = target.crash()
    crashed = None if isinstance(crash, Absent) else crash.tid
    return _Lwps(by_ident, frozenset(t.tid for t in threads), crashed)
