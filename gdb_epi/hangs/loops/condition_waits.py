# SPDX-License-Identifier: Apache-2.0
"""Waits at a threading.Condition that would end if they looked again: nobody notified them.

`while not items: condition.wait()` waits on because the items are not there, or because who put
them there called no notify(), called it too early, or notify() woke another thread. The code is
followed (dry_run.py), after the wait() and from where it was decided on, until it waits again or
goes past it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.value_stack import Item, Method, ProcessObject
from gdb_epi.hangs.dry_run.container_evaluation import MAX_CODE
from gdb_epi.hangs.dry_run.dry_run import DryRun
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.loops.dry_run_starts import (
    DryRunStart,
    find_dry_run_starts,
    start_dry_run,
    start_dry_run_at,
)
from gdb_epi.hangs.loops.endless_loops import NOT_FOLLOWED
from gdb_epi.hangs.types import EVENT, GIL, HANG, JOIN, RUNNING, HangDiagnosis, ThreadActivity
from gdb_epi.locks.types import PROBABLE

MAX_STEPS = 2_000
_CONDITION = "threading.Condition"
_WAITS = ("wait", "wait_for")


class _WaitsAgain(Exception):
    """The code waits at the same condition again."""


class _LeavesLoop(Exception):
    """The code leaves the loop in which it waited."""


class _DryRunAfterWait(DryRun):
    """What follows a wait."""

    condition = 0  # PyObject *
    loop = range(0)  # bytes of the code

    def run_of_callee(self) -> _DryRunAfterWait:
        """Return the run of a function that is called."""
        run = super().run_of_callee()
        run.condition = self.condition
        return run

    def execute_instruction(self, name: str, argument: int) -> None:
        """Do an instruction of the loop. Raises _LeavesLoop after its last one."""
        if self.loop and self.following > self.loop.stop:
            raise _LeavesLoop
        super().execute_instruction(name, argument)

    def _result_of_call(
        self, called: Item, arguments: Sequence[Item], named: Mapping[str, Item]
    ) -> Item:
        if (
            isinstance(called, Method)
            and called.self.address == self.condition
            and called.name in _WAITS
        ):
            raise _WaitsAgain
        return super()._result_of_call(called, arguments, named)


def would_wait_again(context: HangContext, activity: ThreadActivity) -> bool | None:
    """Tell whether a thread that is woken at its Condition would wait again; None: not known."""
    if activity.kind != EVENT or not activity.object or not activity.frames:
        return None
    if context.view.type_name(activity.object) not in (_CONDITION, "Condition"):
        return None
    inner = context.view.frames(activity.tid)
    waiting = next((f for f in inner if (f.module, f.name) == ("threading", "wait_for")), None)
    frame, budget = activity.frames[0], [MAX_STEPS]
    try:
        if waiting is not None:
            predicate = context.view.variable(waiting, "predicate") or 0
            run = start_dry_run(context, waiting, budget, DryRun)
            return not run.truth(run.call_item(ProcessObject(predicate), []))
        loop, at = (
            context.acquire_calls.innermost_loop(frame),
            context.acquire_calls.running_byte_offset(frame),
        )
        if at is not None and _can_code_pass_wait(context, frame, activity.object, loop, at):
            return False
        for start in find_dry_run_starts(context, frame, innermost=True):
            if loop is None or at is None or start.at <= at:
                continue
            after = start_dry_run_at(context, frame, start, budget, _DryRunAfterWait)
            after.condition, after.loop = activity.object, range(loop[0], loop[1] + 2)
            after.run_from(start.at, MAX_CODE)
            return False
    except _WaitsAgain:
        return True
    except _LeavesLoop:
        return False
    except NOT_FOLLOWED:
        pass
    return None


def _can_code_pass_wait(
    context: HangContext, frame: PyFrame, condition: int, loop: tuple[int, int] | None, at: int
) -> bool:
    """Tell whether code that begins anew, in its loop or at all, goes past the wait at a byte.

    `if not items: condition.wait()` does not look again. What such code changes on its way to the
    wait it has changed already, and is not followed.
    """
    begin = loop[0] if loop is not None else 0
    waiting = context.call_sites.running_instruction(frame.code, at)
    end = waiting.end if waiting is not None else at
    start = DryRunStart(begin, (), repeats_until=at)
    run = start_dry_run_at(context, frame, start, [MAX_STEPS], _DryRunAfterWait)
    run.condition, run.loop = condition, range(begin, end)
    try:
        run.run_from(begin, MAX_CODE)
    except _LeavesLoop:
        return True
    except (_WaitsAgain, *NOT_FOLLOWED):
        return False
    return True


def diagnose_missed_notification(context: HangContext) -> HangDiagnosis | None:
    """A thread waits at a condition that holds, with its lock free, and no thread runs."""
    if any(d.kind in (*RUNNING, GIL) and d.frames for d in context.activities):
        return None
    for activity in context.activities:
        if activity.timed or would_wait_again(context, activity) is not False:
            continue
        lock = context.view.attribute(activity.object, "_lock")
        run = start_dry_run(context, activity.frames[0], [MAX_STEPS], DryRun)
        if not lock or not run.decoder.repr_of(lock).startswith("<unlocked"):
            continue
        joined = next(
            (d for d in context.activities if d.kind == JOIN and d.target == activity.tid), None
        )
        sentence = (
            f"{activity.waits()} for {activity.what}, although what it waits for is there already: "
            "with the values in this core it would not wait again, but nobody notified it"
        )
        if joined is not None:
            sentence += f"; {joined.waits()} for the end of {activity.who()}"
        return HangDiagnosis(
            HANG, "missed notification", sentence, (activity,), PROBABLE,
            ("its code was followed: it does not come to that wait() again",
             "the lock of the condition is free"),
            ("a thread that runs, or waits for that lock", "a timeout"),
            ("a thread that has yet to notify it",),
        )  # fmt: skip
    return None
