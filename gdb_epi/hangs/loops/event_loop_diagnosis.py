# SPDX-License-Identifier: Apache-2.0
"""The answer for an event loop that sleeps: what can wake it, and what its tasks want."""

from __future__ import annotations

from contextlib import suppress

from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.cpython.running.wait_rules import (
    CONDITION,
    EVENT,
    FUTURE,
    QUEUE_GET,
    READ,
    SLEEP,
    TASK,
    TASKS,
    WORDS,
    WRITE,
)
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u32, read_u64
from gdb_epi.fault.signals import signal_name
from gdb_epi.hangs.hang_context import HangContext, WaitChain
from gdb_epi.hangs.idleness import (
    MAX_BESIDE,
    is_in_serving_loop,
    other_threads_clause,
    waits_repeatedly,
    weaken_diagnosis_in_loop,
)
from gdb_epi.hangs.library_calls import CLOSING, RUNS_JOB, SERVERS, frames_running
from gdb_epi.hangs.live.interruptions import ASK_TO_END
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.loops.other_event_loops import CLIENTS, TIMER, find_kinds_of_wakers
from gdb_epi.hangs.loops.sleeping_event_loops import SleepingEventLoop, waits_for_clients_in_library
from gdb_epi.hangs.processes.child_processes import (
    diagnose_output_of_ended_child,
    diagnose_unread_child_output,
    find_unread_child_output,
    is_awaiting_child,
)
from gdb_epi.hangs.processes.pool_threads import serves_pool_without_jobs
from gdb_epi.hangs.processes.queued_jobs import unfinished_queue_jobs_clause
from gdb_epi.hangs.signal_waits import find_signal_that_ends_wait, signals_that_may_wake
from gdb_epi.hangs.tasks import (
    ENDERS,
    activity_of_task,
    count_woken_from_outside,
    event_loop_module,
    has_timeout,
    held_up_clause,
    name_task,
    own_frames,
    sort_own_tasks_first,
    tasks_clause,
)
from gdb_epi.hangs.types import EVENT as EVENT_WAIT
from gdb_epi.hangs.types import (
    FROM_OUTSIDE,
    HANG,
    JOIN,
    LOCK,
    MAY_BE_IDLE,
    NO_FAULT,
    OF_EVENT_LOOP,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    idle_diagnosis,
    wait_diagnosis,
)
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.util import counted

_WAITS_FOR_CLIENTS = ("asyncio.base_events", "wait_closed")
_ENDS_TASKS = ("asyncio.runners", "_cancel_all_tasks")
MAX_WAKING = 16  # frames of a thread whose calls are read
MAX_ASKED = 1 << 16  # calls of cancel() of one task
# Functions that run jobs for a loop in threads of their own.
_WORKERS = (
    ("concurrent.futures.thread", "_worker"), ("twisted._threads._threadworker", "work"),
    ("anyio._backends._asyncio", "run"),
)  # fmt: skip
_JOBS = (("gevent.threadpool", "__run_task"), RUNS_JOB)  # a job without a Python frame too
# Parts of the names of coroutines of libraries that read what a peer sends.
_READING = ("read", "recv", "receive")
# To a loop of another thread: of asyncio, trio, gevent.
_GIVES_WORK = frozenset((
    "run_coroutine_threadsafe", "call_soon_threadsafe", "run_sync_soon", "run_callback_threadsafe",
))  # fmt: skip
# What wakes a loop of asyncio from another thread, the futures of executors and signals too.
_WAKE = frozenset((
    "call_soon_threadsafe", "run_coroutine_threadsafe", "set_result", "set_exception", "cancel",
    "set_running_or_notify_cancel", "raise_signal", "kill", "pthread_kill", "interrupt_main",
    "_write_to_self",
))  # fmt: skip
_GIVEN_TO_LOOPS = ("Loop", "Future", "Task", "Handle")


def diagnose_sleeping_event_loop(
    context: HangContext,
    activity: ThreadActivity,
    loop: SleepingEventLoop | None,
    chain: WaitChain | None = None,
) -> HangDiagnosis | None:
    """Return the answer for an event loop that sleeps: what can wake it, and what tasks want.

    `chain` follows a task's wait to a thread of the loop's executor.
    """
    sleeping = _SleepingLoopDiagnoser(context, activity, chain)
    unread = find_unread_child_output(context, sleeping.tasks)
    if unread is not None:
        return diagnose_unread_child_output(context, sleeping.activity, unread)
    left_behind = diagnose_output_of_ended_child(context, sleeping.activity, sleeping.tasks)
    if left_behind is not None:
        return left_behind
    closing = (
        sleeping.diagnose_ignored_cancel()
        or sleeping.diagnose_task_closing_service()
        or sleeping.diagnose_server_with_open_connections(loop)
    )
    if closing is not None:
        return closing
    if loop is None or loop.descriptors is None:
        return sleeping.diagnose_by_tasks_alone()
    if loop.selector:
        return sleeping.diagnose_loop_with_foreign_selector(loop.selector)
    if loop.ready and not activity.timed:
        return sleeping.diagnose_ready_but_not_woken(loop.ready)
    if loop.listening:
        return sleeping.diagnose_wait_for_clients()
    signalled = sleeping.diagnose_wait_until_signal(loop)
    if signalled is not None:
        return signalled
    # Since 3.12 a timer of asyncio's own is scheduled meanwhile (gh-111358).
    ending = (
        sleeping.diagnose_executor_job()
        if any(map(_awaits_executor_shutdown, sleeping.tasks))
        else None
    )
    return (
        ending
        or sleeping.diagnose_timers_and_descriptors(loop)
        or sleeping.diagnose_loop_only_threads_can_wake(loop)
    )


class _SleepingLoopDiagnoser:
    """An event loop that sleeps: its tasks, what wakes them, and answers for it."""

    def __init__(
        self, context: HangContext, activity: ThreadActivity, chain: WaitChain | None
    ) -> None:
        self.context, self._chain = context, chain
        self.tasks = [task for task in context.tasks if not task.running]
        self.own = [task for task in self.tasks if own_frames(task, context.installed)]
        self.base = f"{OF_EVENT_LOOP}{activity.who()} sleeps"
        self.waits = ""  # what its tasks wait for, as the end of a sentence
        if self.own:
            first = sort_own_tasks_first(self.own, context.installed)[0]
            what = WORDS.get(first.wait.kind, "") if first.wait is not None else ""
            activity = activity_of_task(activity, first, context.installed)
            activity = activity._replace(label="task", what=what)
            jobs = unfinished_queue_jobs_clause(context, first.stack)
            self.waits = f"; {tasks_clause(self.tasks, context.installed, jobs)}"
            self.waits += "".join(f"; {failed.text()}" for failed in context.failed_tasks)
        # Who holds up whom, and on what they wait: the answer in one clause.
        held_up = held_up_clause(self.own, context.installed)
        self.held_up = f"{held_up}; " if held_up else ""
        self.activity = activity
        # Those of a library alone serve its loop.
        self.outside = count_woken_from_outside(self.own or self.tasks)

    def diagnose_ignored_cancel(self) -> HangDiagnosis | None:
        """Return the answer where a task goes round in its loop although cancel() was called of it.

        It caught CancelledError, and is in no handler of it. asyncio counts such calls; timeout()
        and TaskGroup take theirs back (Modules/_asynciomodule.c, task_num_cancels_requested, 3.11
        to 3.15).
        """
        context = self.context
        for task in self.own:
            own = own_frames(task, context.installed)
            asyncio = task.framework == "asyncio"
            looping = (
                next(filter(context.acquire_calls.is_running_in_loop, own), None)
                if asyncio
                else None
            )
            if looping is None:
                continue
            if any(_is_handling_error(context, frame) for frame in own):
                continue  # what it waits for may be a part of its end
            waiting = [other for other in self.tasks if task.id in other.wakers]
            frames = context.view.frames(self.activity.tid)
            if not waiting and not any(frames_running(frames, (_ENDS_TASKS,))):
                continue
            at = context.view.reader.layout.offset("TaskObj", "task_num_cancels_requested")
            asked = read_u32(context.target, task.id + at) if at is not None else 0
            if not asked or asked > MAX_ASKED or has_timeout(task, self.tasks, context.view):
                continue
            who = f"{name_task(waiting[0])} waits" if waiting else "asyncio.run() waits"
            sentence = (
                f"{name_task(task)} was asked to end by cancel(), caught CancelledError and goes "
                f"on in a loop at {function_and_line(looping)}; {who} for its end"
            )
            return wait_diagnosis(
                HANG, "ignored cancel", sentence, self.activity._replace(frames=own),
                evidence=(f"cancel() was called {counted(asked, 'time')} of a task that goes on",),
                ruled_out=("a timeout", "a task that nobody waits for"),
                doubts=("a last turn of its loop that ends soon",),
            )  # fmt: skip
        return None

    def diagnose_task_closing_service(self) -> HangDiagnosis | None:
        """Return the answer where a task is in a library's function that ends a service."""
        context = self.context
        for task in self.tasks:
            frame = next(
                (
                    f
                    for f in task.stack
                    if f.name in CLOSING and context.installed.contains_frame(f)
                ),
                None,
            )
            if frame is None or has_timeout(task, self.tasks, context.view):
                continue
            others = [other for other in self.tasks if other.id != task.id]
            kept = tasks_clause(others, context.installed)
            sentence = (
                f"{name_task(task)} is at {function_and_line(frame)}, which is to end a service "
                f"and has no time limit{f'; {kept}' if kept else ''}"
            )
            return wait_diagnosis(
                HANG, "closing", sentence, self.activity,
                evidence=(f"a frame of {name_task(task)} runs {frame.qualname or frame.name}()",),
                ruled_out=("a timeout",), doubts=("whether its clients go soon",),
            )  # fmt: skip
        return None

    def diagnose_server_with_open_connections(
        self, loop: SleepingEventLoop | None
    ) -> HangDiagnosis | None:
        """Return the answer where a task waits until all connections of a closed server are gone.

        Server.wait_closed() does so since 3.12 (gh-79033): a client that only listens keeps it.
        Not where a task of the program does more than to read or to wait for others, or a timer is
        scheduled: it may be what a client asked for, or close what rests.
        """
        context = self.context
        for task in self.own:
            frame = next((f for f in task.stack if (f.module, f.name) == _WAITS_FOR_CLIENTS), None)
            sockets = context.view.attribute(context.view.variable(frame, "self"), "_sockets")
            closed = sockets and context.view.type_name(sockets) == "NoneType"
            others = [each for each in self.own if each.id != task.id]
            working = any(
                other.wait is None or other.wait.kind not in (READ, TASK, TASKS) for other in others
            )
            if not closed or working or (loop is not None and loop.timers):
                continue
            if has_timeout(task, self.tasks, context.view):
                continue
            at = function_and_line(own_frames(task, context.installed)[0])
            sentence = (
                f"{name_task(task)} waits in wait_closed() at {at} until the last connection of "
                "its server, which takes no new ones, is closed: its client may do that, or this "
                "program"
            )
            kept = tasks_clause(others, context.installed)
            return wait_diagnosis(
                HANG, "closing", f"{sentence}{f'; {kept}' if kept else ''}", self.activity,
                evidence=("the server has closed its sockets, and wait_closed() waits",),
                ruled_out=("a timeout", "a task that works for a client"),
                doubts=("whether its clients go soon",),
            )  # fmt: skip
        return None

    def diagnose_wait_for_clients(self) -> HangDiagnosis:
        """Return the answer for the loop of a server."""
        beside = other_threads_clause(self.context, self.activity)
        return idle_diagnosis(
            self.activity, f"{self.base} and waits for clients{self.waits}{beside}"
        )

    def diagnose_by_tasks_alone(self) -> HangDiagnosis | None:
        """Return the answer where what the loop watches cannot be read; None without tasks."""
        base, waits, activity, tasks = self.base, self.waits, self.activity, self.tasks
        if not tasks:
            return None
        watched = find_kinds_of_wakers(self.context, activity.tid)
        serves = any(waits_for_clients_in_library(task, self.context.installed) for task in tasks)
        if serves or CLIENTS in watched:
            return self.diagnose_wait_for_clients()
        if self.outside.get(SLEEP) or TIMER in watched:
            return wait_diagnosis(
                NO_FAULT, "timer", f"{base} until a timer is due{waits}", activity
            )
        if self.outside or watched:
            return wait_diagnosis(HANG, "peer", f"{base}{waits}", activity, INFO)
        followed = self.diagnose_executor_job() or self.diagnose_thread_that_wakes_loop()
        if followed is not None:
            return followed
        others = self._other_thread_may_wake() or self.context.foreign_threads
        signals = [n for n in signals_that_may_wake(self.context, 0) if n not in ASK_TO_END]
        # What the loop watches itself, such as the socket of a server, is not read.
        who = "its tasks wait" if len(self.own) > 1 else "its only task waits"
        within = len(self.own) > 1 and not (others or signals)
        what = "only for what one of them gives" if within else "for nothing from outside"
        by = "another thread" if others else "the handler of a signal" if signals else ""
        beside = f"; {by} may wake {'one' if len(self.own) > 1 else 'it'}" if by else ""
        sentence = f"{self.held_up}{base}, and {who} {what}{waits}{beside}"
        return wait_diagnosis(
            HANG, "nothing wakes the loop", sentence, activity,
            INFO if others or signals else PROBABLE,
            evidence=(f"none of {len(tasks)} tasks waits for time, a descriptor or a thread",),
            ruled_out=("a task that waits for a timer, a socket or a pipe", "a timer of the loop"),
            doubts=("another thread or a signal handler that wakes one",),
        )  # fmt: skip

    def diagnose_loop_with_foreign_selector(self, kind: str) -> HangDiagnosis:
        """Return the answer for a loop whose selector another library, or the program, has made.

        Such a one asks in turns what no descriptor tells, as those do that join two event loops.
        """
        return wait_diagnosis(
            HANG, "peer", f"{self.base} in a selector of its own, {kind}{self.waits}",
            self.activity, INFO, doubts=("what that selector looks at is not known",),
        )  # fmt: skip

    def diagnose_wait_until_signal(self, loop: SleepingEventLoop) -> HangDiagnosis | None:
        """Return the answer where the handler of a signal ends what the loop's main task wants.

        That is how services stop: add_signal_handler(SIGTERM, stop.set); await stop.wait().
        """
        handlers = self.context.event_loop_reader.signal_handlers(loop.address)
        main = self.context.main_task_of_loop(self.activity.tid) if handlers else None
        if main is None or main.wait is None or main.wait.kind not in ENDERS:
            return None
        reached = self.context.effects_of_callables(handlers)
        enders = ENDERS[main.wait.kind]
        signal, surely = find_signal_that_ends_wait(main.wait.address, enders, reached)
        if not signal:
            return None
        sentence = f"{self.base} and waits for a signal: the handler of {signal} wakes "
        answer = idle_diagnosis(self.activity, f"{sentence}{name_task(main)}{self.waits}")
        return answer if surely else answer._replace(kind=MAY_BE_IDLE)

    def diagnose_timers_and_descriptors(self, loop: SleepingEventLoop) -> HangDiagnosis | None:
        """Return the answer of a loop with timers, children or descriptors; None without."""
        base, waits, activity = self.base, self.waits, self.activity
        if loop.timers:
            sentence = f"{base} until a timer is due{waits}"
            return wait_diagnosis(NO_FAULT, "timer", sentence, activity,
                           evidence=(f"{loop.timers} timers are scheduled",))  # fmt: skip
        reading = [task for task in self.own if _awaits_library_read(task, self.context)]
        read = self.outside.get(READ) or self.outside.get(WRITE) or reading
        if any(map(is_awaiting_child, self.tasks)) and not read:
            # By a descriptor, or a thread of asyncio's.
            doubt = ("what the child does is not in this core: look at its own",)
            sentence = f"{base} until a child ends{waits}"
            return wait_diagnosis(HANG, "child", sentence, activity, INFO, doubts=doubt)
        if not loop.descriptors:
            return None
        if not self.own and activity.place.startswith(SERVERS):
            return idle_diagnosis(activity, f"{base} and waits for events in {activity.place}")
        if loop.datagrams and self._do_tasks_wait_in_serving_loops():
            return idle_diagnosis(activity, f"{base} and waits for datagrams{waits}")
        which = (
            "its descriptor" if loop.descriptors == 1 else f"one of {loop.descriptors} descriptors"
        )
        sentence = f"{base} until {which} is ready{waits}"
        once = [
            t
            for t in reading
            if not waits_repeatedly(self.context, own_frames(t, self.context.installed))
        ]
        sure = PROBABLE if read and (once or not reading) else INFO
        return weaken_diagnosis_in_loop(self.context, wait_diagnosis(
            HANG, "peer", sentence, activity, sure, evidence=("no timer is scheduled",)
        ))  # fmt: skip

    def _do_tasks_wait_in_serving_loops(self) -> bool:
        """Tell whether some tasks wait in loops without end, and the others for other tasks.

        A task that asks somebody by a datagram waits once, and for an answer.
        """
        turns = [task for task in self.own if task.wait and task.wait.kind not in (TASK, TASKS)]
        return bool(turns) and all(
            _may_task_lack_work(task)
            and is_in_serving_loop(self.context, own_frames(task, self.context.installed)[:1])
            for task in turns
        )

    def diagnose_executor_job(self) -> HangDiagnosis | None:
        """Return the answer of a thread of the executor that runs a job."""
        runner = _thread_running_job(self.context, self.activity)
        return self._diagnose_through_thread(runner, "its executor's thread")

    def diagnose_thread_that_wakes_loop(self) -> HangDiagnosis | None:
        """Return the answer of a thread that has yet to give the loop something to do."""
        waking = _thread_that_wakes_loop(self.context, self.activity)
        return self._diagnose_through_thread(waking, "what its loop is to be given by")

    def diagnose_loop_only_threads_can_wake(self, loop: SleepingEventLoop) -> HangDiagnosis:
        """Return the answer of a loop without timers and descriptors: threads alone can wake it."""
        activity = self.activity
        lacks_work = all(map(_may_task_lack_work, self.own))
        giver = _thread_giving_work(self.context, activity) if lacks_work else None
        followed = self._diagnose_through_thread(giver, "work that its loop gets from")
        followed = (
            followed or self.diagnose_executor_job() or self.diagnose_thread_that_wakes_loop()
        )
        if followed is not None:
            return followed
        others = self._other_thread_may_wake()
        foreign = self.context.foreign_threads
        signals = signals_that_may_wake(self.context, loop.address)
        alone = "another thread" if others else ""
        if foreign and not others:
            alone = f"thread {foreign[0][0]}, of {foreign[0][1]},"
        names = ", ".join(map(signal_name, signals[:MAX_BESIDE]))
        handled = f"a signal that the program handles ({names})" if signals else ""
        # By these a program is asked to end: a handler of them alone brings no work.
        works = not ASK_TO_END.issuperset(signals)
        alone = " or ".join(filter(None, (alone, handled)))
        alone = f"only {alone}" if alone else "nothing"
        sentence = (
            f"{self.held_up}{self.base} and {alone} can wake it: no timer is scheduled, and no "
            f"descriptor is watched but the loop's own{self.waits}"
        )
        return wait_diagnosis(
            HANG, "nothing wakes the loop", sentence, activity,
            INFO if others or foreign or works else PROBABLE,
            evidence=("its selector holds its own pipe alone, and it has no timer",),
            ruled_out=("a timer", "a socket or pipe", "a task that is ready"),
            doubts=("another thread or a signal handler that calls call_soon_threadsafe()",),
        )  # fmt: skip

    def _other_thread_may_wake(self) -> bool:
        """Tell whether another thread goes on that may wake this loop, by what its code may call.

        A loop is woken by call_soon_threadsafe() alone, which also futures of executors call, and
        by signals. A library's thread that waits for something from outside, or for its time, may
        call what the program gave it. One that waits for a job, an event or a lock does so only
        when one of these makes it. A pool's thread that has no job has nothing to hand on.
        """
        context, unblocked = self.context, UnblockedThreads(self.context)
        others = (d for d in context.activities if d.tid != self.activity.tid)
        able = (
            d for d in others
            if d.frames or d.timed or event_loop_module(context.view.frames(d.tid), d.module)
            or (
                d.kind not in (EVENT_WAIT, LOCK, JOIN)
                and not serves_pool_without_jobs(context, d.tid)
            )
        )  # fmt: skip
        return any(
            self._may_thread_wake_loop(d, unblocked)
            for d in able
            if d.tid not in unblocked.blocked_threads
        )

    def _may_thread_wake_loop(self, other: ThreadActivity, unblocked: UnblockedThreads) -> bool:
        frames, own = (self.context.view.frames(d.tid) for d in (other, self.activity))
        loop = event_loop_module(own, self.activity.module)
        of_asyncio = loop.startswith(("asyncio", "uvloop"))
        if (
            not of_asyncio
            or event_loop_module(frames, other.module)
            or any((frame.module or "").startswith("concurrent.") for frame in frames)
        ):
            return True
        effects, type_name = unblocked.effects_of_thread(other.tid), self.context.view.type_name
        return effects.unbounded or any(
            name in _WAKE or (name == "*" and type_name(at).endswith(_GIVEN_TO_LOOPS))
            for at, name in effects.calls
        )

    def _diagnose_through_thread(
        self, thread: ThreadActivity | None, link: str
    ) -> HangDiagnosis | None:
        if thread is None or self._chain is None:
            return None
        return WaitChain(self.context, self._chain.follow).diagnose_through(
            self.activity, thread.tid, link
        )

    def diagnose_ready_but_not_woken(self, ready: int) -> HangDiagnosis:
        """Return the answer where callbacks are ready, and the loop found none as it went to sleep.

        A loop looks at `_ready` before it sleeps (Lib/asyncio/base_events.py, _run_once), and what
        runs in it cannot add to it meanwhile. call_soon_threadsafe() adds to it and wakes the loop;
        a thread's Future.set_result() or call_soon() adds to it alone.
        """
        done = [
            name_task(task) for task in self.own
            if task.wait is not None and task.wait.kind == FUTURE
            and self.context.event_loop_reader.is_done(task.wait.address)
        ]  # fmt: skip
        are = "is" if ready == 1 else "are"
        sentence = (
            f"{self.base} although {counted(ready, 'callback')} {are} ready to run: code outside "
            "of the loop, of a thread or a signal handler, gave it work without "
            f"call_soon_threadsafe(), and that did not wake it{self.waits}"
        )
        evidence = [f"the loop's list of what is ready holds {counted(ready, 'callback')}"]
        if done:
            sentence += f"; the future that {done[0]} waits for is done already"
            evidence += [f"the future that {name} waits for is done" for name in done[:MAX_BESIDE]]
        return wait_diagnosis(
            HANG, "nothing wakes the loop", sentence, self.activity, evidence=tuple(evidence),
            ruled_out=("a timeout of the loop's sleep",),
            doubts=("a thread that is in call_soon_threadsafe() at this moment",), fix=FROM_OUTSIDE,
            settled=True,
        )  # fmt: skip


def _thread_running_job(context: HangContext, activity: ThreadActivity) -> ThreadActivity | None:
    """Return the thread of an executor that runs code of the program: its end wakes the loop."""
    for other in context.activities:
        below = (*_WORKERS, *_JOBS) if other.frames else _JOBS
        if other.tid != activity.tid and any(frames_running(context.view.frames(other.tid), below)):
            return other
    return None


def _awaits_library_read(task: UnfinishedTask, context: HangContext) -> bool:
    """Tell whether a task waits in a coroutine of a library, not of asyncio, that reads."""
    inner = next((f for f in task.stack if not (f.module or "").startswith("asyncio.")), None)
    return (
        inner is not None
        and context.installed.contains_frame(inner)
        and inner.name.startswith(_READING)
    )


def _may_task_lack_work(task: UnfinishedTask) -> bool:
    """Tell whether a task waits for what comes with work, and for no answer or lock."""
    return task.wait is None or task.wait.kind in (QUEUE_GET, EVENT, CONDITION, TASK, TASKS)


def _thread_giving_work(context: HangContext, activity: ThreadActivity) -> ThreadActivity | None:
    """Return a thread that gives the loop work again and again, as a console in a thread does."""
    others = (d for d in context.activities if d.tid != activity.tid)
    return next(
        (d for d in others if any(context.names_called_in_loop(f) & _GIVES_WORK for f in d.frames)),
        None,
    )


def _thread_that_wakes_loop(
    context: HangContext, activity: ThreadActivity
) -> ThreadActivity | None:
    """Return a thread that goes on, and whose code has yet to give a loop something to do."""
    blocked = UnblockedThreads(context).blocked_threads
    for other in context.activities:
        if other.tid == activity.tid or other.tid in blocked:
            continue
        for frame in other.frames[:MAX_WAKING]:
            with suppress(UnreadableMemory, LayoutError):
                if any(
                    name in _GIVES_WORK for _, name in context.acquire_calls.calls_ahead(frame, 1)
                ):
                    return other
    return None


def _awaits_executor_shutdown(task: UnfinishedTask) -> bool:
    """Tell whether a task waits for the threads of the loop's executor to end, as run() does."""
    return any(
        frame.module == "asyncio.base_events" and frame.name == "shutdown_default_executor"
        for frame in task.stack
    )


def _is_handling_error(context: HangContext, frame: PyFrame) -> bool:
    """Tell whether a coroutine rests in an `except` or `finally` that an error led to (3.11)."""
    layout = context.view.reader.layout
    begins, state = (layout.offset("PyGenObject", name) for name in ("gi_iframe", "gi_exc_state"))
    if begins is None or state is None:
        return False
    handled = read_u64(context.target, frame.address - begins + state)
    return bool(handled) and context.view.type_name(handled) != "NoneType"
