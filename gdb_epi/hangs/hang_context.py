# SPDX-License-Identifier: Apache-2.0
"""Everything that the rules for an answer use, each part computed on first use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, wraps
from itertools import islice
from signal import SIGINT

from gdb_epi.cpython.running.tasks import is_module_imported
from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.cpython.runtime.signal_handlers import read_signal_handlers
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.cpython.values.context import Undecodable
from gdb_epi.errors import Absent, EpiError, LayoutError, UnreadableMemory
from gdb_epi.fault.own_native_code import is_own_library
from gdb_epi.hangs.descriptors import DescriptorTable
from gdb_epi.hangs.frame_references import FrameReferences
from gdb_epi.hangs.installed_packages import InstalledPackages
from gdb_epi.hangs.live.effects import CodeEffects
from gdb_epi.hangs.live.hooks import find_python_hooks
from gdb_epi.hangs.live.live_code import LiveCode
from gdb_epi.hangs.loops.failed_tasks import FailedTask, find_failed_tasks
from gdb_epi.hangs.loops.sleeping_event_loops import EventLoopReader
from gdb_epi.hangs.pipe_ends import PipeEnds
from gdb_epi.hangs.system_calls import is_sleep_time_absolute, read_sleep_seconds
from gdb_epi.hangs.tasks import add_wakers_from_code, event_loop_module, unfinished_tasks
from gdb_epi.hangs.thread_activities import ThreadActivityReader
from gdb_epi.hangs.types import EVENT, JOIN, LOCK, HangDiagnosis, PolledCondition, ThreadActivity
from gdb_epi.locks.fork.thread_objects import find_module_dict_of_main_interpreter
from gdb_epi.locks.python.acquire_calls import AGAIN, MADE, AcquireCalls
from gdb_epi.locks.python.call_sites import FINITE, CallSites, Instruction, loop_ends_by_comparison
from gdb_epi.locks.python.lock_objects import SEMLOCK
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.locks.types import LockReport
from gdb_epi.sizes import split_into_words
from gdb_epi.target.api import Target, Thread, pid_of
from gdb_epi.util import default_when_unreadable

_RUNNERS = {(SIGINT, kind) for kind in ("partial", "functools.partial")}
_TERMINAL = ("PyOS_Readline", "PyOS_StdioReadline")
_STORES = (
    "STORE_ATTR",
    "STORE_GLOBAL",
    "STORE_NAME",
    "DELETE_ATTR",
    "DELETE_GLOBAL",
    "DELETE_NAME",
)
_STORES_ITEM = ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
_CHANGING = frozenset((
    "append", "appendleft", "extend", "insert", "add", "update", "setdefault", "pop", "popleft",
    "remove", "discard", "clear", "put_nowait", "set", "set_result", "set_exception",
))  # fmt: skip
_GREENLETS = ("gevent", "eventlet", "greenlet")
_RUNS_MAIN = (("asyncio.base_events", "run_until_complete", "future"),
              ("asyncio.runners", "run", "task"))  # fmt: skip
_HANDLERS = ("signal",)  # modules with which a program may install signal handlers
# Libraries that compute, wait in pools of their own, or are those of the system.
_CALLS_NOBODY = (
    "libopenblas", "libscipy_openblas", "libgomp", "libomp", "libmkl", "libblas", "libcrypto",
    "libcurl", "libpq", "libresolv", "libnss", "libkrb5", "libgssapi", "libsystemd",
)  # fmt: skip
_NOT_LOOKED_AT = "code that was not looked at"
_C_LIBRARY = ("libc.", "libc-", "libpthread", "librt", "ld-musl-")
_FORKS = frozenset(("fork", "forkpty", "posix_spawn", "posix_spawnp"))
MAX_NATIVE = 200  # threads without Python code that are looked at
MAX_GENERATORS = 4  # each of which goes over the next
MAX_FAILED = 2  # tasks that are named


def process_rule_from_thread_rule(
    rule: Callable[[HangContext, ThreadActivity], HangDiagnosis | None],
) -> Callable[[HangContext], HangDiagnosis | None]:
    """Decorate a rule about one thread: the first thread for which it holds decides.

    Of a thread that cannot be read it does not hold.
    """

    @wraps(rule)
    def diagnose_process(context: HangContext) -> HangDiagnosis | None:
        for activity in context.activities:
            with suppress(EpiError, IndexError):
                answer = rule(context, activity)
                if answer is not None:
                    return answer
        return None

    return diagnose_process


Follow = Callable[
    ["HangContext", ThreadActivity, int, str, tuple[int, ...]], "HangDiagnosis | None"
]


class WaitChain:
    """The threads that wait for one another, from where an answer began to the one looked at."""

    def __init__(
        self, context: HangContext, follow: Follow, chain_tids: tuple[int, ...] = ()
    ) -> None:
        self._context, self.follow, self.tids = context, follow, chain_tids

    def diagnose_through(
        self, activity: ThreadActivity, tid: int, link: str
    ) -> HangDiagnosis | None:
        """Return the answer by the wait of a thread that another one waits for.

        `link` says in a sentence what the other one wants of it.
        """
        return self.follow(self._context, activity, tid, link, self.tids)

    def diagnose_through_any(
        self, activity: ThreadActivity, tids: Iterable[int], link: str
    ) -> HangDiagnosis | None:
        """Return the first answer by the waits of those threads that are not in the chain."""
        left = (tid for tid in sorted(tids) if tid not in self.tids)
        return next(
            filter(None, (self.diagnose_through(activity, tid, link) for tid in left)), None
        )


def threads_held_up_by(context: HangContext, tids: Collection[int]) -> set[int]:
    """Return some threads, and those that wait for their locks or ends, themselves or by others."""
    held_up = set(tids)
    while further := {
        d.tid for d in context.activities
        if d.tid not in held_up and d.kind in (LOCK, JOIN) and not d.timed and d.target in held_up
    }:  # fmt: skip
        held_up |= further
    return held_up


class HangContext:
    """One process that went on until somebody ended it or looked at it."""

    def __init__(
        self, target: Target, python: PythonState, locks: LockReport, threads: Sequence[Thread]
    ) -> None:
        self.target = target
        self.python = python
        self.locks = locks
        self.view = PythonView(target, python, locks.vanished)
        self.installed = InstalledPackages(target, python)
        self.followed: dict[int, bool] = {}  # by frame: whether a dry run came to its end
        # A core has the thread that died first, then the others in no order that a reader knows.
        self._lwps = sorted(threads, key=lambda thread: thread.tid)
        self._threads = ThreadActivityReader(
            target, self.view, locks.waits, self.installed.contains_frame
        )
        self.waits = self._threads.waits
        self.effects_by_thread: dict[
            int, CodeEffects
        ] = {}  # unblocked_threads.py, by thread; 0: of no thread
        self.effects_by_task: dict[int, CodeEffects] = {}  # unblocked_threads.py, by task
        self.settled: tuple[frozenset[int], Mapping[int, PolledCondition]] | None = None  # too
        self.ahead: dict[tuple[int, int], frozenset[tuple[int, str]]] = {}  # wakers.py, by thread

    @cached_property
    def activities(self) -> tuple[ThreadActivity, ...]:
        """What every thread does, in the order in which they were made.

        The main thread of a forked child has the name of the parent's thread that called fork().
        """
        activities = self._threads.all_activities(self._lwps)
        if not self.locks.fork.forked:
            return activities
        return tuple(
            d._replace(name=None) if d.tid == self.main_tid and d.name != "MainThread" else d
            for d in activities
        )

    @cached_property
    def main_tid(self) -> int | None:
        """The main thread: its number is that of the process."""
        pid, tids = pid_of(self.target), {thread.tid for thread in self.target.threads()}
        return pid if pid in tids else min(tids, default=None)

    @cached_property
    def threads_by_importance(self) -> list[ThreadActivity]:
        """The threads, the main thread first, then those of the program, then helpers."""
        return sorted(self.activities, key=lambda d: (d.tid != self.main_tid, d.helper))

    @cached_property
    def gil_holder(self) -> int | None:
        """The thread that holds the GIL."""
        return self.python.gil_holder

    @property
    def may_locks_be_inherited(self) -> bool:
        """Whether a lock may have come held through fork(): not ruled out by any sign."""
        fork = self.locks.fork
        return fork.forked is not False and fork.parent_multithreaded is not False

    def is_only_thread(self, tid: int) -> bool:
        """Tell whether the process has no other thread, native ones included."""
        return all(thread.tid == tid for thread in self.target.threads())

    def is_only_python_thread(self, tid: int) -> bool:
        """Tell whether no other thread runs Python, nor is in a library that may call into it."""
        return self.view.all_frames().keys() <= {tid} and not self.foreign_threads

    @cached_property
    def foreign_threads(self) -> list[tuple[int, str]]:
        """The threads in code of a library that run no Python now, with that library's name.

        A library that started one may have given it a function of the program's, to call it: the
        interpreter makes a thread state only then (PyGILState_Ensure()).
        """
        python = self.view.all_frames()
        native = [thread.tid for thread in self.target.threads() if thread.tid not in python]
        named = [(tid, self.library_running_in_thread(tid)) for tid in native[:MAX_NATIVE]]
        named += [(tid, _NOT_LOOKED_AT) for tid in native[MAX_NATIVE:]]
        return [(tid, name) for tid, name in named if name]

    def library_running_in_thread(self, tid: int) -> str:
        """Return the library in whose code a thread is, and that may call what it was given.

        Code without unwind tables is on no stack that can be walked (Go's, of some compilers).
        Whoever starts a thread has its function on that stack: one with nothing but the C library's
        is of timer_create(), mq_notify() or aio_read(), which call a function for SIGEV_THREAD.
        """
        innermost = self._threads.innermost_module(tid)
        names = self.native_modules(tid, within_call=True) | {innermost}
        if not innermost and all(name.startswith(_C_LIBRARY) for name in names - {""}):
            return max(names)
        paths = (module.path for module in self.target.modules())
        return next(
            (name for path in paths
             if (name := path.rpartition("/")[2]) in names and is_own_library(path)
             and not name.startswith(_CALLS_NOBODY)), "",
        )  # fmt: skip

    def is_only_thread_awake(self, activity: ThreadActivity) -> bool:
        """Tell whether no other thread runs code of the program until this one lets it go on."""
        others = [d for d in self.activities if d.tid != activity.tid and self.view.frames(d.tid)]
        idle = all(
            not d.timed and d.kind in (EVENT, LOCK, JOIN) and d.tid in self.waits
            and self.waits[d.tid].kind != SEMLOCK
            and self.waits[d.tid].owner.state != "other-process"
            for d in others
        )  # fmt: skip
        handled = self.signal_handlers != {} and self.is_module_visible_on_stack(
            activity, *_HANDLERS
        )
        return idle and not handled and not self.foreign_threads and not self.python_hooks

    def is_module_visible_on_stack(self, activity: ThreadActivity, *names: str) -> bool:
        """Tell whether code on a thread's stack has a module of one of these names at hand."""
        return any(self.view.has_global(f, name) for f in activity.frames for name in names)

    def activity_of_thread(self, tid: int | None) -> ThreadActivity | None:
        """Return what a thread does."""
        return next((d for d in self.activities if d.tid == tid), None)

    def main_task_of_loop(self, tid: int) -> UnfinishedTask | None:
        """Return the task that a program runs its loop for.

        Of trio it is the one that task <init> waits for, beside trio's own; of gevent the greenlet
        of the main module (trio 0.22 to 0.35, gevent 22 to 26).
        """
        ids = {
            waker for task in self.tasks if (task.framework, task.name) == ("trio", "<init>")
            for waker in task.wakers
        }  # fmt: skip
        first = {t.id for t in self.tasks if t.id in ids and not t.name.startswith("<")}
        for task in self.tasks:
            outermost = task.stack[-1] if task.stack else None
            of_module = outermost is not None and (
                (outermost.module, outermost.name) == ("__main__", "<module>")
            )
            if task.id in first or (task.framework in ("gevent", "greenlet") and of_module):
                return task
        for frame in self.view.frames(tid):
            for module, name, variable in _RUNS_MAIN:
                if (frame.module, frame.name) == (module, name):
                    at = self.view.variable(frame, variable)
                    return next((task for task in self.tasks if task.id == at), None)
        return None

    @property
    def loop_thread(self) -> ThreadActivity | None:
        """The first thread that runs an event loop, else the main thread."""
        return next(
            (d for d in self.activities if event_loop_module(self.view.frames(d.tid), d.module)),
            self.activity_of_thread(self.main_tid),
        )

    def sleep_seconds(self, tid: int) -> float:
        """Return for how long a thread was to sleep, in seconds; 0 where that is not known."""
        thread = next((thread for thread in self._lwps if thread.tid == tid), None)
        return read_sleep_seconds(self.target, thread) if thread is not None else 0.0

    def is_sleep_time_absolute(self, tid: int) -> bool:
        """Tell whether sleep_seconds() of a thread are a time of the monotonic clock."""
        return any(thread.tid == tid and is_sleep_time_absolute(thread) for thread in self._lwps)

    def native_modules(self, tid: int, *, within_call: bool = False) -> frozenset[str]:
        """Return the names of the files whose code is on a thread's native stack."""
        return self._threads.native_modules(tid, within_call=within_call)

    def native_functions(self, tid: int) -> Iterator[str]:
        """Yield the names of the functions on a thread's native stack, innermost first."""
        return self._threads.native_functions(tid)

    def native_stack_words(self, tid: int, size: int) -> Sequence[int]:
        """Return the words of a thread's native stack, innermost first: of `size` bytes at most.

        Raises UnreadableMemory.
        """
        sp = next(thread.sp for thread in self.target.threads() if thread.tid == tid) & ~7
        end = next((r.end for r in self.target.regions() if r.start <= sp < r.end), sp)
        return split_into_words(self.view.reader.read(sp, min(size, end - sp)))

    def asks_at_terminal(self, tid: int, stream: int | None) -> bool:
        """Tell whether a thread that reads standard input asks a person at a terminal.

        input() has a way of its own for that (Python/bltinmodule.c), and the `stream` (PyObject *)
        of a terminal is line-buffered (create_stdio() in Python/pylifecycle.c, 3.8 to 3.15).
        """
        if any(name.startswith(_TERMINAL) for name in self.native_functions(tid)):
            return True
        at = self.view.reader.layout.offset("textio", "line_buffering")
        is_text = stream and self.view.type_name(stream) == "_io.TextIOWrapper"
        return bool(is_text and at and self.view.reader.read((stream or 0) + at, 1) != b"\0")

    def frames_from_outermost_loop(self, frames: Sequence[PyFrame]) -> tuple[PyFrame, ...]:
        """Return the frames from the outermost one on that is in a loop of its code, else all.

        Which of the functions that a loop calls was running is chance.
        """
        places = [
            i for i, frame in enumerate(frames) if self.acquire_calls.is_running_in_loop(frame)
        ]
        return tuple(frames[places[-1] :]) if places else tuple(frames)

    def count_loops(self, frames: Iterable[PyFrame]) -> int:
        """Return how many loops the running instructions of some frames lie in."""
        return sum(len(self.acquire_calls.loops_around(frame)) for frame in frames)

    def loop_bodies(self, frame: PyFrame) -> list[range]:
        """Return the bytes of the loops that a frame runs, the innermost first."""
        around = sorted(self.acquire_calls.loops_around(frame).items(), reverse=True)
        return [range(first, last + 1) for first, last in around]

    def innermost_loop_code(self, frame: PyFrame) -> list[Instruction]:
        """Return the instructions of the innermost loop that a frame runs; [] without one.

        Raises UnreadableMemory, LayoutError.
        """
        first, last = self.acquire_calls.innermost_loop(frame) or (0, -1)
        code = self.call_sites.instructions(frame.code) if last >= 0 else ()
        return [each for each in code if first <= each.at <= last]

    def names_called_in_loop(self, frame: PyFrame, loop: tuple[int, int] | None = None) -> set[str]:
        """Return the names of the functions that a loop calls, or may call: the innermost one."""
        first, last = loop or self.acquire_calls.innermost_loop(frame) or (0, -1)
        return {name for at, name in self._names_called(frame) if first <= at <= last}

    def names_called_before(
        self, frame: PyFrame, depth: int = 0, *, ever: bool = False
    ) -> set[str]:
        """Return the names of what a frame's code has called, and of what that calls.

        Where a loop runs, in it alone, unless `ever`. What is called is followed for `depth` calls.
        """
        whens = (
            (AGAIN,) if self.acquire_calls.is_running_in_loop(frame) and not ever else (MADE, AGAIN)
        )
        return self.acquire_calls.names_called_before(frame, whens, depth)

    def running_call_name(self, frame: PyFrame) -> str:
        """Return the name of the function that a frame most likely calls now: the last loaded."""
        at = self.acquire_calls.running_byte_offset(frame) or 0
        places = [(place, name) for place, name in self._names_called(frame) if place <= at]
        return max(places, default=(0, ""))[1]

    def may_frame_call_any(self, frame: PyFrame, names: Collection[str]) -> bool:
        """Tell whether a frame's code calls, or may call, a function of one of these names."""
        return any(name in names for _, name in self._names_called(frame))

    def _names_called(self, frame: PyFrame) -> Iterator[tuple[int, str]]:
        for call in self.call_sites.calls_of(frame.code).made_and_possible_calls():
            yield call.at, call.name

    def runs_comparison(self, frame: PyFrame, operators: Collection[str]) -> bool:
        """Tell whether the running instruction of a frame is one of these comparisons."""
        running = self.call_sites.running_instruction(
            frame.code, self.acquire_calls.running_byte_offset(frame)
        )
        return running is not None and self.call_sites.comparison_operator(running) in operators

    def is_line_in_loop(self, frame: PyFrame, line: int) -> bool:
        """Tell whether any instruction of a line of a frame's function lies in a loop."""
        places = (instruction.at for instruction in self.call_sites.instructions(frame.code))
        loops = self.call_sites.calls_of(frame.code).loops
        return any(
            any(first <= at <= last for first, last in loops)
            for at in places if self.acquire_calls.line_at_byte(frame, at) == line
        )  # fmt: skip

    def offsets_that_change_names(self, code: int, names: Collection[str]) -> list[int]:
        """Return the bytes where code stores what has one of some names, or changes its items.

        That is an attribute or a global, `self.name[key] = ..`, and `self.name.append(..)`.
        """
        sites = self.call_sites
        calls = [
            call.at for call in sites.calls_of(code).calls
            if call.path and call.path[-1] in _CHANGING and (call.root[1], *call.path)[-2] in names
        ]  # fmt: skip
        try:
            table, stores, loaded = sites.name_tuple(code, "co_names"), list[int](), set[str]()
            steps = {instruction.at: instruction for instruction in sites.instructions(code)}
            for at, _, used in sites.names_used_by_instructions(code):
                step = steps[at]
                loaded.add(used)
                if (step.name in _STORES and table[step.argument] in names) or (
                    step.name in _STORES_ITEM and not loaded.isdisjoint(names)
                ):
                    stores.append(at)
                if step.name.startswith(("STORE", "POP_TOP")):
                    loaded.clear()
            return [*stores, *calls]
        except (UnreadableMemory, LayoutError, Undecodable, IndexError):
            return calls

    @default_when_unreadable(False)
    def is_in_bounded_loop(self, frame: PyFrame, loop: tuple[int, int] | None = None) -> bool:
        """Tell whether a loop ends by itself, the innermost of a frame: loop_ends.py."""
        loop = loop or self.acquire_calls.innermost_loop(frame)
        if self.iterates_over_finite_container(frame):
            return True
        code = self.call_sites.instructions(frame.code)
        return loop is not None and loop_ends_by_comparison(code, loop, self.call_sites)

    @default_when_unreadable(False)
    def iterates_over_finite_container(self, frame: PyFrame, depth: int = 0) -> bool:
        """Tell whether a frame runs a loop over the members of a container or range.

        Or over a generator that does; `depth` counts generators that go over generators.
        """
        words = self.view.slots.words_of_frame(frame)
        held = (*words.stack, *words.variables[:1])  # the first one in a comprehension
        return any(w and not w & 7 and self._iterates_over_finite_container(w, depth) for w in held)

    def _iterates_over_finite_container(self, iterator: int, depth: int) -> bool:
        """Tell whether an iterator goes over the members of a container, also with their numbers.

        In an enumerate() the iterator follows a number (Objects/enumobject.c).
        """
        kind = self.view.type_name(iterator)
        if kind == "enumerate":
            kind = self.view.type_name(self.view.reader.u64(iterator + 24))
        if kind == "generator" and depth < MAX_GENERATORS:
            frame = self.view.slots.frame_of_suspended_generator(iterator)
            return frame is not None and self.iterates_over_finite_container(frame, depth + 1)
        return kind in FINITE

    @property
    def call_sites(self) -> CallSites:
        """The instructions of code objects."""
        return self.acquire_calls.sites

    @cached_property
    def acquire_calls(self) -> AcquireCalls:
        """What the code of frames calls, and the loops that it runs."""
        return AcquireCalls(self.view)

    @cached_property
    def live_code(self) -> LiveCode:
        """What code that can still run may do."""
        resting = [f.code for t in self.tasks if t.framework in _GREENLETS for f in t.stack]
        return LiveCode(
            self.view,
            self.acquire_calls,
            self.installed.contains_file,
            self.offsets_that_change_names,
            resting,
        )

    @cached_property
    def entered_managers(self) -> frozenset[int]:
        """The objects (PyObject *) whose `with` block any thread or task is in."""
        blocks = (
            block for frames in self.view.all_frames().values()
            for block in self.view.slots.entered_with_blocks(frames)
        )  # fmt: skip
        of_tasks = (held for task in self.tasks for held in task.holds)
        return frozenset((*(manager for _, manager in blocks), *of_tasks))

    @cached_property
    def python_hooks(self) -> tuple[int, ...]:
        """The program's own callables (PyObject *) that CPython calls by itself."""
        return tuple(self.own_callables(find_python_hooks(self.view)))

    def own_callables(self, callables: Iterable[int]) -> Iterator[int]:
        """Yield those of some callables that are functions or methods of the program."""
        for at in callables:
            with suppress(UnreadableMemory, LayoutError):
                kind = self.view.type_name(at)
                function = at
                if kind == "method":
                    function = self.view.reader.field(at, "PyMethodObject", "im_func")
                if kind and self.view.type_name(function) == "function":
                    scope = self.view.reader.field(function, "PyFunctionObject", "func_globals")
                    if self.live_code.module_of_globals(scope).is_own:
                        yield at

    @cached_property
    def signal_handlers(self) -> Mapping[int, int] | None:
        """What signal.signal() was given, by signal (PyObject *); None where that is not known.

        Left out is who raises KeyboardInterrupt: CPython's, and since 3.11 that of asyncio.Runner.
        """
        try:
            module = find_module_dict_of_main_interpreter(self.view.objects, self.python, "_signal")
            names = ("SIG_DFL", "SIG_IGN", "default_int_handler")
            if isinstance(module, Absent):
                return None
            usual = [self.view.objects.dict_get(module, name) for name in names]
            default = usual[0]
            if isinstance(default, Absent):
                return None
            handlers = read_signal_handlers(self.target, self.view.reader, default)
        except (UnreadableMemory, LayoutError, IndexError):
            return None
        if isinstance(handlers, Absent):
            return None
        return {
            number: handler for number, handler in handlers.items() if handler not in usual
            and (number, self.view.type_name(handler)) not in _RUNNERS
        }  # fmt: skip

    @cached_property
    def effects_of_signal_handlers(self) -> Mapping[int, tuple[CodeEffects, CodeEffects]]:
        """What the handler of each signal does as its code says, and may do; {}: not known."""
        return self.effects_of_callables(self.signal_handlers or {})

    def effects_of_callables(
        self, handlers: Mapping[int, int]
    ) -> dict[int, tuple[CodeEffects, CodeEffects]]:
        """Return what callables (PyObject *) do as their code says, and what they may do."""
        code = self.live_code
        return {
            number: (code.effects_of_callable(at, surely=True), code.effects_of_callable(at))
            for number, at in handlers.items()
        }

    @cached_property
    def frame_references(self) -> FrameReferences:
        """Who refers to what."""
        return FrameReferences(self.view)

    @cached_property
    def event_loop_reader(self) -> EventLoopReader:
        """The asyncio event loops."""
        return EventLoopReader(self.view, self.installed, self.descriptors)

    @cached_property
    def tasks(self) -> tuple[UnfinishedTask, ...]:
        """Every task and greenlet; empty unless a thread runs an event loop."""
        running = any(event_loop_module(self.view.frames(d.tid), d.module) for d in self.activities)
        if not running and not is_module_imported(self.target, self.python, "greenlet"):
            return ()
        return unfinished_tasks(self.target, self.python)

    @cached_property
    def tasks_with_wakers(self) -> Sequence[UnfinishedTask]:
        """The same, with those whose own code has yet to end another one's wait."""
        threads = (frame for d in self.activities for frame in self.view.frames(d.tid))
        return add_wakers_from_code(
            self.tasks, threads, self.acquire_calls.calls_ahead, self.installed
        )

    @cached_property
    def failed_tasks(self) -> tuple[FailedTask, ...]:
        """The first asyncio tasks that ended with an exception nobody looked at."""
        return tuple(islice(find_failed_tasks(self.target, self.python), MAX_FAILED))

    @cached_property
    def pipe_ends(self) -> PipeEnds:
        """Who has the other ends of pipes."""
        return PipeEnds(self.view, self.descriptors, lambda name: self._is_any_name_used((name,)))

    @cached_property
    def may_program_fork(self) -> bool:
        """Whether code of the program makes child processes that no object of Python is."""
        return self._is_any_name_used(_FORKS)

    @default_when_unreadable(True)
    def _is_any_name_used(self, names: Collection[str]) -> bool:
        """Tell whether code of the program has one of some names, that of any stack too."""
        frames = (frame for own in self.view.all_frames().values() for frame in own)
        return self.live_code.uses_any_name(
            names, (f for f in frames if not self.installed.contains_frame(f))
        )

    @property
    def descriptors(self) -> DescriptorTable:
        """What descriptors are."""
        return self._threads.descriptors or DescriptorTable(self.view)
