# SPDX-License-Identifier: Apache-2.0
"""Which threads of a process are not blocked for ever, and what they can still end or change.

A thread that runs, sleeps, waits with a timeout or for something outside goes on. One that waits
for an event, a queue, a lock or another thread's end goes on when one that does may end that. Code
that no thread runs, of a signal handler, of the event loop, or that a native thread may call, goes
on as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.fault.signals import signal_name
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.library_calls import FREE_CONNECTION, FUTURES, OF_CLUSTER, POOL_RESULTS
from gdb_epi.hangs.live.effects import ANYTHING, CodeEffects, CodeToRun, is_byte_in_ranges
from gdb_epi.hangs.live.futures_made_here import is_future_made_by_frame
from gdb_epi.hangs.live.holders_of_awaited import is_referenced_only_by
from gdb_epi.hangs.live.library_effects import CHANGERS, REWIRED, REWIRING
from gdb_epi.hangs.live.paired_releases import PairedReleases
from gdb_epi.hangs.loops.futile_polls import find_polled_condition
from gdb_epi.hangs.tasks import event_loop_module
from gdb_epi.hangs.types import PolledCondition, ThreadActivity
from gdb_epi.hangs.wakers import find_wakers, methods_ending_wait
from gdb_epi.locks.python.lock_objects import SEMLOCK
from gdb_epi.util import default_when_unreadable

MAX_THREADS = 200
NO_THREAD = 0  # in the place of a thread's id
_BARRIER = "threading.Barrier"
_RELEASES = frozenset(("release", "release_lock", "__exit__"))
_OF_BARRIERS = frozenset(("wait", "abort", "reset"))
_GIVEN_BY_LIBRARIES = (*FUTURES, POOL_RESULTS, OF_CLUSTER, FREE_CONNECTION)
_WITH_ITEMS = frozenset((
    "dict", "list", "bytearray", "collections.defaultdict", "collections.OrderedDict",
    "collections.Counter",
))  # fmt: skip
_IN_PLACE = range(13, 26)  # arguments of BINARY_OP (Include/opcode.h, NB_INPLACE_*, 3.11 to 3.15)
CHANGES = CHANGERS | frozenset(
    "put put_nowait set set_result set_exception cancel release notify notify_all".split()
)


class UnblockedThreads:
    """The threads of one process that go on: nothing blocks them for ever."""

    def __init__(self, context: HangContext) -> None:
        self._context = context

    def may_unblocked_code_end_wait(
        self, activity: ThreadActivity, owner: int | None = None
    ) -> bool:
        """Tell whether code that goes on may end a thread's wait. True where that is not known.

        `owner` is the thread that alone may release what is waited for, as an RLock.
        """
        if self._is_awaited_had_only_by_waiters(activity, self._context.activities):
            return False
        if self.may_library_end_wait(activity) or not activity.object or self._has_too_many_threads:
            return True
        if owner is not None:
            return any(tid == owner for tid, _ in self.who_may_end(activity))
        return self.is_ending_method_kept(activity) or any(True for _ in self.who_may_end(activity))

    def is_ending_method_kept(self, activity: ThreadActivity) -> bool:
        """Tell whether any thread may have what ends a wait: a method of the object, or a block.

        Somebody keeps such a method to call it, or is in the `with` block of that very lock.
        """
        return self._paired_releases(
            activity
        ).is_own_block_entered or self._context.live_code.is_method_kept(
            activity.object, self._methods_that_end(activity)
        )

    def who_may_end(self, activity: ThreadActivity) -> Iterator[tuple[int, CodeEffects]]:
        """Yield the threads that go on and may end a thread's wait for an object, and what they do.

        NO_THREAD stands for code that no thread runs now.
        """
        if self._is_awaited_had_only_by_waiters(activity, self._context.activities):
            return
        enders, paired_releases = self._methods_that_end(activity), self._paired_releases(activity)
        for tid, effects in self._effects_of_others(activity.tid, activity):
            if effects.calls_any(
                activity.object, enders
            ) and not paired_releases.does_acquire_precede_release(effects):
                yield tid, effects

    def _is_awaited_had_only_by_waiters(
        self, activity: ThreadActivity, threads: Iterable[ThreadActivity]
    ) -> bool:
        """Tell whether nobody has what a thread waits for but those that wait so too."""
        at, view = activity.object, self._context.view
        if activity.awaits in _GIVEN_BY_LIBRARIES and activity.awaits not in FUTURES:
            return False  # a library's own, which has more parts
        same = [d for d in threads if d.object == at and d.kind == activity.kind and not d.timed]
        return (
            bool(at) and activity.kind == hang_types.EVENT and not activity.timed
            and is_referenced_only_by(self._context, at, (view.frames(d.tid) for d in same))
        )  # fmt: skip

    def _paired_releases(self, activity: ThreadActivity) -> PairedReleases:
        context = self._context
        return PairedReleases(
            context.live_code, context.view.frames(activity.tid), activity.frames, activity.object,
            self._methods_that_end(activity), context.entered_managers,
        )  # fmt: skip

    def may_library_end_wait(self, activity: ThreadActivity) -> bool:
        """Tell whether code of a library ends a wait, which is not looked at."""
        return activity.awaits in _GIVEN_BY_LIBRARIES and not (
            activity.awaits in FUTURES and activity.frames and (
                is_future_made_by_frame(
                    self._context, activity.frames[0], activity.object, ("Future",)
                )
                or is_referenced_only_by(
                    self._context, activity.object, (self._context.view.frames(activity.tid),)
                )
            )
        )  # fmt: skip

    def is_lock_released_by_others(self, activity: ThreadActivity) -> bool:
        """Tell whether other code is known to end a thread's wait for a lock that it took itself.

        Any thread may release a threading.Lock. A call of an object that is not known counts not.
        """
        enders = self._methods_that_end(activity)
        return bool(activity.object) and not self._has_too_many_threads and (
            bool(find_wakers(self._context, activity))
            or self._context.live_code.is_method_kept(activity.object, enders)
            or any(
                effects.surely_calls_any(activity.object, enders)
                for _, effects in self._effects_of_others(activity.tid)
            )
        )  # fmt: skip

    def signal_handler_that_may_end_wait(self, activity: ThreadActivity) -> str:
        """Return in words which handler of a signal may end a thread's wait; "" for none.

        Where CPython's table of handlers was not read, what may be one is looked for: in a program
        that has module `signal`, a function that somebody keeps and that takes what handlers are
        given. The signal comes from without, if it comes.
        """
        if not activity.object or self._has_too_many_threads:
            return ""
        enders = self._methods_that_end(activity)
        if self._context.signal_handlers is not None:
            return next(
                (f"the program's handler of {signal_name(number)}"
                 for number, (_, may) in sorted(self._context.effects_of_signal_handlers.items())
                 if not may.unbounded and may.calls_any(activity.object, enders)), "",
            )  # fmt: skip
        frames = (f for own in self._context.view.all_frames().values() for f in own)
        if not any(
            self._context.view.has_global(frame, "signal") for frame in frames
            if not self._context.installed.contains_frame(frame)
        ):  # fmt: skip
            return ""
        return next(
            (f"{name}(), a handler of signals as it seems,"
             for name, effects in self._context.live_code.effects_of_possible_handlers()
             if not effects.unbounded and effects.calls_any(activity.object, enders)), "",
        )  # fmt: skip

    def may_change_names(
        self, tid: int, names: Collection[str], objects: Collection[int] = ()
    ) -> bool:
        """Tell whether code that goes on beside a thread may change what has one of some names.

        Or the contents of one of some objects. True where that is not known.
        """
        if any(self._context.live_code.is_method_kept(at, CHANGES) for at in objects):
            return True  # whoever has that method may call it
        kinds = map(self._context.view.type_name, objects)
        items = any(kind in _WITH_ITEMS for kind in kinds)
        return self._has_too_many_threads or any(
            self._context.live_code.may_store_to(effects, names)
            or self._may_effects_change_unseen(effects)
            or (
                items
                and effects.touched is None
                and any(
                    self._may_change_containers_in_place(body, objects) for body in effects.bodies
                )
            )
            or (items and self._context.live_code.may_store_items(effects))
            or effects.may_change_any(objects)
            or any(name in CHANGES and (not at or at in objects) for at, name in effects.calls)
            or (bool(objects) and any(name == "*" and at in objects for at, name in effects.calls))
            for _, effects in self._effects_of_others(tid)
        )

    def may_change_unseen(self, tid: int) -> bool:
        """Tell whether code that goes on beside a thread may change anything: variables, code."""
        return not self._has_too_many_threads and any(
            self._may_effects_change_unseen(effects) for _, effects in self._effects_of_others(tid)
        )

    def _may_effects_change_unseen(self, effects: CodeEffects) -> bool:
        """Tell whether some code changes what no name of a store tells; unseen code may."""
        unseen = effects.unbounded and not effects.bodies
        return unseen or any(map(self._changes_what_no_store_names, effects.bodies))

    @default_when_unreadable(True)
    def _changes_what_no_store_names(self, body: CodeToRun) -> bool:
        """Tell whether code changes what no name of a store tells.

        A method as __setattr__ that calls the one of its base does what the store asked it for.
        """
        sites = self._context.call_sites
        itself = self._context.live_code.name_of_code(body.code)
        table = sites.name_tuple(body.code, "co_names")
        return any(
            name in REWIRING and name != itself and is_byte_in_ranges(body.live, at)
            for at, _, name in sites.names_used_by_instructions(body.code)
        ) or any(
            instruction.name == "STORE_ATTR" and table[instruction.argument] in REWIRED
            and is_byte_in_ranges(body.live, instruction.at)
            for instruction in sites.instructions(body.code)
        )  # fmt: skip

    def _may_change_containers_in_place(self, body: CodeToRun, objects: Collection[int]) -> bool:
        """Tell whether code may do `a |= b` or the like to one of some containers.

        What it does so to is stored next. A number or text stands on the right side of sums.
        """
        sites = self._context.call_sites
        try:
            code = list(sites.instructions(body.code))
            _, slots, cells = sites.name_tables(body.code)
            for before, each, after in zip(code, code[1:], code[2:], strict=False):
                in_place = each.name.startswith("INPLACE") or (
                    each.name == "BINARY_OP" and each.argument in _IN_PLACE
                )
                if not in_place or not is_byte_in_ranges(body.live, each.at):
                    continue
                kind, number = after.name, after.argument
                table = {"STORE_FAST": slots, "STORE_DEREF": cells}.get(kind, ())
                value = body.names.get(table[number], 0) if number < len(table) else 0
                if value in objects or (not value and before.operation not in ("const", "number")):
                    return True
        except (UnreadableMemory, LayoutError, IndexError):
            return True
        return False

    @property
    def blocked_threads(self) -> frozenset[int]:
        """The threads whose waits only others can end, and none does; polling ones are left out."""
        return self._blocked_and_polling[0]

    @property
    def polled_conditions(self) -> Mapping[int, PolledCondition]:
        """The threads that look at variables until they change, which none changes."""
        return self._blocked_and_polling[1]

    @property
    def _blocked_and_polling(self) -> tuple[frozenset[int], Mapping[int, PolledCondition]]:
        context = self._context
        if context.settled is None:
            waiting = {d.tid: d for d in context.activities if self._needs_another_thread(d)}
            polling = {} if self._has_too_many_threads else dict(self._futile_polls())
            context.settled = frozenset(waiting), polling
            while True:
                freed = {
                    tid
                    for tid, d in waiting.items()
                    if self._may_other_threads_end_wait(d, waiting)
                }
                changed = {tid for tid, asks in polling.items()
                           if self._may_others_change_condition(tid, asks)}  # fmt: skip
                for tid in freed:
                    del waiting[tid]
                for tid in changed:
                    del polling[tid]
                context.settled = frozenset(waiting), dict(polling)
                if not freed and not changed:
                    break
        return context.settled

    def _futile_polls(self) -> Iterator[tuple[int, PolledCondition]]:
        for activity in self._context.activities:
            if activity.kind != hang_types.SLEEP or not activity.frames:
                continue
            asks = find_polled_condition(self._context, activity)
            if asks is None or not asks.words or not asks.is_plain:
                continue
            if not asks.method or self._is_lock_tried_in_vain(asks):
                yield activity.tid, asks

    def _is_lock_tried_in_vain(self, asks: PolledCondition) -> bool:
        """Tell whether a loop asks for a lock that it does not wait for, and somebody has it."""
        lock = self._context.view.locks.lock_at(asks.object) if asks.method == "acquire" else None
        return lock is not None and bool(lock.locked)

    def _may_others_change_condition(self, tid: int, asks: PolledCondition) -> bool:
        """Tell whether code that goes on beside a thread may change what its loop asks."""
        if not asks.method:
            return self.may_change_names(tid, asks.words, asks.objects)
        return self._context.live_code.is_method_kept(asks.object, _RELEASES) or any(
            effects.calls_any(asks.object, _RELEASES) for _, effects in self._effects_of_others(tid)
        )

    def _may_other_threads_end_wait(
        self, activity: ThreadActivity, waiting: Collection[int]
    ) -> bool:
        going = [d for d in self._context.activities if d.tid not in waiting]
        if activity.target is not None and activity.kind in (hang_types.JOIN, hang_types.LOCK):
            return activity.target not in waiting and activity.target not in self.polled_conditions
        if self._is_awaited_had_only_by_waiters(
            activity, [d for d in self._context.activities if d.tid in waiting]
        ):
            return False
        enders = self._methods_that_end(activity)
        return self._context.live_code.is_method_kept(activity.object, enders) or any(
            effects.calls_any(activity.object, enders)
            for effects in (
                *(self.effects_of_thread(d.tid) for d in going),
                self.effects_outside_threads,
            )
        )

    def _needs_another_thread(self, activity: ThreadActivity) -> bool:
        if activity.timed or activity.kind not in (
            hang_types.EVENT, hang_types.JOIN, hang_types.LOCK
        ):  # fmt: skip
            return False
        wait = self._context.waits.get(activity.tid)
        if wait is None or wait.kind == SEMLOCK or wait.owner.state == "other-process":
            return False
        if activity.awaits in _GIVEN_BY_LIBRARIES or wait.kind == "Future":
            return False
        return bool(activity.object) or activity.target is not None

    def _methods_that_end(self, activity: ThreadActivity) -> frozenset[str]:
        wait = self._context.waits.get(activity.tid)
        if wait is not None and wait.kind == _BARRIER:
            return _OF_BARRIERS
        return methods_ending_wait(self._context, activity)

    def _effects_of_others(
        self, tid: int, awaited: ThreadActivity | None = None
    ) -> Iterator[tuple[int, CodeEffects]]:
        """Yield who goes on beside a thread, and what it may do; NO_THREAD comes last."""
        yield from (
            (unblocked_thread, self.effects_of_thread(unblocked_thread))
            for unblocked_thread in self.unblocked_threads(tid, awaited)
        )
        yield NO_THREAD, self.effects_outside_threads

    def unblocked_threads(self, but: int, awaited: ThreadActivity | None = None) -> Iterator[int]:
        """Yield the threads that go on, but one.

        Left out are those that wait for the same as `awaited`, without a timeout.
        """
        for activity in self._context.activities:
            same = awaited is not None and not activity.timed and (
                (activity.object, activity.awaits) == (awaited.object, awaited.awaits)
            )  # fmt: skip
            if activity.tid != but and activity.tid not in self.blocked_threads and not same:
                yield activity.tid

    def effects_of_threads(self, but: int) -> Iterator[CodeEffects]:
        """Yield what each thread that goes on may do, but one, as the thread of a loop."""
        return map(self.effects_of_thread, self.unblocked_threads(but))

    def effects_of_thread(self, tid: int) -> CodeEffects:
        """Return what the code of a thread that goes on may do, that of its loop's tasks too."""
        context = self._context
        if tid in self.polled_conditions:
            return context.live_code.effects_of_frames(context.view.frames(tid)[:1], in_loop=True)
        if tid not in context.effects_by_thread:
            frames = context.view.frames(tid)
            stacks: list[Sequence[PyFrame]] = [frames]
            activity = context.activity_of_thread(tid)
            module = activity.module if activity is not None else ""
            if event_loop_module(frames, module):
                stacks += [task.stack for task in context.tasks]
            context.effects_by_thread[tid] = (
                ANYTHING
                if self._is_in_foreign_code(tid)
                else context.live_code.effects_of_frames(*stacks)
            )
        return context.effects_by_thread[tid]

    def effects_of_frames_alone(self, tid: int) -> CodeEffects:
        """Return what the code on a thread's own stack may do, without its loop's tasks."""
        context = self._context
        if self._is_in_foreign_code(tid):
            return ANYTHING
        return context.live_code.effects_of_frames(context.view.frames(tid))

    def effects_of_task(self, task: UnfinishedTask) -> CodeEffects:
        """Return what the code of a task may do that goes on."""
        effects = self._context.effects_by_task
        if task.id not in effects:
            effects[task.id] = self._context.live_code.effects_of_frames(task.stack)
        return effects[task.id]

    def _is_in_foreign_code(self, tid: int) -> bool:
        """Tell whether a thread is in code of a library, which may call what it was given.

        The standard library's own modules call nothing but what stands on the stack.
        """
        return bool(self._context.library_running_in_thread(tid))

    @property
    def effects_outside_threads(self) -> CodeEffects:
        """What code may do that no thread runs now: signal handlers, and what native code calls."""
        effects = self._context.effects_by_thread
        if NO_THREAD not in effects:
            effects[NO_THREAD] = self._find_effects_outside_threads()
        return effects[NO_THREAD]

    def _find_effects_outside_threads(self) -> CodeEffects:
        context = self._context
        python = context.view.all_frames()
        if context.foreign_threads:
            return ANYTHING
        native = any(thread.tid not in python for thread in context.target.threads())
        loops = any(event_loop_module(own) for own in python.values())
        if context.tasks and not loops:  # greenlets that no hub runs now
            resting = context.live_code.effects_of_frames(*(task.stack for task in context.tasks))
            if resting.unbounded:
                return ANYTHING
            back = context.live_code.effects_of_kept_functions
            return CodeEffects(
                resting.calls | back.calls, resting.bodies + back.bodies, back.unbounded
            )
        of_asyncio = {task.framework for task in context.tasks} == {"asyncio"}
        if native or (loops and not of_asyncio) or self._may_handle_signals():
            return context.live_code.effects_of_kept_functions
        called = [may for _, may in context.effects_of_signal_handlers.values()]
        called += map(context.live_code.effects_of_callable, context.python_hooks)
        called += [context.live_code.effects_of_loop_callbacks] if loops else []
        return CodeEffects(
            frozenset(call for may in called for call in may.calls),
            tuple(body for may in called for body in may.bodies),
            any(may.unbounded for may in called),
        )

    def _may_handle_signals(self) -> bool:
        """Tell whether the program may have handlers of signals that are not known."""
        context = self._context
        frames = {
            frame.module: frame for own in context.view.all_frames().values() for frame in own
        }
        return context.signal_handlers is None and any(
            context.view.has_global(frame, "signal") for frame in frames.values()
            if not context.installed.contains_frame(frame)
        )  # fmt: skip

    @property
    def _has_too_many_threads(self) -> bool:
        return len(self._context.activities) > MAX_THREADS
