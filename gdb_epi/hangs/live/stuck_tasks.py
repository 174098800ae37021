# SPDX-License-Identifier: Apache-2.0
"""A main task of a loop that nothing can wake, although the loop has timers, sockets or clients.

What one task waits for may be set by another one that goes on, by a thread, or by a function that
somebody keeps to call it: a handler, a protocol's method, a bound `set` of the event itself. Where
none of that code can do it (live_code.py), the task waits for ever; so does who waits for that task
alone. Only the task that the program runs its loop for counts, and one that serves a request: that
another one has nothing to do is no fault. A future must be one that the waiting code made: a
library sets its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import islice

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.running.unfinished_tasks import UNKNOWN, UnfinishedTask
from gdb_epi.cpython.running.wait_rules import (
    CONDITION,
    EVENT,
    FUTURE,
    LOCK,
    SEMAPHORE,
    SLEEP,
    TASK,
    TASKS,
)
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.live.effects import CodeEffects
from gdb_epi.hangs.live.futures_made_here import (
    is_future_made_by_called_function,
    is_future_made_by_frame,
    is_future_made_by_function_stored_from,
)
from gdb_epi.hangs.live.holders_of_awaited import (
    is_referenced_only_by,
    lost_permits_clause,
    may_code_cancel_task,
    name_of_replaced_object,
)
from gdb_epi.hangs.live.paired_releases import PairedReleases
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.loops.tasks_of_one_connection import (
    may_ends_be_written,
    object_and_its_attributes,
    readers_of_both_ends,
)
from gdb_epi.hangs.tasks import (
    CANCELS,
    ENDERS,
    activity_of_task,
    describe_waiting_task,
    has_timeout,
    name_task,
    own_frames,
    texts_of_tasks,
    waits_for_holder,
)
from gdb_epi.hangs.types import (
    HANG,
    POLL,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    wait_diagnosis,
)
from gdb_epi.hangs.wakers import is_shutdown_name
from gdb_epi.locks.types import INFO, PROBABLE

MAX_TASKS = 300
MAX_CHAIN = 32
MAX_ITEMS = 2_000  # of one dict
MAX_OTHERS = 2  # kinds of waits of other stuck tasks that an answer names
_FRAMEWORKS = ("asyncio", "trio", "gevent", "greenlet")
_HELD = (LOCK, SEMAPHORE)
_OF_TRIO = (EVENT, CONDITION, SEMAPHORE, TASK, TASKS)
_CUTS_SHORT = ("CancelScope", "Timeout")
_PROTOCOL = "asyncio.streams.StreamReaderProtocol"
_MAKES = ("create_future", "Future", "AsyncResult")
# What servers call the program's code by, for one request or client.
_SERVERS = frozenset((
    ("aiohttp.web_protocol", "_handle_request"), ("tornado.web", "_execute"),
    ("uvicorn.protocols.http.h11_impl", "run_asgi"), ("sanic.app", "handle_request"),
    ("uvicorn.protocols.http.httptools_impl", "run_asgi"),
    ("hypercorn.asyncio.task_group", "_handle"), ("websockets.legacy.server", "handler"),
    ("websockets.asyncio.server", "conn_handler"),
))  # fmt: skip


def diagnose_main_task(context: HangContext) -> HangDiagnosis | None:
    """Return why the main task of a loop that sleeps goes on no more; None where it may."""
    thread = context.loop_thread
    if thread is None or thread.kind != POLL or not 0 < len(context.tasks) <= MAX_TASKS:
        return None
    main = context.main_task_of_loop(thread.tid)
    if main is None:
        return None
    tasks = _StuckTasks(context, thread.tid)
    request = None
    if main.id not in tasks.stuck:
        request = (
            tasks.stuck_request() or tasks.stuck_holder() or tasks.stuck_task_awaiting_permit()
        )
    if main.id in tasks.stuck or request is not None:
        return _diagnose_never_woken(context, thread, request or main, tasks)
    if tasks.may_only_be_cancelled(main):
        return wait_diagnosis(
            HANG, "nobody wakes it",
            f"{describe_waiting_task(main, context.installed)}; code that can still run calls "
            "cancel() or the like, but nothing else that would end that",
            activity_of_task(thread, main, context.installed),
            INFO,
            doubts=("whether what is cancelled is this wait",),
        )  # fmt: skip
    return _diagnose_connection_read_at_both_ends(context, thread, main, tasks)


def _diagnose_never_woken(
    context: HangContext, thread: ThreadActivity, main: UnfinishedTask, tasks: _StuckTasks
) -> HangDiagnosis | None:
    """It waits for what no code that can still run gives."""
    chain, stuck = [main], tasks.stuck
    while len(chain) < MAX_CHAIN and chain[-1].wakers:
        wakers = [stuck[waker] for waker in chain[-1].wakers if waker in stuck]
        following = min(wakers, key=waits_for_holder, default=None)
        if following is None or following in chain:
            break
        chain.append(following)
    last = chain[-1]
    if not own_frames(last, context.installed):
        return None
    place = tasks.name_of_awaited(last)
    if last.wait is not None and "." in place:
        last = chain[-1] = last._replace(wait=last.wait._replace(name=place))
    ends = "sets it" if last.wait is not None and last.wait.kind == EVENT else "ends that"
    sentence = (
        f"{describe_waiting_task(last, context.installed)}: no code of a task, callback or thread "
        f"that can still run {ends}"
    )
    if last.wait is not None and last.wait.kind == SEMAPHORE and not last.wakers:
        sentence += lost_permits_clause(context, last.wait.address)
    for task in reversed(chain[:-1]):
        own = own_frames(task, context.installed)
        at = f" at {function_and_line(own[0])}" if own else ""
        it = "a lock that it holds" if waits_for_holder(task) else "it"
        sentence += f"; {name_task(task)} waits for {it}{at}"
    ids = {task.id for task in chain}
    others = [task for task in stuck.values() if task.id not in ids]
    others = [task for task in others if own_frames(task, context.installed)]
    # One of them may be who should end that wait.
    held_up = [task for task in others if waits_for_holder(task) and last.id in task.wakers]
    others = [task for task in others if task not in held_up]
    texts = [f"{text}, which {name_task(last)} holds meanwhile"
             for text in texts_of_tasks(held_up, context.installed)]  # fmt: skip
    texts += texts_of_tasks(others, context.installed)
    sentence += "".join(f"; {text}" for text in texts[:MAX_OTHERS])
    sentence += "".join(f"; {failed.text()}" for failed in context.failed_tasks)
    shown = (last, *(task for task in chain[:-1] if own_frames(task, context.installed)))
    return HangDiagnosis(
        HANG, "nobody wakes it", sentence,
        tuple(activity_of_task(thread, task, context.installed) for task in shown),
                PROBABLE,
        (f"the code of {len(context.tasks) - len(stuck)} other tasks, of all threads and of all "
         "functions that are kept to be called was looked at",),
        ("a timeout", "a task that goes on and sets it", "a handler or callback that does"),
        ("native code that sets it",),
    )  # fmt: skip


def _diagnose_connection_read_at_both_ends(
    context: HangContext, thread: ThreadActivity, main: UnfinishedTask, tasks: _StuckTasks
) -> HangDiagnosis | None:
    """It waits for an answer over a connection both of whose ends are here, and read.

    Nothing has arrived at either end, and only the task at one of them can set what the main task
    waits for: the other end has nothing to answer.
    """
    of_answer = main.wait is not None and main.wait.kind in (FUTURE, EVENT)
    if not of_answer or not tasks.may_wait_for_ever(main):
        return None
    for first, second in readers_of_both_ends(context):
        if first.arrived or second.arrived:
            continue
        ends = {first.transport, second.transport}
        of_pair = {main.id, first.task.id, second.task.id}
        if tasks.tasks_that_may_end(main) == {first.task.id} and not may_ends_be_written(
            context, ends, of_pair
        ):
            sentence = (
                f"{describe_waiting_task(main, context.installed)}, which only "
                f"{name_task(first.task)} could give; "
                f"{describe_waiting_task(first.task, context.installed)}; the other end of that "
                "connection is here too: "
                f"{describe_waiting_task(second.task, context.installed)}, and nothing is on its "
                "way"
            )
            shown = (main, first.task, second.task)
            return HangDiagnosis(
                HANG, "peer", sentence,
                tuple(activity_of_task(thread, task, context.installed) for task in shown),
                PROBABLE,
                ("the address of each transport is that of the other one's peer",
                 "no bytes lie in the buffers of either end"),
                ("a timeout", "another task, callback or thread whose code could set it"),
                ("a callback that writes to the connection",), settled=True,
            )  # fmt: skip
    return None


class _StuckTasks:
    """The tasks of one process that no code which can still run would wake."""

    def __init__(self, context: HangContext, loop_tid: int) -> None:
        self._context, self._loop_tid = context, loop_tid
        self._unblocked = UnblockedThreads(context)
        self._places: dict[int, str] = {}  # by task
        self._paired_releases: dict[int, PairedReleases] = {}
        self.stuck = self._find_stuck_tasks()

    def may_only_be_cancelled(self, task: UnfinishedTask) -> bool:
        """Tell whether no code that can still run ends a wait of trio or gevent but by a cancel."""
        return (
            task.framework != "asyncio" and self.may_wait_for_ever(task) and not task.wakers
            and not self._may_other_tasks_end_wait(task, {**self.stuck, task.id: task}, frozenset())
        )  # fmt: skip

    def stuck_request(self) -> UnfinishedTask | None:
        """Return a stuck task of asyncio whose code a server called for one client."""
        return next((t for t in self.stuck.values() if self._serves_request(t)), None)

    def stuck_holder(self) -> UnfinishedTask | None:
        """Return a stuck task that holds what others wait for; not one of workers that take turns.

        Those wait for work one after the other, under a lock, in the same function.
        """
        for task in self.stuck.values():
            holders = [self.stuck[waker] for waker in task.wakers if waker in self.stuck]
            if not waits_for_holder(task) or not holders or waits_for_holder(holders[0]):
                continue
            own, of_holder = (
                {frame.code for frame in own_frames(each, self._context.installed)}
                for each in (task, holders[0])
            )
            if own and of_holder and own.isdisjoint(of_holder):
                return holders[0]
        return None

    def stuck_task_awaiting_permit(self) -> UnfinishedTask | None:
        """Return a stuck task that wants a permit of a semaphore: all that were lent are lost.

        Other code gives them back, but takes one first, and nobody who has one is left. That is no
        wait for work, whoever waits.
        """
        for task in self.stuck.values():
            own = own_frames(task, self._context.installed)
            if task.wait is None or task.wait.kind != SEMAPHORE or task.wakers or not own:
                continue
            address, gives = task.wait.address, ENDERS[SEMAPHORE]
            if any(
                effects.calls_any(address, gives) for effects in self._effects_of_others(self.stuck)
            ):
                return task
        return None

    def _serves_request(self, task: UnfinishedTask) -> bool:
        """Tell whether a library called the code that waits, itself, for what the program made.

        That is a handler of asyncio.start_server(), or one that a known server awaits.
        """
        context, own = self._context, own_frames(task, self._context.installed)
        if task.framework != "asyncio" or task.wait is None or not own or task.wakers:
            return False
        inner = task.stack[: next(n for n, f in enumerate(task.stack) if f is own[0])]
        if any((f.module or "").partition(".")[0] != "asyncio" for f in inner):
            return False
        outward = task.stack[len(inner) :]
        of_server = any((f.module, f.name) in _SERVERS for f in outward)
        own_callback = task.stack[-1].address == own[-1].address
        if not of_server and not (own_callback and own[-1].code in self._client_callbacks):
            return False
        root, _, attribute = (task.wait.name or "").partition(".")
        at = context.view.variable(own[0], root) if attribute else None
        return not at or not context.live_code.is_changed_by_libraries(at)

    @cached_property
    def _client_callbacks(self) -> set[int]:
        """The code of the functions that servers of streams call for each client."""
        view = self._context.view
        codes = set[int]()
        for protocol in shared_instances(self._context.target, self._context.python).instances_of(
            (_PROTOCOL,)
        ):
            callback = view.attribute(protocol.address, "_client_connected_cb") or 0
            with suppress(UnreadableMemory, LayoutError):
                if callback and view.type_name(callback) == "method":
                    callback = view.reader.field(callback, "PyMethodObject", "im_func")
                if callback and view.type_name(callback) == "function":
                    codes.add(view.reader.field(callback, "PyFunctionObject", "func_code"))
        return codes

    def tasks_that_may_end(self, task: UnfinishedTask) -> set[int]:
        """Return the other tasks that may end a wait; 0 stands for threads and for callbacks."""
        context = self._context
        if task.wait is None:
            return {0}
        waiting = {**self.stuck, task.id: task}
        enders = ENDERS[task.wait.kind]
        able = {
            each.id for each in context.tasks
            if each.id not in waiting
            and self._unblocked.effects_of_task(each).calls_any(task.wait.address, enders)
        }  # fmt: skip
        beside = [self._effects_of_loop, *self._unblocked.effects_of_threads(but=self._loop_tid)]
        return able | {0 for effects in beside if effects.calls_any(task.wait.address, enders)}

    def _find_stuck_tasks(self) -> dict[int, UnfinishedTask]:
        waiting = {task.id: task for task in self._context.tasks if self.may_wait_for_ever(task)}
        while True:
            freed = [
                each
                for each, task in waiting.items()
                if self._may_other_tasks_end_wait(task, waiting)
            ]
            if not freed:
                return waiting
            for each in freed:
                del waiting[each]

    def may_wait_for_ever(self, task: UnfinishedTask) -> bool:
        """Tell whether only code of this process can end what a task waits for."""
        context, wait = self._context, task.wait
        if wait is None or task.running or task.framework not in _FRAMEWORKS:
            return False
        if has_timeout(task, context.tasks, context.view) or self._may_scope_or_timer_end_wait(
            task
        ):
            return False
        if task.wakers and wait.kind in _HELD:  # its holder is stuck, and nobody else releases it
            return bool(wait.address) and not context.live_code.is_method_kept(
                wait.address, ENDERS[LOCK]
            )
        if task.wakers:
            return wait.kind in (TASK, TASKS)
        if task.certainty != UNKNOWN or not wait.address or wait.kind not in ENDERS:
            return False
        if task.framework == "trio" and wait.kind not in _OF_TRIO:
            return False  # a channel has two ends: another object gives
        place = self.name_of_awaited(task)
        if wait.kind == FUTURE and not self._is_future_made_here(task):
            return False
        if not place or is_shutdown_name(place):
            return False
        return not context.live_code.is_method_kept(wait.address, ENDERS[wait.kind])

    def _may_scope_or_timer_end_wait(self, task: UnfinishedTask) -> bool:
        """Tell whether a scope or timer of trio or gevent may end a wait from without."""
        if task.framework == "asyncio":
            return False
        if task.wait is not None and (task.wait.seconds, task.wait.remaining) != (None, None):
            return True
        context = self._context
        held = {context.view.type_name(at) for other in context.tasks for at in other.holds}
        if any(name.rpartition(".")[2] in _CUTS_SHORT for name in held):
            return True
        instances = shared_instances(context.target, context.python)
        # Each nursery of trio, and each task that sleeps, has a scope; any other one is a limit.
        scopes, nurseries = (
            len(instances.instances_of((f"trio.{name}", f"trio._core._run.{name}")))
            for name in ("CancelScope", "Nursery")
        )
        asleep = sum(other.wait is not None and other.wait.kind == SLEEP for other in context.tasks)
        limits = instances.instances_of(("gevent.timeout.Timeout",))
        return bool(limits) or scopes > nurseries + asleep

    def _is_future_made_here(self, task: UnfinishedTask) -> bool:
        """Tell whether the program's innermost code made the future that a task waits for."""
        own = own_frames(task, self._context.installed)
        if not own or own[0].address != task.stack[0].address:
            return False  # a coroutine of a library waits
        if task.framework != "asyncio" and self._does_program_link_greenlets:
            return False  # a greenlet that ends sets it
        context, wait = self._context, task.wait
        return wait is not None and (
            is_future_made_by_frame(context, own[0], wait.address, _MAKES)
            or is_future_made_by_called_function(context, own[0], _MAKES)
            or is_future_made_by_function_stored_from(context, own[0], wait.address, _MAKES)
        )

    @cached_property
    def _does_program_link_greenlets(self) -> bool:
        """Whether the program links anything to greenlets, as link() and rawlink() of gevent do."""
        live = self._context.live_code
        codes = {function.code for named in live.own_functions.values() for function in named}
        codes |= {frame.code for task in self._context.tasks for frame in task.stack if frame.code}
        names = (name for code in codes for name in live.calls.sites.name_tuple(code, "co_names"))
        return any(name.startswith(("link", "rawlink")) for name in names)

    def name_of_awaited(self, task: UnfinishedTask) -> str:
        """Return the name or place of what a task waits for, "" without one.

        `await Future()` and `await Event().wait()` park for good.
        """
        own = own_frames(task, self._context.installed)
        if task.wait is None or task.wait.name or not own:
            return "" if task.wait is None or not own else task.wait.name
        if task.id not in self._places:
            place = self._find_name_in_frame(own[0], task.wait.address)
            if not place and self._is_awaited_had_only_by(self._context.tasks, task):
                place = name_of_replaced_object(self._context, own[0], task.wait.address)
                place = f"an earlier {place}" if place else ""
            if not place and is_future_made_by_called_function(self._context, own[0], _MAKES):
                place = "what a function of the program gave"
            self._places[task.id] = place
        return self._places[task.id]

    def _is_awaited_had_only_by(
        self, tasks: Iterable[UnfinishedTask], task: UnfinishedTask
    ) -> bool:
        """Tell whether nobody has what a task waits for but those of some that wait for it too."""
        at = task.wait.address if task.wait is not None else 0
        same = [task for task in tasks if task.wait is not None and task.wait.address == at]
        awaiting = len(same) if task.wait is not None and task.wait.kind == FUTURE else 0
        return bool(at) and is_referenced_only_by(
            self._context, at, (t.stack for t in same), awaiting
        )

    def _find_name_in_frame(self, frame: PyFrame, sought: int) -> str:
        view = self._context.view
        for name, held in view.variable_addresses(frame):
            if held == sought:
                return name
            for attribute, at in () if held & 7 else view.attributes(held):
                if at == sought:
                    return f"{name}.{attribute}"
            if any(
                sought in self._values_of_dict(at) for at in object_and_its_attributes(view, held)
            ):
                return f"{name}[..]"
        return self._find_global_name(frame, sought)

    def _find_global_name(self, frame: PyFrame, sought: int) -> str:
        """Return the global, or its attribute, by which a frame's code names an object."""
        calls = self._context.live_code.calls
        with suppress(UnreadableMemory, LayoutError, IndexError):
            scope = calls.globals_of(frame)
            for call in calls.sites.calls_of(frame.code).calls:
                path = (call.root[1], *call.path[:-1])
                if call.root[0] == "global" and calls.receiver_of_call(call, {}, scope) == sought:
                    return ".".join(path)
        return ""

    def _values_of_dict(self, address: int) -> Iterator[int]:
        view = self._context.view
        try:
            if view.type_name(address) == "dict":
                items = islice(view.objects.dict_items(address), MAX_ITEMS)
                yield from (value for _, value in items)
        except (UnreadableMemory, LayoutError):
            return

    @property
    def _effects_of_loop(self) -> CodeEffects:
        """What the loop of the tasks may call besides them."""
        live, frameworks = self._context.live_code, {task.framework for task in self._context.tasks}
        return (
            live.effects_of_loop_callbacks
            if frameworks == {"asyncio"}
            else live.effects_of_kept_functions
        )

    def _may_other_tasks_end_wait(
        self, task: UnfinishedTask, waiting: Mapping[int, UnfinishedTask],
        cancels: Collection[str] = CANCELS,
    ) -> bool:  # fmt: skip
        if task.wakers:
            left = [waker in waiting for waker in task.wakers]
            stays = any(left) if task.needs == "all" else all(left)
            if not stays or not waits_for_holder(task):
                return not stays
        if task.wait is None:
            return True
        if task.framework == "asyncio" and self._is_awaited_had_only_by(waiting.values(), task):
            return False
        enders = ENDERS[task.wait.kind]
        paired_releases = self._paired_releases.get(task.id)
        if paired_releases is None:
            context, own = self._context, own_frames(task, self._context.installed)
            paired_releases = self._paired_releases[task.id] = PairedReleases(
                context.live_code,
                task.stack,
                own,
                task.wait.address,
                enders,
                context.entered_managers,
            )
        elsewhere: Collection[str] = ()
        if task.framework != "asyncio":  # there no method of the event itself
            enders, elsewhere = enders - CANCELS, cancels
        return any(
            (
                effects.calls_any(task.wait.address, enders)
                and not paired_releases.does_acquire_precede_release(effects)
            )
            or (elsewhere and may_code_cancel_task(self._context, effects, task, elsewhere))
            for effects in self._effects_of_others(waiting)
        )

    def _effects_of_others(self, waiting: Mapping[int, UnfinishedTask]) -> Iterator[CodeEffects]:
        for task in self._context.tasks:
            if task.id not in waiting:
                yield self._unblocked.effects_of_task(task)
        yield self._effects_of_loop
        yield from self._unblocked.effects_of_threads(but=self._loop_tid)
