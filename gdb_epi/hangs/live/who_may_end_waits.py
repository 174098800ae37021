# SPDX-License-Identifier: Apache-2.0
"""Who else could end the waits that an answer calls a hang or a deadlock: asked once, for all.

Outside of this process: the other side of a descriptor, a child, whoever has a lock. Inside: a
thread or task that goes on, a handler of a signal, native code, where what each may still do
(live_code.py) ends that wait. In one core such a party looks the same whether it comes late or
never. Members of a circle wait for each other, whatever their code would do then: of others only
those count that end a wait for the very object, or have it at hand and end waits of its sort.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, islice

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.errors import Absent, EpiError, LayoutError, UnreadableMemory
from gdb_epi.fault.own_native_code import is_own_library
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.descriptor_waits import may_other_processes_share_descriptors
from gdb_epi.hangs.hang_context import HangContext, threads_held_up_by
from gdb_epi.hangs.library_calls import FUTURES
from gdb_epi.hangs.live.effects import NOTHING, CodeEffects
from gdb_epi.hangs.live.interruptions import name_who_interrupts
from gdb_epi.hangs.live.unblocked_threads import NO_THREAD, UnblockedThreads
from gdb_epi.hangs.signal_waits import signals_that_may_wake
from gdb_epi.hangs.tasks import CANCELS, ENDERS, event_loop_module, has_timeout
from gdb_epi.hangs.types import (
    BUFFER_FILLED,
    CANCELLING_TASK,
    DEADLOCK,
    FED,
    HANDLED_SIGNAL,
    HANG,
    HOLDER,
    KEEPER,
    LATE_CLIENT,
    LATER_RELEASE,
    LATER_THREAD,
    NATIVE_THREAD,
    OTHER_PROCESS,
    SERVICE,
    SLOW_CHILD,
    SLOW_PEER,
    TIMEOUT_AROUND,
    UNREAD_CODE,
    HangDiagnosis,
    ThreadActivity,
)
from gdb_epi.hangs.wakers import is_waiting_for_event_nobody_sets, methods_ending_wait
from gdb_epi.locks.python.lock_objects import SEMLOCK
from gdb_epi.locks.types import CERTAIN, CONDITION
from gdb_epi.target.imported_functions import ImportedFunctions

_BY_CALL = {
    **dict.fromkeys((hang_types.READ, hang_types.WRITE, hang_types.POLL, hang_types.ACCEPT),
                    SLOW_PEER),
    hang_types.CHILD: SLOW_CHILD, hang_types.SIGNAL: OTHER_PROCESS,
    **dict.fromkeys((hang_types.FILE_LOCK, hang_types.DATABASE), HOLDER),
}  # fmt: skip
# Kinds of answers about waits that another process ends, by whatever call they wait; "": whose rule
# looked at the other side, which does nothing more.
_BY_ANSWER = {
    **dict.fromkeys(("peer", "peer does not read", "one client", "closing", "retries",
                     "held while it waits"), SLOW_PEER),
    **dict.fromkeys(("child", "full pipe", "open stdin", "unread queue", "preexec_fn", "exec",
                     "children reaped one by one",
                     "process pool"), SLOW_CHILD),
    **dict.fromkeys(("file lock", "lock file", "database lock", "lock of another process"),
                    HOLDER),
    **dict.fromkeys(("queue of processes", "job elsewhere", "pool", "open", "polls"),
                    OTHER_PROCESS),
    "idle holder": LATE_CLIENT,
    **dict.fromkeys(("closed socket", "socket kept open", "pipe of its own", "not sent",
                     "read ahead", "signal taken elsewhere", "breakpoint", "unreaped child",
                     "nothing wakes the loop", "ignored cancel"), ""),
}  # fmt: skip
_BY_THREAD = {
    hang_types.READ: SLOW_PEER, hang_types.WRITE: SLOW_PEER,
    hang_types.ACCEPT: LATE_CLIENT, hang_types.POLL: LATE_CLIENT, hang_types.CHILD: SLOW_CHILD,
}  # fmt: skip
_GIVEN = frozenset((hang_types.EVENT, hang_types.LOCK))
_PIPE, _OF_GENERATOR = "pipe", "held by a generator"
_INSTALLS = frozenset(("sigaction", "signal", "__sysv_signal", "bsd_signal", "sigset"))
_SETTLES = frozenset(("cancel", "set_result", "set_exception"))
_CANCELS_ALL = frozenset(("all_tasks",))
_SCOPES = ("CancelScope", "TaskGroup", "Nursery")  # whose cancel() ends what waits within
_NOT_FOLLOWED = ("module", "type", "function", "code", "str", "int", "bytes")
MAX_TASKS = 300  # whose code is followed
MAX_HOPS = 2  # from a variable to an item of its attribute
MAX_OBJECTS = 4_000  # of one task or thread, that are at hand


def add_who_may_end_wait(context: HangContext, answer: HangDiagnosis) -> HangDiagnosis:
    """Return an answer with who may end the wait that it is about, and only be slow."""
    if answer.label not in (HANG, DEADLOCK):
        return answer
    try:
        outside = answer.outside or next(_PartiesThatMayEndWaits(context, answer).parties(), "")
        outside = outside or (
            BUFFER_FILLED if _is_any_buffer_exported(context, answer.read) else ""
        )
        outside = outside or name_who_interrupts(context, answer.members)
    except EpiError:  # damaged memory: the answer stands, and is less sure
        outside = UNREAD_CODE
    return answer._replace(outside=outside)


class _PartiesThatMayEndWaits:
    """The parties beside the members of one answer that could end their waits."""

    def __init__(self, context: HangContext, answer: HangDiagnosis) -> None:
        self._context, self._answer, self._unblocked = context, answer, UnblockedThreads(context)
        self._is_circle = answer.label == DEADLOCK
        members = {activity.tid for activity in answer.members}
        # Who waits for a member of a circle goes on no sooner than that.
        self._members = threads_held_up_by(context, members) if self._is_circle else members

    def parties(self) -> Iterator[str]:
        """Yield who may end it, as words before "looks the same" or "ends it"."""
        answer, members = self._answer, self._answer.members
        last = members[-1]  # each waits for the next
        ids = {activity.task[0] for activity in members if activity.task[0]}
        if not (self._is_circle or answer.settled):
            yield from self._parties_in_other_processes(members)
        if answer.kind == "nothing wakes the loop":
            loops = () if answer.settled else self._running_event_loops or (0,)
            if any(signals_that_may_wake(self._context, loop) for loop in loops):
                yield SERVICE
        elif answer.kind == "GIL held":
            yield from self._parties_needing_no_gil(last)
        else:
            yield from self._parties_that_end_tasks(ids) if ids else ()
            # Whoever drops the generator, the last one that had it, ends its block.
            if answer.kind == _OF_GENERATOR and any(
                self._unblocked.unblocked_threads(but=last.tid)
            ):
                yield LATER_RELEASE
            if not self._is_circle and not ids and self._may_have_native_handlers(last):
                yield HANDLED_SIGNAL
            if self._is_circle and len(members) == 1 and not ids:
                yield from self._parties_that_release(last)
            for activity in members if self._is_circle else (last,):
                if activity.kind in _GIVEN and not activity.task[0]:
                    yield from self._parties_that_give(activity)

    def _parties_in_other_processes(self, members: Sequence[ThreadActivity]) -> Iterator[str]:
        """Yield who ends calls that wait for another process."""
        last, kind = members[-1], self._answer.kind
        by_call = "" if last.timed or last.task[0] else _BY_CALL.get(last.kind, "")
        if kind != _PIPE:
            who, wait = _BY_ANSWER.get(kind, by_call), self._context.waits.get(last.tid)
            if who == HOLDER and wait is not None and wait.kind == CONDITION:
                who = OTHER_PROCESS  # nobody has it, to give it back
            yield from filter(None, (who,))
        # Who has the other end was followed, where that is in this process; it may have a copy.
        for activity in members if kind == _PIPE else members[:-1]:
            numbers = activity.watched or (activity.target,)
            if activity.kind in FED and len(numbers) == 1 and numbers[0] is not None:
                end = self._context.pipe_ends.other_end(numbers[0])
                if end is not None and may_other_processes_share_descriptors(self._context):
                    yield OTHER_PROCESS

    def _parties_needing_no_gil(self, activity: ThreadActivity) -> Iterator[str]:
        """Yield who may end a wait of native code that holds the GIL: who needs it is stuck."""
        wait = self._context.waits.get(activity.tid)
        stuck = {d.tid for d in self._context.activities if d.kind == hang_types.GIL}
        free = any(tid not in stuck for tid, _ in self._context.foreign_threads)
        posted = activity.kind == hang_types.LOCK and not activity.timed and free
        if posted and (wait is None or wait.owner.tid not in stuck):
            yield NATIVE_THREAD

    def _parties_that_release(self, activity: ThreadActivity) -> Iterator[str]:
        """Yield who may give back a lock that a thread took itself, though it is not theirs.

        Any process may release a Lock of multiprocessing (Modules/_multiprocessing/semaphore.c),
        and glibc lets any thread unlock an ordinary mutex: both serve as gates.
        """
        wait = self._context.waits.get(activity.tid)
        if wait is not None and wait.kind == SEMLOCK:
            yield OTHER_PROCESS
        by_native = wait is not None and "mutex" in wait.kind and not activity.object
        if by_native and any(tid != activity.tid for tid, _ in self._context.foreign_threads):
            yield NATIVE_THREAD

    def _parties_that_give(self, activity: ThreadActivity) -> Iterator[str]:
        """Yield who may give a thread the event, item or lock that it waits for.

        Of a circle: whose code ends a wait for that very object, or has it at hand and ends such.
        What cannot be followed does so too, but for a lock that only who has it gives back.
        """
        context, address, in_circle = self._context, activity.object, self._is_circle
        enders, is_lock = methods_ending_wait(context, activity), activity.kind == hang_types.LOCK
        able = dict(self._unblocked.who_may_end(activity)) if address else {}
        # A library's code is not read, and any thread may call a method that somebody keeps.
        unread = not in_circle and (
            self._unblocked.may_library_end_wait(activity)
            or self._unblocked.is_ending_method_kept(activity)
            if address else not is_lock
        )  # fmt: skip
        owned = in_circle and (is_lock and self._is_released_by_owner_alone(activity))
        going = {*self._unblocked.unblocked_threads(but=activity.tid)} - self._members
        if in_circle and address and activity.awaits in FUTURES:
            enders |= _SETTLES
            if context.live_code.is_method_kept(address, enders):
                yield LATER_THREAD
        at_hand = (
            context.frame_references.threads_referring_to(address) if in_circle else set[int]()
        )
        for other in context.activities:
            does, frames = able.get(other.tid), context.view.frames(other.tid)
            usual = LATER_RELEASE if is_lock else LATER_THREAD if frames else NATIVE_THREAD
            # The callbacks of a loop are on no stack.
            calls_back = NO_THREAD in able and event_loop_module(frames)
            by_any = unread or (calls_back and not in_circle)
            fed = is_lock or (other.kind in FED and not other.timed)
            if other.tid in going and ((by_any and fed) or (does is not None and (
                not in_circle or does.surely_calls_any(address, enders)
                or (does.unbounded and not owned)
                or (does.surely_calls_any(0, enders) and other.tid in at_hand)
            ))):  # fmt: skip
                yield usual if is_lock or other.timed else _BY_THREAD.get(other.kind, usual)
        if not in_circle and is_waiting_for_event_nobody_sets(context, activity):
            yield KEEPER
        for does, may in self._effects_of_signal_handlers if address else ():
            if does.calls_any(address, enders) or (
                not in_circle and may.calls_any(address, enders)
            ):
                yield HANDLED_SIGNAL
        if not owned and NO_THREAD in able and context.foreign_threads:
            yield NATIVE_THREAD
        unnamed = self._effects_of_python_hooks if going and not in_circle else ()
        if any(does.calls_any(address, enders) for does in unnamed) or (
            going and not owned and self._does_unnamed_code_end(address, enders)
        ):
            yield LATER_RELEASE if is_lock else LATER_THREAD

    def _is_released_by_owner_alone(self, activity: ThreadActivity) -> bool:
        """Tell whether only the thread that has a lock can be to give it back.

        It is in a `with` block of it, or the lock has an owner: no gate that others open.
        """
        wait = self._context.waits.get(activity.tid)
        by_hand = wait is None or wait.confidence != CERTAIN
        return not by_hand or bool(self._context.view.with_blocks_of_lock(activity.object))

    def _does_unnamed_code_end(self, address: int, enders: Collection[str]) -> bool:
        """Tell whether code that nobody calls by name ends a wait; of a circle that very one."""
        awaited = frozenset(f.address for task in self._context.tasks for f in task.stack)
        does = self._context.live_code.effects_of_unnamed_calls(awaited)
        return does.surely_calls_any(address, enders) or (
            not self._is_circle and does.surely_calls_any(0, enders)
        )

    @cached_property
    def _effects_of_python_hooks(self) -> list[CodeEffects]:
        """What CPython calls in whatever thread goes on: hooks (hooks.py), and each `__del__`.

        That runs in the thread that drops an object last, by whatever name it was written.
        """
        code, view = self._context.live_code, self._context.view
        instances = shared_instances(self._context.target, self._context.python)
        reached = [code.effects_of_callable(at) for at in self._context.python_hooks]
        for of_class in instances.instances_of(("type",)):
            with suppress(UnreadableMemory, LayoutError):
                info = instances.types.type_at(of_class.address)
                is_own = info.module in code.own_modules
                ends = view.objects.dict_get(info.dict, "__del__") if is_own else 0
                if ends and not isinstance(ends, Absent):
                    reached.append(code.effects_of_callable(ends))
        return reached

    # -- tasks ------------------------------------------------------------------------------------

    def _parties_that_end_tasks(self, ids: Collection[int]) -> Iterator[str]:
        """Yield who may end what tasks wait for, or cancel one, or a task that awaits them.

        Who awaits them as well goes on no sooner than they do, but for a timeout of its own.
        """
        context = self._context
        waiting = set(ids)
        while True:
            beside = [
                t
                for t in context.tasks
                if t.id not in waiting and _awaits_only_stuck_tasks(t, waiting)
            ]
            unlimited = {t.id for t in beside if not has_timeout(t, (t,), context.view)}
            if not unlimited:
                break
            waiting |= unlimited
        around = (t for t in context.tasks if t.id not in ids and t.wait is not None)
        if beside or any(
            has_timeout(t, (t,), context.view)
            and not waiting.isdisjoint(
                self._objects_reachable_in_one_step(self._objects_awaited(t))
            )
            for t in around
        ):
            yield TIMEOUT_AROUND
        methods = {t.wait.address: ENDERS.get(t.wait.kind, CANCELS)
                   for t in context.tasks if t.id in ids and t.wait is not None}  # fmt: skip
        ends = {**methods, **dict.fromkeys(waiting, CANCELS)}
        for does, _ in self._effects_of_signal_handlers:
            if any(does.surely_calls_any(at, names) for at, names in ends.items() if at):
                yield HANDLED_SIGNAL
        if any(
            self._ends_any_wait(self._unblocked.effects_of_task(t), t.stack, ends)
            for t in islice((t for t in context.tasks if t.id not in waiting), MAX_TASKS)
        ) or any(context.live_code.is_method_kept(at, names) for at, names in ends.items()):
            yield CANCELLING_TASK
        by_loop = (
            context.live_code.effects_of_loop_callbacks if self._running_event_loops else NOTHING
        )
        if any(by_loop.calls_any(at, names) or self._does_unnamed_code_end(at, names)
               for at, names in ends.items()):  # fmt: skip
            yield CANCELLING_TASK
        for tid in self._unblocked.unblocked_threads(
            but=context.loop_thread.tid if context.loop_thread else 0
        ):
            if self._ends_any_wait(
                self._unblocked.effects_of_thread(tid), context.view.frames(tid), ends
            ):
                yield LATER_THREAD

    def _objects_awaited(self, task: UnfinishedTask) -> list[int]:
        """Return what a task waits for, also by wait_for(): one future of several, as gather()."""
        variables = (self._context.view.variable(f, "fut") for f in task.stack)
        return [task.wait.address if task.wait is not None else 0, *filter(None, variables)]

    def _ends_any_wait(
        self, does: CodeEffects, frames: Sequence[PyFrame], ends: Mapping[int, Collection[str]]
    ) -> bool:
        """Tell whether code ends one of some waits: by its object, or has that at hand."""
        if does.unbounded or any(
            does.surely_calls_any(at, names) for at, names in ends.items() if at
        ):
            return True
        view, called = self._context.view, {name for _, name in does.calls}
        cancelled = {at for at, name in does.calls if name in CANCELS}
        held = [*cancelled]  # one may be several, as what gather() returns
        if 0 in cancelled or "killall" in called:
            held += [at for frame in frames for _, at in view.variable_addresses(frame)]
        scopes = any(view.type_name(at).endswith(_SCOPES) for at in cancelled - {0})
        if cancelled and (scopes or called & _CANCELS_ALL):
            return True
        tasks = {at for at, names in ends.items() if names is CANCELS}
        return bool(cancelled) and not tasks.isdisjoint(self._objects_reachable_in_one_step(held))

    def _objects_reachable_in_one_step(self, level: Sequence[int]) -> Iterator[int]:
        """Yield some objects, and those to which they lead by attributes and items."""
        seen = set[int]()
        for _ in range(MAX_HOPS + 1):
            level = [at for at in dict.fromkeys(level) if at and not at & 7 and at not in seen]
            level = level[: MAX_OBJECTS - len(seen)]
            seen.update(level)
            yield from level
            level = [at for word in level for at in self._attributes_and_items(word)]

    @cached_property
    def _values(self) -> PlainValues:
        return PlainValues(self._context.target, self._context.python)

    def _attributes_and_items(self, word: int) -> Iterator[int]:
        if self._context.view.type_name(word) not in _NOT_FOLLOWED:
            values = self._values
            yield from values.sequence_items(word) or values.set_members(word)
            yield from chain.from_iterable(values.dict_pairs(word))
            yield from values.attributes(word).values()

    # -- signals ----------------------------------------------------------------------------------

    @cached_property
    def _effects_of_signal_handlers(self) -> list[tuple[CodeEffects, CodeEffects]]:
        """What the handlers of signals do and may do, those of event loops too."""
        context = self._context
        of_loops = map(context.event_loop_reader.signal_handlers, self._running_event_loops)
        reached = (context.effects_of_callables(handlers).values() for handlers in of_loops)
        return [*context.effects_of_signal_handlers.values(), *chain.from_iterable(reached)]

    def _may_have_native_handlers(self, activity: ThreadActivity) -> bool:
        """Tell whether native code that waits or loops belongs to a library that handles signals.

        What C handlers there are is in the kernel alone. One may post a semaphore or leave a loop:
        sem_post() and siglongjmp() are made for that (signal-safety(7)).
        """
        if activity.object or activity.kind not in (hang_types.LOCK, hang_types.NATIVE):
            return False
        target, names = self._context.target, self._context.native_modules(activity.tid)
        imports = ImportedFunctions(target)
        return any(
            not _INSTALLS.isdisjoint(imports.names_by_slot(module.start).values())
            for module in target.modules()
            if module.path.rpartition("/")[2] in names and is_own_library(module.path)
        )

    @cached_property
    def _running_event_loops(self) -> set[int]:
        """The event loops of asyncio that threads run (PyObject *)."""
        view = self._context.view
        return {
            loop for frames in view.all_frames().values() for frame in frames
            if frame.module == "asyncio.base_events" and (loop := view.variable(frame, "self"))
        }  # fmt: skip


def _is_any_buffer_exported(context: HangContext, objects: Collection[int]) -> bool:
    """Tell whether anybody has the memory of a buffer, to write into it without Python code.

    So has a call that is in progress, as recv_into() and readinto(), and what ctypes made of it:
    the buffer counts them. A memoryview is one itself, of whatever is behind it.
    """
    try:
        for at in objects:
            locks, reader = context.view.locks, context.view.reader
            kind = locks.type_name(at) if at > 0 and not at & 7 else ""
            if kind == "bytearray" and reader.field(at, "PyByteArrayObject", "ob_exports"):
                return True
            if kind == "memoryview":
                behind = reader.field(at, "PyMemoryViewObject", "view.obj")
                if not behind or locks.type_name(behind) != "bytes":
                    return True
    except (UnreadableMemory, LayoutError):
        return True
    return False


def _awaits_only_stuck_tasks(task: UnfinishedTask, stuck: Collection[int]) -> bool:
    """Tell whether a task goes on only when stuck ones do."""
    awaited = [waker in stuck for waker in task.wakers]
    return bool(awaited) and (any(awaited) if task.needs == "all" else all(awaited))
