# SPDX-License-Identifier: Apache-2.0
"""Answers for a thread that waits for what another one gives: an event, an item, a future's end."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property

from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.descriptor_waits import ALIVE, find_thread_selecting_closed_socket
from gdb_epi.hangs.hang_context import HangContext, WaitChain
from gdb_epi.hangs.idleness import (
    is_in_request_handler,
    is_in_serving_loop,
    is_repeated_by_library,
    is_waiting_for_turn_under_lock,
    library_frames_called,
    only_waits_for_work,
    seconds_of_library_timeout,
    waits_for_queue,
)
from gdb_epi.hangs.library_calls import (
    CLOSING,
    FUTURES,
    OF_CLUSTER,
    POOL_RESULTS,
    QUEUE_ITEM,
    QUEUE_ROOM,
    SEMAPHORE,
    event_loop_frame_index,
    frames_running,
    serving_function,
)
from gdb_epi.hangs.live.holders_of_awaited import lost_permits_clause
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.processes.process_pools import (
    diagnose_wait_for_pool_results,
    diagnose_wait_for_process_futures,
    find_busy_pool_thread,
)
from gdb_epi.hangs.processes.queued_jobs import (
    queued_pool_jobs_clause,
    unfinished_queue_jobs_clause,
)
from gdb_epi.hangs.signal_waits import find_signal_that_ends_thread_wait
from gdb_epi.hangs.types import (
    DEADLOCK,
    FED,
    HANG,
    MAY_BE_IDLE,
    NO_FAULT,
    UNTIL_SIGNAL,
    HangDiagnosis,
    ThreadActivity,
    idle_diagnosis,
    wait_diagnosis,
)
from gdb_epi.hangs.wakers import (
    find_timer_of_thread,
    find_wakers,
    has_clock_deadline,
    is_shutdown_name,
    is_waiting_for_event_nobody_sets,
    methods_ending_wait,
    name_awaited_object,
    other_stuck_thread_clause,
)
from gdb_epi.locks.python.acquire_calls import AHEAD
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.util import counted, duration_words

LASTING = 60.0  # seconds: who waits in a circle for so long is stuck, whatever comes then
MAX_CALLERS = 8  # of a wait, that may have given work before
_NOBODY_LEFT = "no other thread is left that could end this wait"
_DASK_WORKER = ("distributed.threadpoolexecutor", "_worker")


def diagnose_event_wait(
    context: HangContext, activity: ThreadActivity, chain: WaitChain
) -> HangDiagnosis | None:
    """Return the answer that one thread's wait gives, or that of the thread that it waits for."""
    return _EventWait(context, activity, chain).diagnose_wait()


class _EventWait:
    """One thread's wait; `chain` are the threads that wait for it, one for the other."""

    def __init__(
        self,
        context: HangContext,
        activity: ThreadActivity,
        chain: WaitChain,
        *,
        polled: bool = False,
    ) -> None:
        self._context, self._activity, self._chain = context, activity, chain
        self._polled = polled  # a wait with a timeout, asked as if it had none
        self._name, self._what = name_awaited_object(context, activity)
        self._waits = f"{activity.waits()} for {self._what}"

    def diagnose_wait(self) -> HangDiagnosis | None:
        """Return the first answer that holds: nobody needed, nobody left, who gives it, nobody."""
        context, activity = self._context, self._activity
        signal, surely = find_signal_that_ends_thread_wait(context, activity)
        harmless = None if surely and not activity.timed else self._diagnose_wait_needing_nobody()
        if harmless is not None:
            return harmless
        if surely:
            sentence = f"{self._waits}, which the program's handler of {signal} ends"
            idle = idle_diagnosis(activity, f"{sentence}: it waits for that signal")
            return idle._replace(kind=UNTIL_SIGNAL) if self._chain.tids else idle
        referring = (
            context.frame_references.threads_referring_to(activity.object)
            if activity.object
            else set()
        )
        nobody = bool(activity.object) and not self._unblocked_threads.may_unblocked_code_end_wait(
            activity
        )
        if nobody:  # but who waits for the same is named
            referring = {d.tid for d in self._python_threads if d.object == activity.object}
        able = referring - {activity.tid}
        able |= find_wakers(context, activity, surely=True)
        givers = find_wakers(context, activity)
        able |= givers & set(self._chain.tids)
        for tid in sorted(givers - able):
            answer = self._diagnose_through_thread(tid)
            if answer is not None:
                return answer
        if not self._python_threads and (by_signal := self._diagnose_end_by_signal()) is not None:
            return by_signal
        if not self._python_threads and self._foreign_threads:
            return self._diagnose_library_as_giver()
        if not self._python_threads:
            rest = f"only the handler of {signal} could end that" if signal else _NOBODY_LEFT
            sure = INFO if signal else PROBABLE
            return wait_diagnosis(
                HANG, "nobody left", f"{self._waits}; {rest}", activity, sure,
                evidence=("it is the only thread that runs Python",),
                ruled_out=("a timeout", "another thread of the program or of a library"),
                doubts=("a signal handler that gives it",),
            )  # fmt: skip
        if not able and is_waiting_for_event_nobody_sets(context, activity):
            parked = f"{activity.who()} is parked at {activity.where()} to keep the program alive"
            going_on = [d for d in self._python_threads if d.timed or d.kind in ALIVE]
            if self._threads_that_serve_clients:
                server = self._threads_that_serve_clients[0]
                text = f"{parked}, and {server.who()} serves in {server.place}"
                return idle_diagnosis(activity, text)
            if going_on:
                text = f"{parked}, and {going_on[0].who()} goes on at {going_on[0].where()}"
                return idle_diagnosis(activity, text)
        # A thread whose wait for something else has an end goes on by itself, and may give it then.
        # One that waits for this thread, and would give it then, is a member of a circle.
        waits_for_this = givers & set(self._chain.tids)
        same = [
            d for d in self._python_threads
            if d.kind == hang_types.EVENT and d.tid in able
            and (d.object == activity.object or not (d.timed or d.tid in waits_for_this))
        ]  # fmt: skip
        left = [d for d in self._python_threads if d.tid in able and d not in same]
        if not left:
            return self._diagnose_giver_waiting_for_work([d for d in same if d.tid in givers]) or (
                self._diagnose_missing_giver(same)
            )
        following = [d.tid for d in left if d.tid not in self._chain.tids]
        if not following:
            return self._diagnose_all_givers_waiting_for_this(left, givers)
        return next(
            (
                answer
                for answer in map(self._diagnose_through_thread, following)
                if answer is not None
            ),
            None,
        )

    def _diagnose_end_by_signal(self) -> HangDiagnosis | None:
        """Return the answer where a signal's handler gives it, as far as its code shows.

        That a main thread waits for a signal is no fault. Of another one the rest may be missing.
        """
        activity = self._activity
        handler = self._unblocked_threads.signal_handler_that_may_end_wait(activity)
        if not handler:
            return None
        sentence = f"{self._waits}, which {handler} may end"
        if activity.tid == self._context.main_tid and not self._chain.tids:
            return idle_diagnosis(activity, sentence)
        return wait_diagnosis(
            HANG, "signal", sentence, activity, INFO,
            evidence=(f"the code of {handler.rstrip(',')} gives it",),
            doubts=("whether that signal is to come",),
        )  # fmt: skip

    @cached_property
    def _foreign_threads(self) -> list[tuple[int, str]]:
        """The threads of libraries without Python code, which may call into it at any time."""
        return self._context.foreign_threads

    def _foreign_threads_clause(self) -> str:
        tid, library = self._foreign_threads[0]
        more = (
            f" and {counted(len(self._foreign_threads) - 1, 'more')}"
            if self._foreign_threads[1:]
            else ""
        )
        runs = "run no Python now and may call" if more else "runs no Python now and may call"
        return f"thread {tid}{more}, of {library}, {runs} into it to end that"

    def _diagnose_library_as_giver(self) -> HangDiagnosis:
        """Return the answer where only native threads of a library are left that may give it.

        Who takes items in a loop without end waits for work, as consumers of such libraries do.
        """
        activity, sentence = self._activity, f"{self._waits}; {self._foreign_threads_clause()}"
        takes = activity.awaits == QUEUE_ITEM and is_in_serving_loop(self._context, activity.frames)
        if takes and not self._chain.tids:
            return idle_diagnosis(activity, sentence)._replace(kind=MAY_BE_IDLE)
        return wait_diagnosis(
            HANG, "nobody left", sentence, activity, INFO,
            evidence=("it is the only thread that runs Python",), ruled_out=("a timeout",),
            doubts=("what the code of that library does next is not known",),
        )  # fmt: skip

    def _diagnose_through_thread(self, tid: int) -> HangDiagnosis | None:
        link = f"{self._what}, which could come from"
        return self._chain.diagnose_through(self._activity, tid, link)

    def _diagnose_giver_waiting_for_work(
        self, stages: Sequence[ThreadActivity]
    ) -> HangDiagnosis | None:
        """Return the answer where work comes through a thread that waits for work of its own.

        Each takes what comes from a queue, and has code that puts it into the next one. None where
        the first of them does not go on.
        """
        taken = self._activity.awaits == QUEUE_ITEM
        if not taken or not is_in_serving_loop(self._context, self._activity.frames):
            return None
        before = [d for d in stages if d.awaits == QUEUE_ITEM and d.tid not in self._chain.tids]
        answers = (
            self._diagnose_through_thread(d.tid)
            for d in before
            if d.object != self._activity.object
        )
        return next((made for made in answers if made and made.label == NO_FAULT), None)

    @property
    def _unblocked_threads(self) -> UnblockedThreads:
        return UnblockedThreads(self._context)

    @cached_property
    def _python_threads(self) -> list[ThreadActivity]:
        """The other threads that run Python."""
        return [
            d for d in self._context.activities
            if d.tid != self._activity.tid and self._context.view.frames(d.tid)
        ]  # fmt: skip

    @cached_property
    def _threads_that_serve_clients(self) -> list[ThreadActivity]:
        return [d for d in self._python_threads if _serves_clients(self._context, d)]

    def _diagnose_wait_needing_nobody(self) -> HangDiagnosis | None:
        """Return the answer of a wait that ends by itself, is for work, or for the program's end.

        A timeout ends each turn of a loop, but not the loop.
        """
        context, activity, waits = self._context, self._activity, self._waits
        if waits_for_thread_startup(context, activity):
            text = f"{activity.who()} starts a thread at {activity.where()}, which is to begin"
            return wait_diagnosis(NO_FAULT, "busy", text, activity)
        if find_timer_of_thread(context, activity):
            return wait_diagnosis(
                NO_FAULT, "timer", f"{activity.who()} waits until its timer is due", activity
            )
        if activity.place and only_waits_for_work(context, activity):
            # A scheduler waits until a job is due, a main thread until its server ends.
            served = f"{activity.who()} waits in {activity.place}"
            return idle_diagnosis(activity, f"{served}, as servers, workers and schedulers do")
        if activity.awaits == OF_CLUSTER:
            own_worker = self._diagnose_full_dask_worker()
            if own_worker is not None:
                return own_worker
        if activity.timed:
            timed = f"{waits}, with a timeout"
            if has_clock_deadline(context, activity):
                text = f"{timed} that it computed by the clock, in a loop that looks at it again"
                return wait_diagnosis(NO_FAULT, "timer", text, activity)
            in_loop = any(map(context.acquire_calls.is_running_in_loop, activity.frames[:1]))
            if not self._python_threads and in_loop and is_shutdown_name(self._name):
                # `while not stop.wait(5): look()`: a sleep that a request to stop would end.
                return wait_diagnosis(
                    NO_FAULT, "sleeps", f"{activity.who()} was {hang_types.ASLEEP} at "
                    f"{activity.where()}, for which it waits for {self._what} with a timeout",
                    activity, doubts=("whether what it looks for in each turn can still come",),
                )  # fmt: skip
            if not self._python_threads and in_loop:
                left = self._foreign_threads_clause() if self._foreign_threads else _NOBODY_LEFT
                text = f"{timed}, in a loop; {left}"
                return wait_diagnosis(HANG, "timed wait", text, activity, INFO)
            in_turns = in_loop or is_repeated_by_library(context, activity)
            stuck = (
                self._diagnose_loop_of_vain_waits()
                if in_turns
                else self._diagnose_circle_with_timed_wait()
            )
            return stuck or wait_diagnosis(NO_FAULT, "timed wait", timed, activity, INFO)
        # Where a thread waits for the end of this one, nobody waits for the program's end.
        handled = is_in_request_handler(activity.frames, context.view.frames(activity.tid))
        counts = activity.awaits == SEMAPHORE  # what is taken, one after the other, ends nothing
        # A library's close() or shutdown() waits until what it ends has ended.
        called = library_frames_called(context, activity)[-1:]
        ends = any(frame.name in CLOSING for frame in called)
        if not (self._chain.tids or handled or counts or ends) and is_shutdown_name(self._name):
            return idle_diagnosis(
                activity, f"{waits}, which ends the program: nothing is wrong with that"
            )
        return None

    def _diagnose_full_dask_worker(self) -> HangDiagnosis | None:
        """Return the answer where all threads of a dask worker wait for results of the cluster."""
        pools = {
            d.tid: _executor_of_dask_thread(self._context, d) for d in self._context.activities
        }
        own = pools.get(self._activity.tid)
        mates = [d for d in self._context.activities if own and pools[d.tid] == own]
        if not mates or any(d.awaits != OF_CLUSTER for d in mates):
            return None
        alone = len(mates) == 1
        threads = "the only thread" if alone else f"all {len(mates)} threads"
        return wait_diagnosis(
            HANG, "pool", f"{self._waits} inside a task: {threads} of its dask worker "
            f"{'waits' if alone else 'wait'} like this, and none is left to run another task",
            self._activity,
            evidence=(f"{len(mates)} of {len(mates)} threads of that worker run tasks that wait",),
            ruled_out=("an idle thread of that worker",),
            doubts=("whether another worker of the cluster is free is not in this core",),
        )  # fmt: skip

    def _diagnose_loop_of_vain_waits(self) -> HangDiagnosis | None:
        """Return the answer where each turn of a loop waits for a thread that never gives it.

        That is who would give it without a timeout, or the only ones that run jobs of the program.
        """
        context, activity = self._context, self._activity
        untimed = _EventWait(
            context, activity._replace(timed=False), self._chain, polled=True
        ).diagnose_wait()
        if (
            untimed is not None
            and len(untimed.members) > 1
            and (_is_hang_or_deadlock(untimed) and untimed.sure != INFO)
        ):
            return untimed._replace(
                sentence=f"{untimed.sentence}; it waits in turns with a timeout"
            )
        if not is_repeated_by_library(context, activity):
            return None
        jobs = [d for d in self._python_threads if d.frames and d.tid not in self._chain.tids]
        answers = [
            made
            for made in (self._diagnose_through_thread(d.tid) for d in jobs)
            if made is not None
        ]
        all_stuck = len(answers) == len(jobs) and all(
            _is_hang_or_deadlock(made) for made in answers
        )
        return answers[0] if answers and all_stuck else None

    def _diagnose_circle_with_timed_wait(self) -> HangDiagnosis | None:
        """Return the answer where those that have it wait for a lock of this thread meanwhile.

        So two threads that have all connections of a pool wait for a lock, whose holder waits for a
        connection. Workers that take turns under a lock at the same place have nothing to give.
        """
        context, activity = self._context, self._activity
        untimed = activity._replace(timed=False)
        circle = _EventWait(context, untimed, self._chain, polled=True).diagnose_wait()
        if circle is None or circle.label != DEADLOCK or circle.kind != "event and lock":
            return None
        if any(is_waiting_for_turn_under_lock(activity, other) for other in circle.members[1:]):
            return None
        seconds = seconds_of_library_timeout(context, activity)
        ends = f"a timeout ends one wait{f', after {duration_words(seconds)}' if seconds else ''}"
        return circle._replace(
            sentence=f"{circle.sentence}; {ends}", ends=ends,
            members=(activity, *circle.members[1:]),
            sure=circle.sure if seconds >= LASTING else INFO,
            ruled_out=tuple(x for x in circle.ruled_out if x != "a timeout"),
        )  # fmt: skip

    def _diagnose_missing_giver(self, same: Sequence[ThreadActivity]) -> HangDiagnosis | None:
        """Return the answer where no other thread is known to give it; `same` wait for it too."""
        context, activity, chain_tids = self._context, self._activity, self._chain.tids
        if activity.awaits == POOL_RESULTS:
            return diagnose_wait_for_pool_results(context, activity, self._waits, self._chain)
        if activity.awaits in FUTURES:
            giver = _other_event_loop_thread(
                context, activity, chain_tids
            ) or find_busy_pool_thread(context, chain_tids)
            answer = self._diagnose_through_thread(giver.tid) if giver is not None else None
            answer = answer or diagnose_wait_for_process_futures(context, activity, self._waits)
            if answer is not None:
                return answer
        selecting = find_thread_selecting_closed_socket(context, activity.object)
        if selecting is not None:
            return wait_diagnosis(
                HANG, "closed socket", f"{self._waits}, which {selecting.who()} would learn of by "
                "a socket that was closed while its selector has it: closing took it out of epoll, "
                "and nothing comes for it any more", activity,
                evidence=(f"the selector of {selecting.who()} leads to it by a closed socket",),
                ruled_out=("a timeout", "another socket of that selector that leads to it"),
                doubts=("code that reaches it through a global",),
            )  # fmt: skip
        by_signal = self._diagnose_end_by_signal()
        if by_signal is not None:
            return by_signal
        other = "a further" if same else "another"  # the clause may stand below others' waits
        proven = bool(activity.object) and not self._unblocked_threads.may_unblocked_code_end_wait(
            activity
        )
        # What comes from outside makes such a thread go on, and it may have it by a container.
        able = (
            {}
            if proven or not activity.object
            else dict(self._unblocked_threads.who_may_end(activity))
        )
        naming = [
            d for d in self._python_threads if d.tid in able and not able[d.tid].unbounded
            and d.tid not in chain_tids and d.frames
            and (d.timed or d.kind in ALIVE or d.kind in FED)
        ]  # fmt: skip
        for reader in (d for d in naming if d.kind in FED and not d.timed):
            answer = self._diagnose_through_thread(reader.tid)
            if answer is not None:
                return answer
        awaited = self._name or self._what
        rest = other_stuck_thread_clause(context, activity, same, chain_tids) + (
            f"no code that can still run ends a wait for {awaited}"
            f"{lost_permits_clause(context, activity.object)}" if proven
            else f"code of {naming[0].who()}, at {naming[0].where()}, may end that" if naming
            else f"no frame of {other} thread leads to {awaited}"
        )  # fmt: skip
        if same:
            rest = f"{_waiters_clause(activity, self._what, same)}, and {rest}"
        own_jobs = unfinished_queue_jobs_clause(context, context.view.frames(activity.tid))
        jobs = own_jobs or queued_pool_jobs_clause(context, activity)
        if jobs:
            rest = f"{jobs}; {rest}"
        # A thread that sleeps, polls, computes or waits with a timeout may reach it through a
        # global, or free who reaches it; not one that waits for the end of this thread.
        # So may a thread that a library started call into Python.
        library = next((d for d in self._python_threads if d.kind in FED and not d.frames), None)
        if library is not None and activity.awaits in FUTURES and not proven:
            rest += f"; {library.who()}, a thread of a library, may settle it when something comes"
        else:
            library = None
        # Code of a handler that was not followed to its end may give it as well.
        handlers = [] if proven else [may for _, may in context.effects_of_signal_handlers.values()]
        handled = any(
            d.object and may.surely_calls_any(d.object, methods_ending_wait(context, d))
            for may in handlers for d in (activity, *same)
        )  # fmt: skip
        if handled:
            rest += "; a signal handler of the program may end such a wait"
        # Where code that ends it was read, a thread beside whose code does not is no doubt.
        all_read = bool(able) and not (
            self._unblocked_threads.may_library_end_wait(activity)
            or self._unblocked_threads.is_ending_method_kept(activity)
        )
        free = not proven and (bool(self._foreign_threads or library or naming or handled) or any(
            d.tid not in chain_tids
            and (d.timed or d.kind in ALIVE or d in self._threads_that_serve_clients)
            and (d.tid in able or not all_read) for d in self._python_threads
        ))  # fmt: skip
        if (
            not proven
            and self._foreign_threads
            and not any(d.kind in ALIVE for d in self._python_threads)
        ):
            rest += f"; {self._foreign_threads_clause()}"
        return wait_diagnosis(
            HANG, "nobody gives it", f"{self._waits}; {rest}", activity,
            INFO if free else PROBABLE,
            evidence=tuple(
                f"{d.who()}: {d.kind} {d.what}".strip() for d in self._python_threads[:4]
            ),
            ruled_out=("a timeout", "a thread whose frames refer to it"),
            doubts=("code that reaches it through a global, or a signal handler",),
        )  # fmt: skip

    def _diagnose_all_givers_waiting_for_this(
        self, left: Sequence[ThreadActivity], givers: set[int]
    ) -> HangDiagnosis | None:
        """Return the answer where all threads that could give it wait for this one.

        Absent when this wait has a timeout and none of them has code that would give it: each turn
        of its loop ends, and that another thread has the object at hand is then no circle.
        """
        activity = self._activity
        by_signal = self._diagnose_end_by_signal()
        if by_signal is not None:
            return by_signal
        shortest = [d for d in left if d.tid == self._chain.tids[-1]] or left
        giver = shortest[0]
        if self._polled and giver.tid not in givers:
            return None
        end = "the end of " if giver.kind == hang_types.JOIN else ""
        has = "could end this wait" if giver.tid in givers else "uses it too"
        by = "calls a method of" if giver.tid in givers else "refers to"
        if self._is_idle_worker_fed_by_other(giver):
            # What an Event was set to stays. A Condition tells only those that wait already.
            of_condition = self._context.view.type_name(giver.object).endswith("Condition")
            missed = "was notified before it waited, or never" if of_condition else "was not given"
            return wait_diagnosis(
                HANG, "nobody gives it", f"{self._waits}: it has taken all that {giver.who()} put "
                f"there before, and {giver.who()} {missed}", giver,
                INFO if self._unblocked_threads.may_unblocked_code_end_wait(giver) else PROBABLE,
                evidence=(f"{activity.who()} waits for work, in a loop without end",
                          f"code of {giver.who()} has put work there, and puts none later"),
                ruled_out=("a timeout", "another thread that could give it"),
                doubts=("code that reaches it through a global",),
                fix=hang_types.LOOK_FIRST if of_condition else "",
            )  # fmt: skip
        # Who has nothing to give when the other ends is no part of a circle.
        label = DEADLOCK if giver.tid in givers or not end else HANG
        return HangDiagnosis(
            label, "event and lock" if giver.kind == hang_types.LOCK else "event and join",
            f"{self._waits}; {giver.who()}, which {has}, waits for {end}{activity.who()}",
            (activity, *shortest), PROBABLE,
            (f"{giver.who()} {by} it, and waits at {giver.where()}",),
            ("a timeout",), ("code that reaches it through a global",),
        )  # fmt: skip

    def _is_idle_worker_fed_by_other(self, giver: ThreadActivity) -> bool:
        """Tell whether this is an idle worker, into whose queue another thread has put its work.

        Of which `giver` waits for the outcome. Work that it is given only behind that wait makes a
        circle.
        """
        activity, context = self._activity, self._context
        takes = activity.awaits == QUEUE_ITEM or waits_for_queue(context, activity)
        if (
            not takes
            or activity.awaits == QUEUE_ROOM
            or not is_in_serving_loop(context, activity.frames)
        ):
            return False
        puts, whens = methods_ending_wait(context, activity), set()
        for frame in giver.frames[:MAX_CALLERS] if giver.kind == hang_types.EVENT else ():
            with suppress(UnreadableMemory, LayoutError):
                calls = context.acquire_calls.calls_with_times(frame)
                whens |= {w for at, how, w in calls if at == activity.object and how in puts}
        return bool(whens) and AHEAD not in whens


def _is_hang_or_deadlock(answer: HangDiagnosis) -> bool:
    return answer.label in (HANG, DEADLOCK)


def _executor_of_dask_thread(context: HangContext, activity: ThreadActivity) -> int:
    """Return the executor of a dask worker (PyObject *) whose thread this is; 0 for others."""
    frames = frames_running(context.view.frames(activity.tid), (_DASK_WORKER,))
    return next((context.view.variable(frame, "executor") or 0 for frame in frames), 0)


def waits_for_thread_startup(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread only waits until one that it started, and that is awake, begins."""
    inner = library_frames_called(context, activity)
    return any(frames_running(inner, (("threading", "start"),))) and any(
        d.kind in (*hang_types.RUNNING, hang_types.GIL) and not d.frames
        for d in context.activities if d.tid != activity.tid
    )  # fmt: skip


def _other_event_loop_thread(
    context: HangContext, activity: ThreadActivity, chain_tids: tuple[int, ...]
) -> ThreadActivity | None:
    """Return another thread that runs an asyncio event loop: its coroutines give such futures."""
    return next(
        (d for d in context.activities if d.tid not in (activity.tid, *chain_tids)
         and event_loop_frame_index(context.view.frames(d.tid)) is not None), None,
    )  # fmt: skip


def _waiters_clause(activity: ThreadActivity, what: str, same: Sequence[ThreadActivity]) -> str:
    """Say who waits for the same thing, and who waits for another part of it: an item, not its end.

    The thing is named: the clause may stand below the wait of another thread.
    """
    too = [d for d in same if (d.what, d.object) == (activity.what, activity.object)]
    parts = [(f"{what} too", too)] if too else []
    parts += [(what, [d for d in same if d.what == what])
              for what in dict.fromkeys(d.what for d in same if d not in too)]  # fmt: skip
    return ", ".join(
        f"{counted(len(who), 'more thread')} {'waits' if len(who) == 1 else 'wait'} for {what}"
        f"{f' at {who[0].where()}' if who[0].frames else ''}"
        for what, who in parts
    )


def _serves_clients(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread of a library alone waits for clients."""
    if activity.frames or activity.kind not in (
        hang_types.READ,
        hang_types.ACCEPT,
        hang_types.POLL,
    ):
        return False
    return bool(
        serving_function([f for f in context.view.frames(activity.tid) if f.module != "threading"])
    )
