# SPDX-License-Identifier: Apache-2.0
"""Answers for loops that only sleep and ask, and for waits that stand in no loop that serves."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.dry_run.builtin_calls import BUILTINS
from gdb_epi.hangs.dry_run.loop_states import EndlessLoop
from gdb_epi.hangs.event_waits import diagnose_event_wait
from gdb_epi.hangs.hang_context import HangContext, WaitChain
from gdb_epi.hangs.idleness import is_in_serving_loop, makes_one_library_request
from gdb_epi.hangs.library_calls import EVENT_SET, FUTURES
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.loops.dry_run_starts import TASK_SLEEPS
from gdb_epi.hangs.loops.endless_loops import find_endless_loop, find_endless_loop_of_task
from gdb_epi.hangs.loops.failed_tasks import FailedTask
from gdb_epi.hangs.loops.futile_polls import (
    HANDLERS,
    OF_FILES,
    describe_polling,
    find_polled_condition,
    quote_variables,
    until_clause,
    variables_tested_by_coroutine,
)
from gdb_epi.hangs.tasks import activity_of_task, name_task, own_frames
from gdb_epi.hangs.types import (
    HANG,
    KEEPER,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    wait_diagnosis,
)
from gdb_epi.hangs.wakers import is_shutdown_name, methods_ending_wait
from gdb_epi.locks.python.acquire_calls import AHEAD
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.util import default_when_unreadable

# A loop that continues while such a condition holds keeps the program alive, and waits for nothing.
_GOES_ON = ("run", "alive", "active", "serv", "true")
# Methods that loops ask, by the class of the object, and what one that waits would wait for.
_AS_WAITS = {
    ("Future", "done"): FUTURES[0], ("Event", "is_set"): EVENT_SET, ("Event", "isSet"): EVENT_SET,
}  # fmt: skip
_STOPS = frozenset(("terminate", "kill", "send_signal"))
_ASKS = frozenset(("send", "sendall", "sendto", "sendmsg", "connect", "connect_ex"))


def diagnose_polling_loop(
    context: HangContext, activity: ThreadActivity, chain: WaitChain
) -> HangDiagnosis | None:
    """Answer of a loop that only asks, and sleeps or not: it waits for what it asks for."""
    asks = find_polled_condition(context, activity)
    if asks is None or any(is_shutdown_name(w) or _is_name_of_flag_to_go_on(w) for w in asks.words):
        return None
    kind = context.view.type_name(asks.object) if asks.object else ""
    awaits = _AS_WAITS.get((kind.rpartition(".")[2], asks.method))
    if awaits is not None:
        waiting = activity._replace(
            kind=hang_types.EVENT,
            what=awaits,
            awaits=awaits,
            object=asks.object,
            timed=False,
            place="",
        )
        return diagnose_event_wait(context, waiting, chain)
    sleeps = (
        f"{activity.who()} {describe_polling(context, activity)} at {activity.where()} in a loop"
    )
    if (kind.rpartition(".")[2], asks.method) == ("Popen", "poll"):
        pid = context.view.integer_attribute(asks.object, "pid")
        sentence = f"{sleeps} until child {pid} ends; what that child does is not in this core"
        return wait_diagnosis(HANG, "child", sentence, activity, INFO,
                        doubts=("look at the child's own core",))  # fmt: skip
    what = f"{asks.method}() says otherwise" if asks.method else f"`{'.'.join(asks.words)}` changes"
    if asks.method == "acquire":
        what = f"`{'.'.join(asks.words[:-1])}` is free"
    sentence = f"{sleeps} until {what}, and does nothing else meanwhile"
    file = asks.method in OF_FILES and not is_in_serving_loop(context, activity.frames[1:])
    if file:
        sentence += "; a file that another process has to make or to remove"
    nobody = activity.tid in UnblockedThreads(context).polled_conditions
    if nobody:
        sentence += "; no code that another thread can still run changes that"
    return wait_diagnosis(
        HANG, "polls", sentence, activity, PROBABLE if file or nobody else INFO,
        evidence=("the loop does nothing but to test, and to sleep if that",),
        ruled_out=("a loop that works between its tests",),
        doubts=("whether what it waits for can still come is not in the core",),
        settled=not file,
    )  # fmt: skip


def _is_name_of_flag_to_go_on(word: str) -> bool:
    return any(part in word.lower() for part in _GOES_ON)


def diagnose_wait_outside_loop(
    context: HangContext, activity: ThreadActivity, around: Sequence[PyFrame]
) -> HangDiagnosis | None:
    """Return the answer for a wait outside of any serving loop: the program goes on when it ends.

    So it wants one particular client, answer or signal, not just anyone. `around` are the frames
    whose loops are more than turns of that wait.
    """
    waits = f"{activity.waits()} for"
    looping = any(map(context.acquire_calls.is_running_in_loop, around))
    times = "a fixed number of times" if looping else "once"
    ruled_out = ("a timeout", "a loop that serves whoever comes")
    if activity.kind == hang_types.ACCEPT:
        # Players of a game, workers of other machines and a person's browser may yet come.
        sure = PROBABLE if context.descriptors.will_children_connect else INFO
        return wait_diagnosis(
            HANG, "one client", f"{waits} a client to connect, {times} and without a timeout: it "
            "goes on only when that has happened", activity, sure, ruled_out=ruled_out,
            doubts=("whether that client lives is not in this core",),
        )  # fmt: skip
    if activity.kind == hang_types.POLL and 0 not in activity.watched:
        once = makes_one_library_request(context, activity)
        sure = PROBABLE if looping or once or _has_sent_by_socket(context, activity) else INFO
        return wait_diagnosis(
            HANG, "peer", f"{waits} one of its descriptors to be ready, {times} and without a "
            "timeout: nothing has come yet", activity, sure, ruled_out=ruled_out,
            doubts=("what the other side does is not in this core",),
        )  # fmt: skip
    alone = context.is_only_python_thread(activity.tid)
    if activity.kind == hang_types.SIGNAL and alone and _waits_for_children_next(context, activity):
        return wait_diagnosis(
            HANG, "signal", f"{waits} a signal, {times}: one that came before that call does not "
            "end it", activity, INFO, ruled_out=ruled_out,
            doubts=("whether another process, or a child, is to send it",),
        )  # fmt: skip
    return None


def _waits_for_children_next(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether code waits for the ends of its children next; a supervisor ends them first."""
    children = {child.address for child in context.descriptors.children}
    try:
        ahead = {method for frame in activity.frames
                 for at, method, when in context.acquire_calls.calls_with_times(frame)
                 if at in children and when == AHEAD}  # fmt: skip
    except (UnreadableMemory, LayoutError):
        return False
    return not children or ("wait" in ahead and not ahead & _STOPS)


@default_when_unreadable(False)
def _has_sent_by_socket(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether code of a thread has sent something by a socket: then it wants the answer."""
    calls = (
        call for frame in activity.frames for call in context.acquire_calls.calls_with_times(frame)
    )
    return any(
        method in _ASKS and context.descriptors.descriptor_of_object(at) is not None
        for at, method, when in calls if when != AHEAD
    )  # fmt: skip


def diagnose_poll_in_vain(context: HangContext) -> HangDiagnosis | None:
    """The main thread sleeps, or waits with a timeout, in a loop whose conditions never change.

    One that makes output, or whose conditions are named after going on or an end, may be meant to.
    Where it waits for an event it may say so in each turn; one that is parked looks the same.
    """
    alone = len(context.view.all_frames()) == 1 and not context.foreign_threads
    kinds = (hang_types.SLEEP, hang_types.EVENT, hang_types.JOIN, hang_types.LOCK)
    waiting = (d for d in context.activities if d.frames and d.kind in kinds and d.timed)
    activity = next((d for d in waiting if alone or d.tid == context.main_tid), None)
    if activity is None or (alone and context.is_module_visible_on_stack(activity, *HANDLERS)):
        return None
    frame, endless = find_endless_loop(context, activity, polls=True) or (None, None)
    reports = activity.awaits == EVENT_SET  # it may say meanwhile that it waits
    if (
        frame is None
        or endless is None
        or not may_endless_loop_be_poll(context, endless, writes=reports)
    ):
        return None
    does = "sleeps" if activity.kind == hang_types.SLEEP else (
        f"waits for {activity.what}, with a timeout,"
    )  # fmt: skip
    left = "no other thread is left that could change them" if alone else (
        "no code that another thread can still run changes them"
    )  # fmt: skip
    silent = () if endless.writes else ("a loop that makes output",)
    stuck = [
        d
        for d in context.activities
        if d.tid in UnblockedThreads(context).blocked_threads and d.frames
    ]
    beside = "".join(f"; {d.waits()} for {d.what}" for d in stuck[:1])
    sentence = (
        f"{activity.who()} {does} again and again at {function_and_line(frame)}: with the values "
        f"in this core its conditions come out the same in each turn, and {left}{beside}"
    )
    answer = wait_diagnosis(
        HANG, "polls in vain", sentence, activity._replace(key_frames=(frame,)),
        evidence=("the loop was followed: after a turn all is as before",),
        ruled_out=("another thread", *silent, "a signal handler"),
        doubts=("native code that changes what the loop looks at",),
    )  # fmt: skip
    parked = KEEPER if endless.writes else ""
    members = (*answer.members, *stuck[:1])
    return answer._replace(members=members, outside=parked, read=endless.read)


def diagnose_giver_that_loops(context: HangContext) -> HangDiagnosis | None:
    """A thread waits for what only one other may give, whose loop never comes to that.

    That loop may be meant to go on. It sleeps, looks, and changes nothing, and its conditions come
    out the same in each turn as long as the other thread waits: neither goes on.
    """
    unblocked = UnblockedThreads(context)
    for waiting in context.threads_by_importance:
        by_own_code = (
            waiting.object and waiting.frames and not unblocked.may_library_end_wait(waiting)
        )
        if waiting.kind != hang_types.EVENT or waiting.timed or not by_own_code:
            continue
        if context.live_code.is_method_kept(waiting.object, methods_ending_wait(context, waiting)):
            continue
        able = {tid for tid, _ in unblocked.who_may_end(waiting)}
        giver = context.activity_of_thread(next(iter(able))) if len(able) == 1 else None
        if giver is None or giver.kind != hang_types.SLEEP or not giver.frames:
            continue
        same = {d.tid for d in context.activities if d.object == waiting.object and not d.timed}
        settled = context.settled
        context.settled = (
            unblocked.blocked_threads | same,
            unblocked.polled_conditions,
        )  # unless the loop gives it
        try:
            frame, endless = find_endless_loop(context, giver, polls=True, meant=True) or (
                None,
                None,
            )
        finally:
            context.settled = settled
        if frame is None or endless is None or not endless.only_looks:
            continue
        return HangDiagnosis(
            HANG, "polls in vain", f"{waiting.waits()} for {waiting.what}, which only "
            f"{giver.who()} could give; that sleeps again and again at {function_and_line(frame)}: "
            "with the values in this core its conditions come out the same in each turn, and it "
            "never comes to that", (waiting, giver._replace(key_frames=(frame,))), PROBABLE,
            ("the loop was followed: after a turn all is as before",),
            ("another thread whose code ends that wait", "a loop that changes what it looks at"),
            ("native code that changes what the loop looks at",), read=endless.read,
        )  # fmt: skip
    return None


def may_endless_loop_be_poll(
    context: HangContext, endless: EndlessLoop, *, writes: bool = False
) -> bool:
    """Tell whether a loop without end waits for something: it is not there to go on.

    One that makes output is, unless it `writes` while it waits.
    """
    words = [word for path in _variable_paths_in_loop(context, endless) for word in path.split(".")]
    makes_output = endless.writes and not writes
    return not (
        makes_output or any(is_shutdown_name(w) or _is_name_of_flag_to_go_on(w) for w in words)
    )


def _variable_paths_in_loop(context: HangContext, endless: EndlessLoop) -> list[str]:
    """Return the variables and attributes of them that a loop uses: "a", "self.b"."""
    calls = context.call_sites.calls_of(endless.code).made_and_possible_calls()
    inside = (call for call in calls if endless.first <= call.at <= endless.last)
    words = dict.fromkeys((call.root[1], *call.path) for call in inside)
    whole = [word for word in words if not any(word == o[: len(word)] != o for o in words)]
    named = [each for each in whole if each[-1] != "sleep" and each[-1] not in BUILTINS]
    return [".".join(each[: -1 if each[1:] and each[-1] == "get" else None]) for each in named]


def diagnose_tasks_polling_futilely(context: HangContext) -> HangDiagnosis | None:
    """A task of the only thread sleeps, and tests what no other one changes.

    Either nothing else is left that could: no task that does more than that, no descriptor, no
    timer of another callback. Or a task that was to set them has failed.
    """
    if (
        len(context.view.all_frames()) != 1
        or context.foreign_threads
        or context.loop_thread is None
    ):
        return None
    own = [task for task in context.tasks if own_frames(task, context.installed)]
    polling = [(task, paths) for task in own if (paths := _variables_polled_by(context, task))]
    if not polling:
        return None
    task, paths = polling[0]
    frame = own_frames(task, context.installed)[0]
    what = quote_variables(paths)
    sentence = (
        f"{name_task(task)} sleeps again and again at {function_and_line(frame)} "
        f"{until_clause(paths)}"
    )
    setter = _failed_task_that_sets(context, own, paths)
    if setter is not None:
        because = f"; {setter.text()}: that task was to set it"
        others = ["another thread", "a task whose code sets it, or calls what failed again"]
    elif _do_all_tasks_poll(context, own, polling):
        because = ", and no other task or thread is left that could change it"
        because += "".join(f"; {failed.text()}" for failed in context.failed_tasks)
        others = ["another thread", "a task that does anything else"]
        others.append("a timer or descriptor of the loop")
    else:
        return None
    member = activity_of_task(context.loop_thread, task, context.installed)
    return HangDiagnosis(
        HANG, "polls in vain", f"{sentence}{because}", (member,), PROBABLE,
        (f"the loop does nothing but to sleep and to test {what}",
         *(failed.text() for failed in context.failed_tasks)),
        tuple(others), ("a signal handler, or native code, that changes it",),
    )  # fmt: skip


def _do_all_tasks_poll(
    context: HangContext, own: Sequence[UnfinishedTask],
    polling: Sequence[tuple[UnfinishedTask, list[str]]],
) -> bool:  # fmt: skip
    """Tell whether all tasks poll or wait for their ends, and their loop waits for nothing else."""
    loop = context.event_loop_reader.loop_of_task(polling[0][0], context.tasks)
    ids = {task.id for task, _ in polling}
    others = [task for task in own if task.id not in ids]
    ends = ids | {task.id for task in others}
    if any(not task.wakers or not ends.issuperset(task.wakers) for task in others):
        return False
    if loop is None or loop.listening:
        return False
    timers = loop.timers
    return loop.descriptors == 0 and timers is not None and timers <= len(polling)


def _failed_task_that_sets(
    context: HangContext, own: Sequence[UnfinishedTask], paths: Sequence[str]
) -> FailedTask | None:
    """Return the failed task whose code changes what is tested; None where other code may do so."""
    names = {path.rpartition(".")[2] for path in paths}
    setters = (
        failed for failed in context.failed_tasks
        if any(context.offsets_that_change_names(line.code, names) for line in failed.lines)
    )  # fmt: skip
    setter = next(setters, None)
    if setter is None or context.loop_thread is None:
        return None
    again = {line.name for line in setter.lines}
    living = [f for task in own for f in own_frames(task, context.installed)]
    try:
        for frame in (*living, *context.loop_thread.frames):
            ahead = {called for _, called in context.acquire_calls.calls_ahead(frame)}
            at = (
                -1
                if context.acquire_calls.is_running_in_loop(frame)
                else context.acquire_calls.running_byte_offset(frame) or 0
            )
            if ahead & again or any(
                store > at for store in context.offsets_that_change_names(frame.code, names)
            ):
                return None
    except (UnreadableMemory, LayoutError):
        return None
    return setter


def _variables_polled_by(context: HangContext, task: UnfinishedTask) -> list[str]:
    """Return the variables that a sleeping task's loop tests; [] where it does anything else."""
    inner = next((frame for frame in task.stack if frame.hole is None), None)
    own = own_frames(task, context.installed)[0]
    awake = inner is not None and task.running and inner.address == own.address
    if inner is None or not (awake or (inner.module, inner.name) in TASK_SLEEPS):
        return []
    paths = variables_tested_by_coroutine(context, own)
    endless = None if paths else find_endless_loop_of_task(context, own)
    if endless is not None and may_endless_loop_be_poll(context, endless):
        return _variable_paths_in_loop(context, endless)
    words = [word for path in paths for word in path.split(".")]
    return [] if any(is_shutdown_name(w) or _is_name_of_flag_to_go_on(w) for w in words) else paths
