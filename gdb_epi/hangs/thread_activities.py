# SPDX-License-Identifier: Apache-2.0
"""What each thread does: its registers, its wait for a lock, and the library functions it is in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile

from gdb_epi.cpython.frames.eval_calls import EVAL_LOOP
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.fault.mapping_checks import may_execute
from gdb_epi.fault.memory_reads import read_u32
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.descriptors import DescriptorTable, descriptors_of_selector
from gdb_epi.hangs.library_calls import (
    ASKS_MANAGER,
    BY_CALL,
    FILE_ON_DISK,
    GRPC_CALL,
    MANAGED_ITEM,
    NEW_CHILD,
    OF_CHILD,
    OF_GRPC,
    OF_ZMQ,
    describe_library_wait,
    frames_running,
    serving_function,
    split_library_frames,
)
from gdb_epi.hangs.system_calls import MAY_LAST, SystemCall, read_system_call
from gdb_epi.hangs.types import ThreadActivity
from gdb_epi.locks.python.lock_objects import SEMLOCK
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.locks.types import GIL, JOINS, LockWait
from gdb_epi.locks.waits.libc_lock_names import innermost_object_outside_libc
from gdb_epi.sizes import HALF_MASK
from gdb_epi.target.api import Target, Thread, pid_of
from gdb_epi.target.cfi import Unwinder
from gdb_epi.target.derived_registers import is_at_system_call
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.target.symbols import symbolize
from gdb_epi.util import default_when_unreadable, quoted_name

MAX_THREADS = 4096
MAX_NATIVE = 256  # frames of one thread
# Kinds of waits (locks/) that nobody holds: somebody has to come.
EVENTS = frozenset((
    "threading.Event", "threading.Condition", "threading.Semaphore", "threading.Barrier",
    "queue.Queue", "queue.SimpleQueue", "Future",
))  # fmt: skip
_GETS = ("multiprocessing.queues", "get")
MAX_METHOD = 64  # characters
GENERATED = "code that was compiled as the program ran"  # by numba and its like: it has no file
_INTERPRETERS = ("python", "libpython")
_SLEEPS = "clock_nanosleep"
_SQLITE = ("libsqlite3", "_sqlite3")
_ZMQ = ("libzmq", "_zmq.")
_SERVERS = ("libpq", "_psycopg", "libmysqlclient", "libmariadb", "libodbc")


class ThreadActivityReader:
    """Read what the threads of one process do."""

    def __init__(
        self,
        target: Target,
        view: PythonView | None,
        waits: Sequence[LockWait],
        is_library: Callable[[PyFrame], bool],
    ) -> None:
        self.target = target
        self.view = view
        self._is_library = is_library
        self.waits = {wait.tid: wait for wait in waits}
        self._unwinder = Unwinder(target, FunctionBounds(target))
        self._pid = pid_of(target)
        self.descriptors = DescriptorTable(view) if view is not None else None

    def all_activities(self, threads: Sequence[Thread]) -> tuple[ThreadActivity, ...]:
        """Return what every thread does, in the order of the core."""
        return tuple(map(self.activity, threads[:MAX_THREADS]))

    def activity(self, thread: Thread) -> ThreadActivity:
        """Return what one thread does; gRPC waits in turns, without the caller's limit."""
        activity, view = self._activity_as_sampled(thread), self.view
        if activity.awaits != OF_GRPC or view is None:
            return activity
        calling = frames_running(view.frames(thread.tid), (GRPC_CALL,))
        limits = [view.variable(frame, "timeout") or 0 for frame in calling][:1]
        return activity._replace(timed=any(view.type_name(x) != "NoneType" for x in limits))

    def _activity_as_sampled(self, thread: Thread) -> ThreadActivity:
        view = self.view
        frames = view.frames(thread.tid) if view is not None else ()
        inner, own = split_library_frames(frames, self._is_library)
        name = view.thread_names.get(thread.tid) if view is not None else None
        base = ThreadActivity(
            thread.tid, name, hang_types.OTHER, frames=own, helper=not own,
            is_main=thread.tid == self._pid,
        )  # fmt: skip
        library = describe_library_wait(inner)
        asked = next(frames_running(inner, (_GETS, ASKS_MANAGER)), None)
        if asked is not None and view is not None:
            base = base._replace(object=view.variable(asked, "self") or 0)
            if (
                library is not None
                and asked.name == ASKS_MANAGER[1]
                and self._waits_for_managed_item(view, asked)
            ):
                library = (library[0], MANAGED_ITEM, library[2])
        if library is not None:
            base = base._replace(place=library[2], awaits=library[1])
        base = base._replace(place=serving_function(inner) or base.place)
        wait = self.waits.get(thread.tid)
        call = read_system_call(self.target, thread)
        if call is None and _SLEEPS in self._function_at(thread.pc):
            # It has slept, or is about to: that function of the C library does nothing else.
            call = SystemCall(hang_types.SLEEP, _SLEEPS, timed=True)
        if wait is not None and not self._was_lock_released_meanwhile(wait, thread):
            return self._activity_of_lock_wait(base, wait, library, thread)
        if call is None or wait is not None:
            met_in = thread.system_call_name or ""
            lasts = met_in in MAY_LAST and is_at_system_call(self.target, thread)
            return self._activity_of_running_thread(base, thread, frames)._replace(
                call=met_in if lasts else ""
            )
        if call.kind == hang_types.WORK:
            return self._activity_of_running_thread(base, thread, frames)._replace(call=call.name)
        return self._activity_of_system_call(base, call, library, thread, inner)

    @staticmethod
    @default_when_unreadable(False)
    def _waits_for_managed_item(view: PythonView, asked: PyFrame) -> bool:
        """Tell whether a manager is asked for get() without a timeout, which waits for an item."""
        method, args, named = (view.variable(asked, n) for n in ("methodname", "args", "kwds"))
        containers = ContainerReader(view.reader)
        given = len(list(containers.tuple_items(args))) if args else 2
        return (
            given < 2 and named is not None and not list(view.objects.dict_items(named))
            and method is not None and view.reader.string(method, MAX_METHOD) == "get"
        )  # fmt: skip

    def _was_lock_released_meanwhile(self, wait: LockWait, thread: Thread) -> bool:
        """Tell whether a Python lock was released meanwhile: its word is not what was waited on.

        futex(2) returns at once then. Of other words that may be a wake-up that was forgotten.
        """
        if thread.system_call_name != "futex" or not (wait.kind in EVENTS or wait.kind in JOINS):
            return False
        word = read_u32(self.target, wait.address)
        return word is not None and word != thread.system_call_argument(2) & HALF_MASK

    def _activity_of_running_thread(
        self, base: ThreadActivity, thread: Thread, frames: Sequence[PyFrame]
    ) -> ThreadActivity:
        here = self.target.region_at(thread.pc)
        of_object = any(m.start <= thread.pc < m.end for m in self.target.modules())  # or the vDSO
        of_no_file = here is not None and not here.path and may_execute(here) and not of_object
        name = GENERATED if of_no_file else self._module_name(thread)
        kind = hang_types.PYTHON if frames and name.startswith(_INTERPRETERS) else hang_types.NATIVE
        return base._replace(kind=kind, module=_name_unless_interpreter(name), what="runs")

    def _activity_of_lock_wait(
        self,
        base: ThreadActivity,
        wait: LockWait,
        library: tuple[str, str, str] | None,
        thread: Thread,
    ) -> ThreadActivity:
        """A wait for a lock, by what `locks/` says about it."""
        target, timed = None if wait.doubt else wait.owner.tid, wait.timed
        base = base._replace(label=f"{wait.kind}:{wait.name}" if wait.name else wait.kind)
        if wait.kind in JOINS:
            base = base._replace(label="join")  # the name of a thread holds a number
        if wait.kind == GIL:
            return base._replace(kind=hang_types.GIL, what="the GIL", target=target)
        text = f"the {wait.kind} {wait.name}" if wait.name else f"a {wait.kind}"
        activity = base._replace(object=wait.object or 0, target=target, timed=timed, call="futex")
        if wait.kind in JOINS:
            what = f"the end of thread {quoted_name(wait.name) or target or '?'}"
            return activity._replace(kind=hang_types.JOIN, what=what)
        if library is not None and library[0] in (
            hang_types.JOIN,
            hang_types.CHILD,
            hang_types.READ,
        ):
            return activity._replace(kind=library[0], what=library[1])
        if wait.kind in EVENTS:
            what = library[1] if library is not None and library[0] == hang_types.EVENT else text
            what = self._barrier_parties_clause(wait) or what
            if wait.name and what != text:
                what = f"{what} ({wait.name})"
            return activity._replace(kind=hang_types.EVENT, what=what)
        if wait.kind == SEMLOCK:
            what = library[1] if library else text.replace("SemLock", "lock")
            return activity._replace(kind=hang_types.LOCK, what=what, target=None)
        return activity._replace(
            kind=hang_types.LOCK,
            what=text,
            module=_name_unless_interpreter(self._module_name(thread)),
        )

    def native_modules(self, tid: int, *, within_call: bool = False) -> frozenset[str]:
        """Return the names of the files whose code is on a thread's native stack.

        `within_call`: only of what the innermost code of Python called.
        """
        pcs = list(self._native_code_addresses(tid))
        if within_call:
            pcs = list(takewhile(lambda pc: not self._function_at(pc).startswith(EVAL_LOOP), pcs))
        return frozenset(
            m.path.rpartition("/")[2]
            for m in self.target.modules() if any(m.start <= pc < m.end for pc in pcs)
        )  # fmt: skip

    def innermost_module(self, tid: int) -> str:
        """Return the file whose code a thread runs, also where its stack cannot be unwound."""
        return self._module_name(
            next(thread for thread in self.target.threads() if thread.tid == tid)
        )

    def native_functions(self, tid: int) -> Iterator[str]:
        """Yield the names of the functions on a thread's native stack, innermost first."""
        yield from map(self._function_at, self._native_code_addresses(tid))

    def _native_code_addresses(self, tid: int) -> Iterator[int]:
        thread = next(thread for thread in self.target.threads() if thread.tid == tid)
        yield from (f.pc for f in islice(self._unwinder.walk(thread.registers), MAX_NATIVE))

    def _function_at(self, pc: int) -> str:
        return symbolize(self.target, pc).partition("+")[0]

    def _barrier_parties_clause(self, wait: LockWait) -> str:
        """Return how many a threading.Barrier waits for (3.8 to 3.15); "" for anything else."""
        if wait.kind != "threading.Barrier" or self.view is None or not wait.object:
            return ""
        parties, came = (
            self.view.integer_attribute(wait.object, n) for n in ("_parties", "_count")
        )
        if parties is None or came is None or not 0 < came < parties:
            return f"the other {hang_types.OF_BARRIER}"
        return f"{parties - came} more of the {parties} {hang_types.OF_BARRIER}"

    def _module_name(self, thread: Thread) -> str:
        """Return the file whose code a thread runs, the C library left out; "" for none."""
        module = innermost_object_outside_libc(self.target, thread, self._unwinder)
        return module.path.rpartition("/")[2] if module is not None else ""

    def _activity_of_system_call(
        self,
        base: ThreadActivity,
        call: SystemCall,
        library: tuple[str, str, str] | None,
        thread: Thread,
        inner: Sequence[PyFrame],
    ) -> ThreadActivity:
        name = _name_unless_interpreter(self._module_name(thread))
        activity = base._replace(kind=call.kind, timed=call.timed, module=name, call=call.name)
        activity = activity._replace(target=call.fd, watched=call.fds)
        if call.kind == hang_types.POLL and self.view is not None and not call.fds:
            watched = descriptors_of_selector(self.view, self.view.frames(thread.tid))
            activity = activity._replace(watched=watched or ())
        if call.kind == hang_types.SLEEP and name.startswith((*_SQLITE, *_SERVERS)):
            return activity._replace(
                kind=hang_types.DATABASE, what="a locked database", timed=False
            )
        if call.kind in (hang_types.READ, hang_types.POLL) and name.startswith(_SERVERS):
            answer = "the answer of a database server"
            return activity._replace(kind=hang_types.READ, what=answer, awaits=answer)
        if call.kind in (hang_types.READ, hang_types.POLL) and name.startswith(_ZMQ):
            if library is not None:
                return activity._replace(kind=library[0], what=library[1])
            return activity._replace(kind=hang_types.READ, what=OF_ZMQ, awaits=OF_ZMQ)
        if call.name in BY_CALL:
            return activity._replace(what=BY_CALL[call.name], awaits=BY_CALL[call.name])
        if call.kind == hang_types.CHILD:
            activity = activity._replace(target=call.child or self._pid_of_awaited_child(inner))
            return activity._replace(what=self._child_text(activity.target))
        if library is not None and library[0] not in (hang_types.EVENT, hang_types.LOCK):
            kind, what, _ = library
            if kind == hang_types.CHILD:
                activity = activity._replace(target=self._pid_of_awaited_child(inner))
                if activity.awaits == NEW_CHILD:
                    what = self._new_child_text(activity.target)
                elif activity.target:
                    child = self._child_text(activity.target)
                    what = child if what == OF_CHILD else f"{what}: {child}"
            return activity._replace(kind=kind, what=what)
        if (
            call.kind
            in (hang_types.READ, hang_types.WRITE, hang_types.ACCEPT, hang_types.FILE_LOCK)
            and call.fd is not None
        ):
            if self.descriptors is None:
                return activity._replace(what=f"descriptor {call.fd}")
            descriptor = self.descriptors.describe(call.fd, (*inner, *base.frames[:1]))
            awaits = FILE_ON_DISK if descriptor.kind == "disk" else activity.awaits
            return activity._replace(what=descriptor.text, awaits=awaits)
        return activity._replace(what=call.name)

    def _pid_of_awaited_child(self, inner: Sequence[PyFrame]) -> int | None:
        """Return the pid of the child that frames of subprocess or multiprocessing wait for."""
        if self.view is None:
            return None
        for frame in inner:
            pid = self.view.integer_attribute(self.view.variable(frame, "self"), "pid")
            if pid:
                return pid
        return None

    def _child_text(self, pid: int | None) -> str:
        if pid is None:
            return "the end of a child process"
        child = self.descriptors.child_of_pid(pid) if self.descriptors else None
        return f"the end of child {pid}" + (f" ({child.command})" if child is not None else "")

    def _new_child_text(self, pid: int | None) -> str:
        if pid is None:
            return NEW_CHILD
        child = self.descriptors.child_of_pid(pid) if self.descriptors else None
        program = child.command if child is not None else "its program"
        return f"its new child {pid} to start {program}"


def _name_unless_interpreter(name: str) -> str:
    """Return the name of a file with code, "" where it is the interpreter's."""
    return "" if name.startswith(_INTERPRETERS) else name
