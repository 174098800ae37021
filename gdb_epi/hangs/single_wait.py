# SPDX-License-Identifier: Apache-2.0
"""The answer where one thread's wait decides: what it waits for, and who here could end that."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from gdb_epi.cpython.running.tasks import ASYNCIO, TRIO
from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u32
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.deadlocks import describe_awaited_lock
from gdb_epi.hangs.event_waits import diagnose_event_wait, waits_for_thread_startup
from gdb_epi.hangs.external_waits import (
    diagnose_child_wait,
    diagnose_data_wait,
    diagnose_database_wait,
    diagnose_sleep,
    diagnose_wait_for_work,
    diagnose_write_wait,
)
from gdb_epi.hangs.hang_context import HangContext, WaitChain, process_rule_from_thread_rule
from gdb_epi.hangs.idleness import (
    IDLE,
    SHALLOW,
    debugger_wait_frame,
    is_in_serving_loop,
    is_waiting_for_turn_under_lock,
    library_frames_called,
    weaken_diagnosis_in_loop,
)
from gdb_epi.hangs.library_calls import (
    EVENT_SET,
    NOTIFICATION,
    NOTIFIES,
    PROCESS_JOBS,
    PROGRAM_END,
    QUEUE_ITEM,
    SERVERS,
    event_loop_frame_index,
    frames_running,
    is_waiting_in_shutdown,
)
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.loops.event_loop_diagnosis import diagnose_sleeping_event_loop
from gdb_epi.hangs.loops.polled_waits import diagnose_polling_loop
from gdb_epi.hangs.processes.accept_locks import diagnose_turn_to_accept
from gdb_epi.hangs.processes.file_locks import diagnose_file_lock_held_in_process
from gdb_epi.hangs.tasks import event_loop_module, name_task
from gdb_epi.hangs.types import (
    CANNOT_TELL,
    DEADLOCK,
    FED,
    HANG,
    NO_FAULT,
    HangDiagnosis,
    ThreadActivity,
    idle_diagnosis,
    wait_diagnosis,
)
from gdb_epi.hangs.unknown_holders import (
    RWLOCK,
    SEMAPHORE,
    diagnose_ended_lock_owner,
    diagnose_lock_held_by_generator,
    diagnose_multiprocessing_notification_wait,
    diagnose_possibly_inherited_lock,
    diagnose_unknown_lock_holder,
    failed_child_clause,
)
from gdb_epi.hangs.wakers import (
    does_timer_restart_itself,
    find_thread_called_by_same_library,
    find_timer_of_thread,
    find_wakers,
)
from gdb_epi.locks.fork.thread_objects import find_module_dict_of_main_interpreter
from gdb_epi.locks.python.lock_objects import RLOCK
from gdb_epi.locks.types import (
    CERTAIN,
    CONDITION,
    FUTEX_WORD,
    INFO,
    NATIVE_NOTIFICATION,
    PROBABLE,
    LockWait,
)
from gdb_epi.util import default_when_unreadable, duration_words

# When a call that blocks an event loop returns, by its kind: others may bring that about.
_ENDS_BLOCK = {
    **dict.fromkeys((hang_types.READ, hang_types.WRITE, hang_types.POLL, hang_types.ACCEPT),
                    "the other side acts"),
    hang_types.CHILD: "that child ends",
    **dict.fromkeys((hang_types.FILE_LOCK, hang_types.DATABASE), "its holder gives it back"),
}  # fmt: skip
_OF_COROUTINES = 0x380  # CO_COROUTINE, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR
MAX_CHAIN = 16  # threads that are followed, each waiting for the next


def diagnose_thread_wait(
    context: HangContext, activity: ThreadActivity, chain_tids: tuple[int, ...] = ()
) -> HangDiagnosis | None:
    """Return the answer that one thread's wait gives."""
    if activity.tid in chain_tids or len(chain_tids) > MAX_CHAIN:
        return None
    chain = WaitChain(context, _diagnose_through_thread, chain_tids)
    frames = context.view.frames(activity.tid)
    place = event_loop_frame_index(frames)
    reactor = (
        context.event_loop_reader.reactor_of_frame(frames[0])
        if frames and activity.kind == hang_types.POLL
        else None
    )
    if reactor is not None:
        return diagnose_sleeping_event_loop(context, activity, reactor, chain)
    in_loop = event_loop_module(frames[:SHALLOW], activity.module)
    if (
        activity.kind in (hang_types.POLL, hang_types.READ, hang_types.OTHER, hang_types.SLEEP)
        and in_loop
        and not _frames_blocking_asyncio_loop(activity, frames)
    ):
        loop = (
            context.event_loop_reader.loop_of_frame(frames[place], context.tasks)
            if place is not None and frames[place].module == "asyncio.base_events"
            else context.event_loop_reader.uvloop_of_thread(context.tasks, activity.target)
        )
        answer = diagnose_sleeping_event_loop(context, activity, loop, chain)
        if answer is not None:
            return answer
    following = _FOLLOWING.get(activity.kind)
    if following is not None:
        return following(context, activity, chain)
    return _BY_ITSELF.get(activity.kind, _diagnose_other_wait)(context, activity)


def _diagnose_lock_wait(
    context: HangContext, activity: ThreadActivity, chain: WaitChain
) -> HangDiagnosis | None:
    wait = context.waits.get(activity.tid)
    name = describe_awaited_lock(context, activity)
    if activity.awaits in (NOTIFICATION, PROCESS_JOBS):
        return diagnose_multiprocessing_notification_wait(context, activity)
    if wait is None or wait.owner.state == "other-process":
        return _diagnose_lock_of_another_process(context, activity, wait, name)
    if wait.owner.tid == activity.tid and wait.confidence != CERTAIN:
        sentence = f"{activity.waits()} for {name}, which it took itself"
        link = f"{name}, which it took itself and which can be released by"
        answer = chain.diagnose_through_any(activity, find_wakers(context, activity), link)
        if answer is not None:
            return answer
        handler = UnblockedThreads(context).signal_handler_that_may_end_wait(activity)
        if handler and activity.tid == context.main_tid:
            sentence += f", and which {handler} may release"
            return idle_diagnosis(activity, sentence)
        meant = "a signal handler may be meant to release it"
        if context.signal_handlers == {} or not context.is_module_visible_on_stack(
            activity, "signal"
        ):
            meant = "other code is known that may release it"
        return wait_diagnosis(
            HANG, "lock of its own", f"{sentence}: {meant}", activity, INFO,
            evidence=wait.evidence[-2:],
        )  # fmt: skip
    if wait.owner.state == "live" and wait.owner.tid is not None:
        answer = chain.diagnose_through(activity, wait.owner.tid, f"{name}, held by")
        if wait.doubt and answer is not None and answer.label == DEADLOCK:
            answer = answer._replace(sure=INFO)  # a circle only if that thread does hold it
        return _diagnose_lock_never_released(context, activity, wait, answer, name) or answer
    if wait.kind in (CONDITION, NATIVE_NOTIFICATION):
        return _diagnose_notification_wait(context, activity, wait, chain)
    if wait.kind == SEMAPHORE:  # nobody holds it: that a thread vanished explains nothing
        return diagnose_unknown_lock_holder(context, activity, wait, name)
    if context.may_locks_be_inherited:
        return diagnose_possibly_inherited_lock(context, activity, wait, name)
    if wait.kind == RWLOCK and not wait.owner.tid:
        return diagnose_unknown_lock_holder(context, activity, wait, name)
    if wait.owner.state == "unknown" and (wait.owner.tid or wait.owner.ident):
        return diagnose_ended_lock_owner(activity, wait, name)
    others = [d for d in context.activities if d.tid != activity.tid and d.frames]
    waits = f"{activity.waits()} for {name}"
    if wait.kind == FUTEX_WORD:
        text = f"{waits}: whether that is a lock, and who could end the wait, is not known"
        return wait_diagnosis(HANG, "unknown holder", text, activity, INFO)
    # A Lock may be passed on: its taker waits until another thread, whose turn it is, releases it.
    link = f"{name}, which can be released by"
    answer = chain.diagnose_through_any(activity, find_wakers(context, activity), link)
    if answer is not None:
        return answer
    by_generator = diagnose_lock_held_by_generator(context, activity, wait, name)
    if by_generator is not None:
        return by_generator
    sentence = f"{waits}, which is taken, and no Python code that runs now holds it"
    sure = PROBABLE if wait.object and not others else INFO
    referring = (
        context.frame_references.threads_referring_to(wait.object) - {activity.tid}
        if wait.object
        else set()
    )
    if others and not (
        referring and UnblockedThreads(context).may_unblocked_code_end_wait(activity)
    ):
        sure = PROBABLE
    if context.foreign_threads or UnblockedThreads(context).is_lock_released_by_others(activity):
        sure, sentence = INFO, f"{sentence}; other code is known that may release it"
    return wait_diagnosis(
        HANG, "lock never released", sentence, activity, sure,
        ruled_out=("a frame inside `with` of it", "code of a living thread that took it by hand"),
        doubts=("who took it is not known: most often code that ended without releasing it",),
    )  # fmt: skip


def _diagnose_lock_never_released(
    context: HangContext, activity: ThreadActivity, wait: LockWait, answer: HangDiagnosis | None,
    name: str,
) -> HangDiagnosis | None:  # fmt: skip
    """Answer where the holder of a lock goes on, but no code that can still run releases it.

    A lock that a frame is in `with` of is released at the block's end.
    """
    holder = context.activity_of_thread(wait.owner.tid)
    goes_on = answer is None or answer.label == NO_FAULT or answer.sure == INFO
    in_block = any(
        block.tid == wait.owner.tid for block in context.view.with_blocks_of_lock(activity.object)
    )
    if holder is None or wait.confidence == CERTAIN or in_block or not goes_on:
        return None
    owner = holder.tid if wait.kind == RLOCK else None
    if not activity.object or UnblockedThreads(context).may_unblocked_code_end_wait(
        activity, owner
    ):
        return None
    held = f"held by {holder.who()}{wait.doubt or ', which took it by acquire()'}"
    sentence = (
        f"{activity.waits()} for {name}, {held}; {holder.who()} is at {holder.where()}, and no "
        "code that can still run releases it"
    )
    return wait_diagnosis(
        HANG, "lock never released", sentence, activity, evidence=wait.evidence[-2:],
        ruled_out=("a timeout", "code of any thread that has yet to release it"),
        doubts=("native code that releases it",),
    )  # fmt: skip


def _diagnose_lock_of_another_process(
    context: HangContext, activity: ThreadActivity, wait: LockWait | None, name: str
) -> HangDiagnosis:
    tid = wait.owner.tid if wait is not None else None
    # Without a number it may be another process, one that was killed, or a thread of this one.
    wakes = "is to wake it" if wait is not None and wait.kind == CONDITION else "took it"
    doubt = f"whether {'that thread' if tid else f'who {wakes}'} still lives is not in the core"
    who = (
        f"held by thread {tid} of another process" if tid
        else f"which processes share; who {wakes} is not in this core"
    )  # fmt: skip
    sentence = f"{activity.waits()} for {name}, {who}"
    turn = diagnose_turn_to_accept(context, activity, sentence)
    if turn is not None:
        return turn
    # Whoever notify() wakes says so at once, if it lives.
    notifies = any(frames_running(context.view.frames(activity.tid), (NOTIFIES,)))
    failed = failed_child_clause(context)
    return weaken_diagnosis_in_loop(context, wait_diagnosis(
        HANG, "lock of another process", f"{sentence}{failed}", activity,
        PROBABLE if failed or notifies else INFO,
        evidence=wait.evidence[-2:] if wait is not None else (), doubts=(doubt,),
    ))  # fmt: skip


def _diagnose_notification_wait(
    context: HangContext, activity: ThreadActivity, wait: LockWait, chain: WaitChain,
) -> HangDiagnosis | None:  # fmt: skip
    """Answer of a wait for a condition or a notification of native code."""
    what = f"{wait.kind} {wait.name}" if wait.name else wait.kind
    held_up = _native_thread_held_up_by_lock(context, activity)
    if held_up is not None:
        lock = describe_awaited_lock(context, held_up)
        does, started = f"{activity.waits()} until another thread wakes it", ""
        if held_up.tid == context.main_tid:
            sentence = f"{does}; {held_up.waits()} for {lock}"
        else:
            started = " was not started by Python, and"
            sentence = (
                f"{does}, and holds {lock}; {held_up.who()}, which a native library started, "
                f"waits for that lock at {held_up.where()}"
            )
        return HangDiagnosis(
            HANG, "held while it waits", sentence, (activity, held_up), PROBABLE,
            (f"{held_up.who()}{started} waits for {activity.who()}",),
            ("a timeout",), ("whether it is that thread which should wake it",), settled=True,
        )  # fmt: skip
    called = find_thread_called_by_same_library(context, activity, chain.tids)
    if called is not None:
        link = f"{activity.module}, and that probably for the Python code that it called in"
        return chain.diagnose_through(activity, called.tid, link)
    sentence = f"{activity.waits()} until another thread wakes it (a {what})"
    if wait.kind == CONDITION and not activity.timed and context.is_only_thread(activity.tid):
        return wait_diagnosis(
            HANG, "nobody left", f"{sentence}; it is the only thread of this process", activity,
            evidence=("no other thread is in this process", *wait.evidence[-1:]),
            ruled_out=("a timeout", "another thread", "another process, which needs shared memory"),
            doubts=("a signal handler of native code",),
        )  # fmt: skip
    sentence += "; which thread should is not known"
    return wait_diagnosis(HANG, "unknown holder", sentence, activity, INFO)


def _native_thread_held_up_by_lock(
    context: HangContext, activity: ThreadActivity
) -> ThreadActivity | None:
    """Return a thread of a native library, in Python code, that waits for a lock of this thread."""
    for other in context.activities:
        wait = context.waits.get(other.tid)
        frames = context.view.frames(other.tid)
        if wait is None or other.timed or not frames or frames[-1].module == "threading":
            continue
        if wait.owner.state == "live" and wait.owner.tid == activity.tid != other.tid:
            return other
    return None


def _diagnose_through_thread(
    context: HangContext, activity: ThreadActivity, tid: int, link: str, chain_tids: tuple[int, ...]
) -> HangDiagnosis | None:
    """Follow a wait to the thread that it waits for; that one's own wait decides."""
    other = context.activity_of_thread(tid)
    if other is None:
        return None
    further = diagnose_thread_wait(context, other, (*chain_tids, activity.tid))
    if further is None:
        return None
    wait = context.waits.get(activity.tid)
    doubt = wait.doubt if wait is not None and wait.owner.tid == tid else ""
    sentence = f"{activity.waits()} for {link} {other.who()}{doubt}; "
    # Of a circle those are members that are in it, not who waits for one of them.
    before = () if further.label == DEADLOCK else (activity,)
    further = further._replace(sentence=sentence + further.sentence,
                               members=(*before, *further.members))  # fmt: skip
    if further.label != NO_FAULT or further.kind != IDLE:
        return further
    if activity.kind == hang_types.JOIN and (activity.timed or other.place.startswith(SERVERS)):
        return further  # a main thread that waits for the end of its service
    if activity.kind == hang_types.JOIN and other.kind == hang_types.EVENT:
        # The program waits for the end of a thread that waits for another one to give it work.
        # A worker without an end of its own, whose work comes with clients, may have none now.
        giver = further.members[-1]
        if giver.kind in FED and giver is not other and is_in_serving_loop(context, other.frames):
            return further
        return further._replace(label=HANG, kind="nobody gives it")
    if activity.kind == hang_types.JOIN and is_waiting_in_shutdown(
        library_frames_called(context, activity)
    ):
        text = f"{further.sentence}; that thread ends only when its client goes"
        return further._replace(label=HANG, kind="closing", sentence=text)
    if activity.kind == hang_types.LOCK and other.kind == hang_types.CHILD:
        text = f"{further.sentence}, and keeps what it holds meanwhile: workers may need that too"
        return further._replace(label=HANG, kind="idle holder", sentence=text, sure=INFO)
    if activity.kind == hang_types.LOCK and not (
        is_waiting_for_turn_under_lock(activity, other)
        or debugger_wait_frame(context.view.frames(other.tid))
    ):
        text = f"{further.sentence}; {other.who()} keeps what it holds as long as it waits for work"
        return further._replace(label=HANG, kind="idle holder", sentence=text)
    if activity.kind == hang_types.READ and not any(
        map(context.acquire_calls.is_running_in_loop, activity.frames)
    ):
        text = f"{further.sentence}: it has nothing to do, and the answer does not come"
        return further._replace(label=HANG, kind="peer", sentence=text, settled=True)
    if activity.kind == hang_types.EVENT and activity.awaits != QUEUE_ITEM:
        # What it shall give besides its work may come with the next client, or never.
        doubt = "whether what that thread waits for comes, and makes it do so, is not in the core"
        return further._replace(label=HANG, kind="nobody gives it", sure=INFO,
                                open=(*further.open, doubt))  # fmt: skip
    return further


def _diagnose_join(
    context: HangContext, activity: ThreadActivity, chain: WaitChain
) -> HangDiagnosis | None:
    joined = context.activity_of_thread(activity.target)
    if activity.timed and joined is not None and joined.awaits == QUEUE_ITEM:
        sentence = f"{activity.waits()} for the end of {joined.who()} "
        sentence += f"with a timeout, and that one at {joined.where()} for {joined.what}"
        return idle_diagnosis(activity, sentence)
    over = activity.awaits == PROGRAM_END
    awaited = activity.target if activity.target != activity.tid else None
    if awaited is None and (over or not activity.frames):
        waiting = [
            d for d in context.activities
            if d.tid != activity.tid and context.view.frames(d.tid) and d.tid not in chain.tids
        ]  # fmt: skip
        awaited = next((d.tid for d in [*(d for d in waiting if d.frames), *waiting]), None)
    if awaited is not None:
        answer = chain.diagnose_through(activity, awaited, "the end of")
        if answer is not None:
            return _diagnose_after_main_ended(context, awaited, answer) if over else answer
        if activity.target is not None:
            return None  # a circle that no rule knew
    sentence = f"{activity.waits()} for {activity.awaited_text()}"
    wait = context.waits.get(activity.tid)
    gone = wait is not None and not wait.owner.tid and bool(wait.owner.ident)
    still = wait is not None and read_u32(context.target, wait.address) == 0  # not posted since
    if wait is not None and gone and still and context.locks.fork.forked is False:
        return wait_diagnosis(
            HANG, "join", f"{sentence}: native code (pthread_exit()) or a filter of system calls "
            "ended that thread, and Python was not told", activity,
            evidence=wait.evidence[-1:], ruled_out=("a timeout", "a fork, which copies one thread"),
        )  # fmt: skip
    return wait_diagnosis(HANG, "join", sentence, activity, INFO)


def _diagnose_after_main_ended(
    context: HangContext, tid: int, answer: HangDiagnosis
) -> HangDiagnosis:
    """Say that the program is over except for one thread; a Timer that restarts itself goes on."""
    text = (
        f"the program is over, but a thread that is not a daemon keeps it alive: {answer.sentence}"
    )
    thread = context.activity_of_thread(tid)
    failure = _exception_that_ended_main(context)
    if (
        thread
        and failure
        and answer.label == NO_FAULT
        and answer.kind in (IDLE, hang_types.MAY_BE_IDLE)
    ):
        return answer._replace(
            label=HANG, kind="failed main", sure=PROBABLE,
            sentence=f"{thread.waits()} for {thread.awaited_text()}: the program itself had ended "
            f"by an exception ({failure}), and this thread, which is no daemon, keeps the process "
            "alive",
            open=(*answer.open, "whether that thread is meant to serve on without the program"),
        )  # fmt: skip
    alone = len(context.view.all_frames()) == 2  # with the main thread, which has ended
    timer = find_timer_of_thread(context, thread) if thread is not None else 0
    looks = thread is not None and thread.timed and thread.awaits == EVENT_SET and not timer
    if looks and alone and answer.label == NO_FAULT:
        return answer._replace(
            label=HANG, sure=INFO,
            sentence=f"{text}; no other thread is left that could set what it looks at",
            open=(*answer.open, "whether it is meant to go on by that thread alone"),
        )  # fmt: skip
    if thread is None or not does_timer_restart_itself(context, timer):
        return answer._replace(sentence=text)
    return answer._replace(
        label=HANG, sure=INFO,
        sentence=f"{text}; the function of that Timer starts another one, so the process stays",
        open=(*answer.open, "whether it is meant to go on by that timer alone"),
    )  # fmt: skip


@default_when_unreadable("")
def _exception_that_ended_main(context: HangContext) -> str:
    """Return the class of the exception that nobody caught in the main program; "" for none.

    Reference: PyErr_PrintEx() in Python/pythonrun.c keeps it as `sys.last_type`; SystemExit is not
    printed.
    """
    contents = find_module_dict_of_main_interpreter(context.view.objects, context.python, "sys")
    if isinstance(contents, Absent):
        return ""
    kind = context.view.objects.dict_get(contents, "last_type")
    if isinstance(kind, Absent) or not kind:
        return ""
    name = context.view.reader.type_name(kind)
    return "" if isinstance(name, Absent) else name


def _diagnose_other_wait(_context: HangContext, activity: ThreadActivity) -> HangDiagnosis:
    what = activity.what or activity.call or "something"
    if activity.kind in hang_types.RUNNING:
        return wait_diagnosis(
            NO_FAULT, "busy", f"{activity.who()} was computing at {activity.where()}", activity
        )
    sentence = f"{activity.who()} is in {what} at {activity.where()}"
    return wait_diagnosis(CANNOT_TELL, "unknown", sentence, activity, INFO)


def diagnose_busy_wait(context: HangContext) -> HangDiagnosis | None:
    """The only running thread polls one condition again and again, without a sleep."""
    running = [
        d
        for d in context.activities
        if d.kind in (*hang_types.RUNNING, hang_types.GIL) and d.frames
    ]
    if len(running) != 1 or running[0].kind == hang_types.GIL:
        return None
    chain = WaitChain(context, _diagnose_through_thread)
    return diagnose_polling_loop(context, running[0], chain)


@process_rule_from_thread_rule
def diagnose_blocked_event_loop(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """A call that blocks, made in a coroutine: the event loop and all its tasks stand still."""
    if activity.kind in (*hang_types.RUNNING, hang_types.GIL) or not activity.frames:
        return None
    frames = context.view.frames(activity.tid)
    place = event_loop_frame_index(frames)
    own = _frames_blocking_asyncio_loop(activity, frames)
    if place is None or not own or waits_for_thread_startup(context, activity):
        return None
    what = activity.what or activity.call or "something"
    sleeps = activity.kind == hang_types.SLEEP
    call = "sleeps" if sleeps else f"waits for {what}"
    ends = _ENDS_BLOCK.get(activity.kind, "that call returns")
    if any(_is_in_loop_without_await(context, frame) for frame in own):
        ends = "that loop ends" if activity.timed else f"that loop ends; each time, {ends}"
    elif activity.timed:
        seconds = (
            _seconds_of_sleep_in_loop_turn(context, activity, frames[place:]) if sleeps else 0.0
        )
        limit = f", after {duration_words(seconds)} at most" if seconds else ""
        ends = f"{'that sleep' if sleeps else 'its timeout'} ends{limit}"
    of_thread = (t for t in context.tasks if t.running and t.tid == activity.tid)
    running = next((t for t in of_thread if t.framework in (ASYNCIO, TRIO)), None)
    if running is not None and _does_nothing_else_wait_for_loop(context, running):
        return None
    by = f" by {name_task(running)}" if running is not None else ""
    sentence = (
        f"the event loop of {activity.who()} is blocked{by}: {activity.where()} {call}, and no "
        f"task can run until {ends}"
    )
    return wait_diagnosis(
        HANG, "blocked event loop", sentence, activity, CERTAIN,
        evidence=("the frame is called by the event loop and sleeps outside of its selector",),
        doubts=("a short call, seen at this moment",) if activity.timed else (),
        fix=_fix_for_plain_function_called(context, own), ends=ends,
    )  # fmt: skip


def _frames_blocking_asyncio_loop(
    activity: ThreadActivity, frames: Sequence[PyFrame]
) -> Sequence[PyFrame]:
    """Return the program's frames that a loop of asyncio called; none of a loop that sleeps."""
    place = event_loop_frame_index(frames)
    above = frames[: place or 0]
    if above and (above[0].module or "") in ("selectors", "asyncio.base_events"):
        return ()
    addresses = {frame.address for frame in activity.frames}
    return [frame for frame in above if frame.address in addresses]


def _does_nothing_else_wait_for_loop(context: HangContext, task: UnfinishedTask) -> bool:
    """Tell whether nothing waits for the loop of a task that blocks it: a call like any other."""
    loop = context.event_loop_reader.loop_of_task(task, context.tasks)
    return (
        all(other.id == task.id for other in context.tasks)
        and loop is not None
        and (loop.descriptors, loop.timers, loop.ready) == (0, 0, 0)
    )


@default_when_unreadable(False)
def _is_in_loop_without_await(context: HangContext, frame: PyFrame) -> bool:
    """Tell whether a frame runs a loop that keeps its thread: one call's end is not its end."""
    loop = context.acquire_calls.innermost_loop(frame)
    if loop is None:
        return False
    return not any(
        loop[0] <= instruction.at <= loop[1] and instruction.operation == "await"
        for instruction in context.call_sites.instructions(frame.code)
    )


def _fix_for_plain_function_called(context: HangContext, frames: Sequence[PyFrame]) -> str:
    """Return the fix that names the plain function which a coroutine calls; "" for a coroutine."""
    plain = None
    with suppress(UnreadableMemory, LayoutError):
        for frame in frames:
            flags = context.view.reader.field32(frame.code, "PyCodeObject", "co_flags")
            if flags & _OF_COROUTINES:
                break
            plain = frame
    return f"{hang_types.TO_THREAD}{plain.qualname or plain.name}" if plain is not None else ""


def _seconds_of_sleep_in_loop_turn(
    context: HangContext, activity: ThreadActivity, frames: Sequence[PyFrame]
) -> float:
    """Return how long at most a sleep lasts in a turn of asyncio's loop; 0 where it is not known.

    A sleep until a time of the clock: the loop asked the same clock when the turn began, for
    `end_time` (Lib/asyncio/base_events.py, _run_once(), 3.8 to 3.15).
    """
    seconds = context.sleep_seconds(activity.tid)
    if not context.is_sleep_time_absolute(activity.tid):
        return seconds
    for frame in frames:
        word = context.view.variable(frame, "end_time") if frame.name == "_run_once" else None
        if word and context.view.type_name(word) == "float":
            with suppress(UnreadableMemory, LayoutError):
                return max(seconds - context.view.float_value(word), 0.0)
    return 0.0


# Rules whose answer may be that of the thread that is waited for.
_FOLLOWING = {
    hang_types.LOCK: _diagnose_lock_wait,
    hang_types.FILE_LOCK: diagnose_file_lock_held_in_process,
    hang_types.EVENT: diagnose_event_wait,
    hang_types.JOIN: _diagnose_join,
    hang_types.READ: diagnose_data_wait,
    hang_types.ACCEPT: diagnose_wait_for_work,
    hang_types.POLL: diagnose_wait_for_work,
    hang_types.SLEEP: diagnose_sleep,
    hang_types.SIGNAL: diagnose_wait_for_work,
}
_BY_ITSELF = {
    hang_types.DATABASE: diagnose_database_wait,
    hang_types.CHILD: diagnose_child_wait,
    hang_types.WRITE: diagnose_write_wait,
}
