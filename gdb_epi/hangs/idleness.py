# SPDX-License-Identifier: Apache-2.0
"""Whether every thread rests where threads rest by design, or the process only looks idle.

One thread that waits for clients says nothing about the others: one of them may wait for what never
comes. An idle process is one all of whose threads wait for work at the top of a loop that is there
for it; where one waits for something else, idleness is a guess.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.running.wait_rules import (
    BARRIER,
    FREE_THREAD,
    LOCK,
    QUEUE_JOIN,
    QUEUE_PUT,
    SEMAPHORE,
    WRITE,
)
from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.descriptors import SOCKET
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.library_calls import (
    MANAGED_ITEM,
    MESSAGES,
    PROCESS_QUEUE,
    QUEUE_ITEM,
    event_loop_frame_index,
    frames_running,
    serving_function,
)
from gdb_epi.hangs.tasks import task_text
from gdb_epi.hangs.types import MAY_BE_IDLE, NO_FAULT, HangAnswer, ThreadActivity
from gdb_epi.locks.types import INFO, PROBABLE

IDLE, TIMED = "idle", "timed wait"
_ALWAYS = frozenset(
    (hang_types.SLEEP, hang_types.SIGNAL, hang_types.ACCEPT, hang_types.GIL, *hang_types.RUNNING)
)
_FROM_CLIENTS = frozenset(
    (hang_types.ACCEPT, hang_types.READ, hang_types.POLL, hang_types.EVENT, hang_types.OTHER)
)
# What a task of an idle process does not wait for.
_UNUSUAL = (FREE_THREAD, LOCK, SEMAPHORE, BARRIER, QUEUE_JOIN, QUEUE_PUT, WRITE)
CLOCKS = frozenset((
    "monotonic", "time", "perf_counter", "now", "utcnow", "monotonic_ns", "_time",
))  # fmt: skip
SHALLOW = 12  # frames within which a thread that sleeps in its loop has the loop's own
_QUEUES = ("queue.Queue", "queue.SimpleQueue")
# What debuggers call the function that stops the program: pdb, rpdb, remote_pdb, web_pdb, debugpy.
_BREAKPOINTS = frozenset(("set_trace", "post_mortem", "wait_for_client", "breakpoint"))
# Functions of libraries that call the program's code for one request.
_HANDLERS = frozenset((
    ("socketserver", "finish_request"), ("socketserver", "process_request"),
    ("socketserver", "process_request_thread"), ("wsgiref.handlers", "run"),
    ("xmlrpc.server", "_dispatch"), ("asyncio.events", "_run"), ("multiprocessing.pool", "worker"),
))  # fmt: skip


def classify_idle_answer(scene: HangContext, answer: HangAnswer) -> HangAnswer:
    """Return an answer that says "idle" with its sort, by what all threads of the program do."""
    if answer.label != NO_FAULT or answer.kind != IDLE:
        return answer
    stuck = [task for task in scene.tasks if task.wait is not None and task.wait.kind in _UNUSUAL]
    if stuck:
        doubt = task_text(stuck[0], scene.installed)
        return answer._replace(kind=MAY_BE_IDLE, open=(*answer.open, doubt))
    restless = [d for d in scene.in_order if not is_at_rest(scene, d)]
    if not restless:
        return answer._replace(ruled_out=(*answer.ruled_out, "a thread that waits otherwise"))
    first = restless[0]
    doubt = f"{first.who()} waits for {first.what or first.call or first.kind} at {first.where()}"
    more = f", and {len(restless) - 1} more threads wait so" if len(restless) > 1 else ""
    return answer._replace(kind=MAY_BE_IDLE, open=(*answer.open, f"{doubt}{more}"))


def strengthen_timed_answer(scene: HangContext, answer: HangAnswer) -> HangAnswer:
    """Return an answer that rests on a wait with a timeout: surer where all other threads go on.

    One that computes, sleeps, waits with a timeout or for work does.
    """
    if answer.label != NO_FAULT or answer.kind != TIMED or answer.sure != INFO:
        return answer
    if any(is_polled_by_library(scene, activity) for activity in answer.members):
        return answer
    members = {activity.tid for activity in answer.members}
    others = (d for d in scene.activities if d.frames and d.tid not in members)
    if not all(is_at_rest(scene, d) for d in others):
        return answer
    ruled_out = (*answer.ruled_out, "a thread that waits without a timeout, but for work")
    return answer._replace(sure=PROBABLE, ruled_out=ruled_out)


def is_polled_by_library(scene: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a library waits again after each timeout, and looks at no clock: without an end.

    So do distributed.utils.sync() and gRPC's _common.wait().
    """
    if activity.kind != hang_types.EVENT or not activity.timed:
        return False
    looping = filter(scene.runs_in_loop, library_frames_called(scene, activity))
    return any(not scene.called_in_loop(frame) & CLOCKS for frame in looping)


def is_at_rest(scene: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread computes, or waits in a place that is made for waiting for work."""
    frames = scene.view.frames(activity.tid)
    if not frames:
        return True
    if is_in_request_handler(activity.frames, frames):
        return activity.timed or activity.kind in (
            *hang_types.RUNNING,
            hang_types.GIL,
            hang_types.SLEEP,
        )
    if activity.timed or activity.kind in _ALWAYS:
        return True
    if not activity.frames:
        outside = [frame for frame in frames if frame.module != "threading"]
        return activity.kind in _FROM_CLIENTS and bool(serving_function(outside))
    in_loop = scene.runs_in_loop(activity.frames[0])
    if activity.kind == hang_types.EVENT:
        return in_loop and (activity.awaits == QUEUE_ITEM or _waits_for_queue(scene, activity))
    if activity.kind == hang_types.POLL and event_loop_frame_index(frames[:SHALLOW]) is not None:
        return True
    if activity.kind == hang_types.POLL:
        return bool(activity.place) or _may_have_clients(scene, activity)
    if activity.kind == hang_types.READ:
        return (
            activity.target == 0
            or activity.awaits in (PROCESS_QUEUE, MANAGED_ITEM, *MESSAGES)
            or (in_loop and scene.descriptors.takes_datagrams(activity.target))
            or bool(activity.place and in_loop)
        )
    if activity.kind == hang_types.CHILD:
        return activity.target is None
    return False


def is_in_serving_loop(scene: HangContext, frames: Sequence[PyFrame]) -> bool:
    """Tell whether any of these frames is in a loop that nothing certain ends, as services are."""
    return any(scene.runs_in_loop(f) and not scene.wants_something_certain(f) for f in frames)


def waits_repeatedly(scene: HangContext, frames: Sequence[PyFrame]) -> bool:
    """Tell whether code waits again and again, and not in one loop until something certain came."""
    return scene.loops_around(frames) > 1 or is_in_serving_loop(scene, frames)


def weaken_answer_in_loop(scene: HangContext, answer: HangAnswer) -> HangAnswer:
    """Return the answer of a wait for another side, unsure where loops wait in each turn.

    It does so where all is well too, when the other is slower: one look tells no hang.
    """
    if not all(waits_repeatedly(scene, member.frames) for member in answer.members):
        return answer
    doubt = "it waits so in each turn of a loop; whether this turn lasts longer is not in the core"
    return answer._replace(sure=INFO, open=(*answer.open, doubt))


def debugger_wait_frame(frames: Sequence[PyFrame]) -> PyFrame | None:
    """Return the frame by which a program waits for its debugger; None without one."""
    return next((frame for frame in frames if frame.name in _BREAKPOINTS), None)


def only_waits_for_work(scene: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread waits for work in a function that is made for it."""
    return bool(serving_function(library_frames_called(scene, activity)))


def library_frames_called(scene: HangContext, activity: ThreadActivity) -> list[PyFrame]:
    """Return the frames of libraries that the innermost one of the program has called."""
    frames = scene.view.frames(activity.tid)
    own = activity.frames[0].address if activity.frames else 0
    inner = []
    for frame in frames:
        if frame.address == own:
            break
        inner.append(frame)
    return inner


def serves_in_accepting_thread(frames: Sequence[PyFrame]) -> bool:
    """Tell whether a server handles a client in the very thread that accepts all of them."""
    return any(frames_running(frames, (("socketserver", "_handle_request_noblock"),)))


def is_in_request_handler(own: Sequence[PyFrame], frames: Sequence[PyFrame]) -> bool:
    """Tell whether a library calls the program's code, which waits, for one request or event."""
    if not own:
        return False
    innermost = own[0].address
    outward = False
    for frame in frames:
        outward = outward or frame.address == innermost
        if outward and (frame.module or "", frame.name) in _HANDLERS:
            return True
    return False


def _may_have_clients(scene: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread polls a socket or standard input; epoll's list is not in the core."""
    kinds = (scene.descriptors.kind_of(number) for number in activity.watched)
    return not activity.watched or 0 in activity.watched or SOCKET in kinds


def _waits_for_queue(scene: HangContext, activity: ThreadActivity) -> bool:
    wait = scene.waits.get(activity.tid)
    return wait is not None and wait.kind in _QUEUES
