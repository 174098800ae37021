# SPDX-License-Identifier: Apache-2.0
"""Answers for waits for a lock or a notification whose holder or giver this core does not name."""

from __future__ import annotations

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.errors import Absent
from gdb_epi.fault.signals import signal_name
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.idleness import weaken_diagnosis_in_loop
from gdb_epi.hangs.library_calls import NOTIFICATION
from gdb_epi.hangs.types import (
    HANG,
    NO_FAULT,
    SET_TIMEOUT,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    wait_diagnosis,
)
from gdb_epi.locks.python.lock_objects import SEMLOCK
from gdb_epi.locks.types import INFO, PROBABLE, LockWait

_STARTED_BY_PARENT = ("multiprocessing.process", "_bootstrap")
RWLOCK, SEMAPHORE = "pthread rwlock", "semaphore"  # of the C library: locks/families


def diagnose_multiprocessing_notification_wait(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis:
    """Answer of a wait for an Event, Condition or Barrier of processes: nobody took anything."""
    sentence = f"{activity.waits()} for {activity.awaits}"
    if activity.timed:
        return wait_diagnosis(NO_FAULT, "timed wait", f"{sentence}, with a timeout", activity, INFO)
    if activity.awaits == NOTIFICATION:
        sentence += " (an Event, Condition or Barrier of multiprocessing)"
    ended = _ended_parent_clause(context) or failed_child_clause(context)
    sentence += f", without a timeout{ended}"
    return weaken_diagnosis_in_loop(context, wait_diagnosis(
        HANG, "lock of another process", sentence, activity, PROBABLE if ended else INFO,
        doubts=("which process should give it, and whether that lives, is not in the core",),
        fix=SET_TIMEOUT,
    ))  # fmt: skip


def failed_child_clause(context: HangContext) -> str:
    """Say which child this process has seen fail, that gives nothing any more; "" for none.

    The kernel takes no semaphore or lock in shared memory back from a process that ends.
    """
    for pid, code in context.descriptors.failed_children:
        how = f"was ended by {signal_name(-code)}" if code < 0 else f"failed with exit code {code}"
        return f"; child {pid} {how}, and whatever it had to give never comes"
    return ""


def _ended_parent_clause(context: HangContext) -> str:
    """Say that the process has ended which started this one by multiprocessing; "" where not.

    The kernel gives orphans to process 1, or to a subreaper, which looks like a forkserver.
    """
    view, process = context.view, context.target.process()
    if isinstance(process, Absent) or process.ppid != 1:
        return ""
    frames = (frame for own in view.all_frames().values() for frame in own)
    started = (view.variable(frame, "self") for frame in frames
               if (frame.module, frame.name) == _STARTED_BY_PARENT)  # fmt: skip
    parents = (view.integer_attribute(at, "_parent_pid") for at in started if at)
    parent = next((pid for pid in parents if pid is not None and pid > 1), None)
    return f"; process {parent}, which had started this one, has ended" if parent else ""


def diagnose_unknown_lock_holder(
    context: HangContext, activity: ThreadActivity, wait: LockWait, name: str
) -> HangDiagnosis:
    """Answer of a wait for what stores no holder: a semaphore, a rwlock that readers hold."""
    waits = f"{activity.waits()} for {name}"
    is_lock = wait.kind == RWLOCK
    words = (
        "which readers hold; it does not say which threads they are" if is_lock
        else "whose count is 0: somebody has to post it"
    )  # fmt: skip
    if activity.timed or not context.is_only_thread(activity.tid):
        return wait_diagnosis(
            HANG, "unknown holder", f"{waits}, {words}", activity, INFO, evidence=wait.evidence[-1:]
        )
    alone = (
        "it is the only thread of this process, so it holds it itself, or one that has ended does"
        if is_lock else "it is the only thread of this process, so nobody is left to do that"
    )  # fmt: skip
    return wait_diagnosis(
        HANG, "lock never released" if is_lock else "nobody left", f"{waits}, {words}; {alone}",
        activity, evidence=("no other thread is in this process", *wait.evidence[-1:]),
        ruled_out=("a timeout", "another thread"), doubts=("a signal handler",),
    )  # fmt: skip


def diagnose_lock_held_by_generator(
    context: HangContext, activity: ThreadActivity, wait: LockWait, name: str
) -> HangDiagnosis | None:
    """Answer where a generator rests at a `yield` inside `with` of the lock; None where none does.

    It releases the lock when somebody asks it on, closes or drops it.
    """
    if not wait.object:
        return None
    instances = shared_instances(context.target, context.python)
    generators = (of_class.address for of_class in instances.instances_of(("generator",)))
    holder = context.view.suspended_holder(wait.object, generators)
    if holder is None:
        return None
    generator, frame = holder
    referring = context.frame_references.threads_referring_to(generator) - {activity.tid}
    users = [d for d in context.activities if d.tid in referring]
    user = f", and {users[0].who()} has it at hand" if users else ""
    sentence = (
        f"{activity.waits()} for {name}, which a generator holds: it rests in "
        f"{function_and_line(frame)}, at a `yield` inside `with` of that lock{user}"
    )
    return wait_diagnosis(
        HANG, "held by a generator", sentence, activity, INFO if users else PROBABLE,
        evidence=(f"the frame of a suspended generator is inside `with` of {name}",),
        ruled_out=("a timeout", "a frame of a thread inside `with` of it"),
        doubts=("code that asks the generator for more, or drops it",),
    )  # fmt: skip


def diagnose_ended_lock_owner(activity: ThreadActivity, wait: LockWait, name: str) -> HangDiagnosis:
    """The lock's own words name a thread that the process does not have, and no fork left behind.

    A core has all threads of its process, so that one ended: nobody else may unlock.
    """
    owner = f"thread {wait.owner.tid}" if wait.owner.tid else "a thread"
    sentence = (
        f"{activity.waits()} for {name}, which {owner} took and never "
        "released: that thread has ended"
    )
    return wait_diagnosis(
        HANG, "owner ended", sentence, activity, evidence=wait.evidence[-2:],
        ruled_out=("a thread that still runs", "a fork"),
        doubts=("a thread that was removed by other means than its end",),
    )  # fmt: skip


def diagnose_possibly_inherited_lock(
    context: HangContext, activity: ThreadActivity, wait: LockWait, name: str
) -> HangDiagnosis:
    """Answer of a process that may have been forked, where vanished threads cannot be looked for.

    Whoever took the lock: where no other thread is left, nobody can release it.
    """
    waits = f"{activity.waits()} for {name}"
    came_held = "a thread of the parent may have held it at fork()"
    private = bool(wait.object) and wait.kind != SEMLOCK  # a SemLock is for several processes
    if not private or activity.timed or not context.is_only_thread(activity.tid):
        return wait_diagnosis(
            HANG, "unknown holder", f"{waits}; who holds it is not known", activity, INFO,
            doubts=("whether it came held through fork(), by a thread of the parent",),
        )  # fmt: skip
    sentence = f"{waits}; it is the only thread of this process, so nobody is left to release it"
    if context.locks.fork.forked:
        sentence += f"; the process was forked: {came_held}"
    return wait_diagnosis(
        HANG, "nobody left", sentence, activity,
        evidence=("no other thread is in this process", *wait.evidence[:1]),
        ruled_out=("a timeout", "another thread", "a lock that processes share"),
        doubts=(f"{came_held}, or this thread took it before, outside a with block",),
    )  # fmt: skip
