# SPDX-License-Identifier: Apache-2.0
"""Whether every thread rests where threads rest by design, or the process only looks idle.

One thread that waits for clients says nothing about the others: one of them may wait for what never
comes. An idle process is one all of whose threads wait for work at the top of a loop that is there
for it; where one waits for something else, idleness is a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.cpython.running.wait_rules import (
    BARRIER,
    FREE_THREAD,
    FUTURE,
    LOCK,
    QUEUE_JOIN,
    QUEUE_PUT,
    READ,
    SEMAPHORE,
    WRITE,
)
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.descriptors import SOCKET
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.library_calls import (
    CLOSING,
    GREETING,
    HANDSHAKE,
    HELPERS,
    MANAGED_ITEM,
    MESSAGES,
    PROCESS_QUEUE,
    QUEUE_ITEM,
    SERVERS,
    TLS_HANDSHAKE,
    event_loop_frame_index,
    frames_running,
    is_any_request_name,
    is_receiving_function_name,
    is_single_request_name,
    requested_function_name,
    serving_function,
)
from gdb_epi.hangs.loops.condition_waits import would_wait_again
from gdb_epi.hangs.loops.sleeping_event_loops import waits_for_clients_in_library
from gdb_epi.hangs.signal_waits import find_signal_that_ends_thread_wait
from gdb_epi.hangs.tasks import (
    describe_waiting_task,
    frame_taking_from_pool,
    has_timeout,
    own_frames,
)
from gdb_epi.hangs.types import HANG, MAY_BE_IDLE, NO_FAULT, HangDiagnosis, ThreadActivity
from gdb_epi.locks.python.call_sites import CLOCKS
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.util import counted, default_when_unreadable

IDLE, TIMED = "idle", "timed wait"
_READS = frozenset(("recv", "recv_into", "read", "read1", "readinto"))
MAX_BESIDE = 2  # other threads that are named
_AWAITED = (
    hang_types.GIL,
    hang_types.LOCK,
    hang_types.EVENT,
    hang_types.JOIN,
    hang_types.CHILD,
    hang_types.DATABASE,
)  # kinds whose `what` is awaited
_ALWAYS = frozenset(
    (hang_types.SLEEP, hang_types.SIGNAL, hang_types.ACCEPT, hang_types.GIL, *hang_types.RUNNING)
)
_GOES_ON = (*hang_types.RUNNING, hang_types.GIL, hang_types.SLEEP)
_FROM_CLIENTS = frozenset(
    (hang_types.ACCEPT, hang_types.READ, hang_types.POLL, hang_types.EVENT, hang_types.OTHER)
)
# Python's sockets poll once, and raise when the time is over; "": the interpreter's own code.
_ONCE, _RAISING = ("poll", "ppoll"), ("_socket", "_ssl")
_POLLED = (hang_types.EVENT, hang_types.READ, hang_types.POLL)
# What a task of an idle process does not wait for.
_UNUSUAL = (FREE_THREAD, LOCK, SEMAPHORE, BARRIER, QUEUE_JOIN, QUEUE_PUT, WRITE)
# What functions call the time that they wait at most.
_LIMITS = ("timeout", "deadline", "time_limit", "timeout_ms", "max_wait")
_PEER_MAY_READ = "whether the other side reads again"
SHALLOW = 12  # frames within which a thread that sleeps in its loop has the loop's own
_QUEUES = ("queue.Queue", "queue.SimpleQueue")
# What debuggers call the function that stops the program: pdb, rpdb, remote_pdb, web_pdb, debugpy.
BREAKPOINTS = frozenset(("set_trace", "post_mortem", "wait_for_client", "breakpoint"))
_PROMPT = ("pdb", "interaction")  # below which pdb reads commands, with no set_trace() around it
_SERVES_FOR_EVER = ("serve_forever", "run_forever")
# Functions of libraries that call the program's code for one request.
_HANDLERS = frozenset((
    ("socketserver", "finish_request"), ("socketserver", "process_request"),
    ("socketserver", "process_request_thread"), ("wsgiref.handlers", "run"),
    ("xmlrpc.server", "_dispatch"), ("asyncio.events", "_run"), ("multiprocessing.pool", "worker"),
))  # fmt: skip


def classify_idle_process(context: HangContext, answer: HangDiagnosis) -> HangDiagnosis:
    """Return an answer that says "idle" with its sort, by what all threads of the program do."""
    if answer.label != NO_FAULT or answer.kind != IDLE:
        return answer
    stuck = [
        task for task in context.tasks
        if task.wait is not None
        and (task.wait.kind in _UNUSUAL or frame_taking_from_pool(task, context.installed))
    ]  # fmt: skip
    stuck += _tasks_awaiting_answer(context)
    if stuck:
        doubt = describe_waiting_task(stuck[0], context.installed)
        for task in stuck:
            holder = _lock_holder_that_writes(context, task)
            if holder is not None:
                return answer._replace(
                    label=HANG, kind="held while it waits", open=(*answer.open, _PEER_MAY_READ),
                    sentence=f"{describe_waiting_task(task, context.installed)}; that is held "
                    f"meanwhile: {describe_waiting_task(holder, context.installed)}; as long as "
                    "the other side of that connection does not read, nobody else gets the lock",
                )  # fmt: skip
        if _waits_for_peer_to_read(context, stuck[0]) or _is_wait_of_program_itself(
            context, stuck[0]
        ):
            return answer._replace(label=HANG, kind="peer", sure=INFO, open=(*answer.open, doubt))
        return answer._replace(kind=MAY_BE_IDLE, open=(*answer.open, doubt))
    restless = [
        d for d in context.threads_by_importance if not is_computing_or_waiting_for_work(context, d)
    ]
    if not restless:
        return answer._replace(ruled_out=(*answer.ruled_out, "a thread that waits otherwise"))
    first = restless[0]
    doubt = f"{first.who()} waits for {first.what or first.call or first.kind} at {first.where()}"
    more = f", and {len(restless) - 1} more threads wait so" if len(restless) > 1 else ""
    return answer._replace(kind=MAY_BE_IDLE, open=(*answer.open, f"{doubt}{more}"))


def _tasks_awaiting_answer(context: HangContext) -> list[UnfinishedTask]:
    """Return a task that called for an answer, where another one reads what a peer sends.

    So does a client that multiplexes its calls: the reader sets the future of each.
    """
    own = [task for task in context.tasks if task.wait is not None and not task.running]
    reads = any(
        task.wait.kind == READ and own_frames(task, context.installed)
        and not waits_for_clients_in_library(task, context.installed)
        for task in own if task.wait is not None
    )  # fmt: skip
    calls = (
        task for task in own
        if task.wait is not None and task.wait.kind == FUTURE
        and len(own_frames(task, context.installed)) > 1
        and not has_timeout(task, own, context.view)
    )  # fmt: skip
    return list(islice(calls, 1)) if reads else []


def _waits_for_peer_to_read(context: HangContext, task: UnfinishedTask) -> bool:
    """Tell whether a task waits until the other side reads, or for a lock whose holder waits so.

    Nothing of that is work that may come: whether it ends is for the other side, or nobody, to say.
    """
    if task.wait is None or not own_frames(task, context.installed):
        return False
    if task.wait.kind == WRITE:
        return True
    holders = [other for other in context.tasks if other.id in task.wakers]
    return task.wait.kind == LOCK and any(
        holder.wait is not None and holder.wait.kind == FUTURE and not holder.wakers
        for holder in holders
    )


def _is_wait_of_program_itself(context: HangContext, task: UnfinishedTask) -> bool:
    """Tell whether the program itself waits for what a pool is to give, and not one request."""
    thread = context.loop_thread
    main = context.main_task_of_loop(thread.tid) if thread is not None else None
    from_pool = frame_taking_from_pool(task, context.installed) is not None
    return main is not None and main.id == task.id and from_pool


def _lock_holder_that_writes(context: HangContext, task: UnfinishedTask) -> UnfinishedTask | None:
    """Return who holds the lock that a task waits for, and waits itself until its peer reads.

    Neither wait has a timeout.
    """
    if (
        task.wait is None
        or task.wait.kind != LOCK
        or has_timeout(task, context.tasks, context.view)
    ):
        return None
    writing = (task for task in context.tasks if task.wait is not None and task.wait.kind == WRITE)
    return next(
        (each for each in writing
         if each.id in task.wakers and own_frames(each, context.installed)
         and not has_timeout(each, context.tasks, context.view)), None,
    )  # fmt: skip


def strengthen_timed_diagnosis(context: HangContext, answer: HangDiagnosis) -> HangDiagnosis:
    """Return an answer that rests on a wait with a timeout: surer where all other threads go on.

    One that computes, sleeps, waits with a timeout or for work does.
    """
    if answer.label != NO_FAULT or answer.kind != TIMED or answer.sure != INFO:
        return answer
    if any(is_repeated_by_library(context, activity) for activity in answer.members):
        return answer
    members = {activity.tid for activity in answer.members}
    others = (d for d in context.activities if d.frames and d.tid not in members)
    if not all(is_computing_or_waiting_for_work(context, d) for d in others):
        return answer
    ruled_out = (*answer.ruled_out, "a thread that waits without a timeout, but for work")
    beside = other_threads_clause(context, *answer.members) if answer.members else ""
    sentence = f"{answer.sentence}{beside}"
    return answer._replace(sure=PROBABLE, ruled_out=ruled_out, sentence=sentence)


def is_repeated_by_library(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a library waits again after each timeout: its call has no end of its own.

    Its functions were given None as the time that they wait at most, or loop without a look at a
    clock. So do distributed.utils.sync() and gRPC's calls, whose loops may be native code.
    """
    if activity.kind not in _POLLED or not activity.timed:
        return False
    if (
        activity.call in _ONCE
        and not activity.watched[1:]
        and (not activity.module or activity.module.startswith(_RAISING))
    ):
        return False
    inner = library_frames_called(context, activity)
    looping = [
        place
        for place, frame in enumerate(inner)
        if context.acquire_calls.is_running_in_loop(frame)
    ]
    around = inner[looping[0] :] if looping else inner  # what a loop calls has limits of its own
    limits = (context.view.variable(f, name) for f in reversed(around) for name in _LIMITS)
    limit = next(filter(None, limits), 0)
    if limit:
        repeats = bool(activity.module or looping)
        return repeats and context.view.type_name(limit) == "NoneType"
    return any(not context.names_called_in_loop(inner[place]) & CLOCKS for place in looping)


@default_when_unreadable(0.0)
def seconds_of_library_timeout(context: HangContext, activity: ThreadActivity) -> float:
    """Return for how long a library was asked to wait at most; 0 where it does not say."""
    for frame in reversed(library_frames_called(context, activity)):
        for word in filter(None, (context.view.variable(frame, name) for name in _LIMITS)):
            if context.view.type_name(word) == "float":
                return context.view.float_value(word)
            number = context.view.objects.integer(word)
            if not isinstance(number, Absent):
                return float(number)
    return 0.0


@default_when_unreadable(False)
def is_reading_incoming_work(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread reads what others send, in a loop without end that asks for nothing.

    A client asks first, in the same turn or before its only loop, and wants the answer.
    """
    serving = [n for n, f in enumerate(activity.frames) if is_in_serving_loop(context, (f,))]
    request = requested_function_name(library_frames_called(context, activity))
    if not serving or (request and not is_receiving_function_name(request)):
        return False
    turn = activity.frames[: serving[-1] + 1]
    once = not request and context.count_loops(turn) == 1  # it may read the rest of one answer
    calling, depth = (activity.frames, 0) if once else (turn, 1)
    names = (context.names_called_before(frame, depth, ever=once) for frame in calling)
    return not any(map(is_any_request_name, names))


def makes_one_library_request(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether the program's code called a library for one thing, and goes on when it came."""
    request = requested_function_name(library_frames_called(context, activity))
    asks = bool(activity.frames) and is_single_request_name(request)
    return asks and not is_in_serving_loop(context, activity.frames)


def is_computing_or_waiting_for_work(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread computes, or waits in a place that is made for waiting for work."""
    frames = context.view.frames(activity.tid)
    if not frames:
        return True
    if is_in_request_handler(activity.frames, frames):
        goes_on = activity.timed or activity.kind in _GOES_ON
        return goes_on or reads_from_its_client(context, activity, frames)
    if activity.timed or activity.kind in _ALWAYS:
        return True
    if not activity.frames:
        outside = [frame for frame in frames if frame.module != "threading"]
        return activity.kind in _FROM_CLIENTS and bool(serving_function(outside))
    in_loop = context.acquire_calls.is_running_in_loop(activity.frames[0])
    if activity.kind == hang_types.EVENT:
        for_item = activity.awaits == QUEUE_ITEM or waits_for_queue(context, activity)
        if find_signal_that_ends_thread_wait(context, activity)[1]:
            return True
        return (in_loop and for_item) or (
            would_wait_again(context, activity) is True
            and is_in_serving_loop(context, activity.frames)
        )
    if activity.kind == hang_types.POLL and event_loop_frame_index(frames[:SHALLOW]) is not None:
        return True
    if activity.kind == hang_types.POLL:
        return bool(activity.place) or _may_have_clients(context, activity)
    if activity.kind == hang_types.READ:
        return (
            activity.target == 0
            or activity.place in HELPERS
            or activity.awaits in (PROCESS_QUEUE, MANAGED_ITEM, *MESSAGES)
            or (
                any(map(context.acquire_calls.is_running_in_loop, activity.frames))
                and context.descriptors.is_socket_without_peer(activity.target)
            )
            or bool(activity.place and in_loop)
        )
    if activity.kind == hang_types.JOIN:
        return _joins_thread_that_serves(context, activity)
    return activity.kind == hang_types.CHILD and activity.target is None


def reads_from_its_client(
    context: HangContext, activity: ThreadActivity, frames: Sequence[PyFrame]
) -> bool:
    """Tell whether a handler reads from the very connection that it was called for.

    Its client may say more when it likes. Not in the one thread that accepts all clients.
    """
    if activity.kind != hang_types.READ or serves_in_accepting_thread(frames):
        return False
    serving = next(frames_running(frames, (("socketserver", "finish_request"),)), None)
    request = context.view.variable(serving, "request")
    return (
        bool(request) and context.descriptors.descriptor_of_object(request or 0) == activity.target
    )


def _joins_thread_that_serves(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread waits for the end of one that serves, and has asked nobody to end.

    That one is in a function that is there to serve, or waits for clients and peers.
    """
    server = context.activity_of_thread(activity.target)
    if server is None or not (
        server.place.rpartition(".")[2] in _SERVES_FOR_EVER
        or (server.kind in (hang_types.ACCEPT, hang_types.READ) and not server.timed)
    ):
        return False
    if not is_computing_or_waiting_for_work(context, server):
        return False
    called = {name for f in activity.frames for name in context.names_called_before(f, ever=True)}
    return not called & CLOSING


def is_in_serving_loop(context: HangContext, frames: Sequence[PyFrame]) -> bool:
    """Tell whether any of these frames is in a loop that nothing certain ends, as services are."""
    return any(
        context.acquire_calls.is_running_in_loop(f) and not context.is_in_bounded_loop(f)
        for f in frames
    )


def waits_repeatedly(context: HangContext, frames: Sequence[PyFrame]) -> bool:
    """Tell whether code waits again and again, and not in one loop until something certain came."""
    around = context.count_loops(frames)
    if around > 1 and _is_loop_collecting_pieces(context, frames[0]):
        frames, around = frames[1:], around - 1
    return around > 1 or is_in_serving_loop(context, frames)


@default_when_unreadable(False)
def _is_loop_collecting_pieces(context: HangContext, frame: PyFrame) -> bool:
    """Tell whether a frame's only loop reads pieces of one thing, until it has as much as it needs.

    It counts by len(), compares, and asks for nothing meanwhile.
    """
    loops = context.loop_bodies(frame)
    if len(loops) != 1:
        return False
    calls = [
        c
        for c in context.call_sites.calls_of(frame.code).made_and_possible_calls()
        if c.at in loops[0]
    ]
    names = {c.name for c in calls if c.root[0] == "global" or c.path}
    code = context.call_sites.instructions(frame.code) if names & _READS else ()
    compares = any(
        each.at in loops[0]
        and context.call_sites.comparison_operator(each) in ("<", "<=", ">", ">=")
        for each in code
    )
    return compares and "len" in names and not is_any_request_name(names)


def weaken_diagnosis_in_loop(context: HangContext, answer: HangDiagnosis) -> HangDiagnosis:
    """Return the answer of a wait for another side, unsure where loops wait in each turn.

    It does so where all is well too, when the other is slower: one look tells no hang. But for a
    handshake, which comes once in a connection and is answered at once.
    """
    if answer.members[-1].awaits in (TLS_HANDSHAKE, HANDSHAKE, GREETING) or not all(
        waits_repeatedly(context, member.frames) for member in answer.members
    ):
        return answer
    doubt = "it waits so in each turn of a loop; whether this turn lasts longer is not in the core"
    return answer._replace(sure=INFO, open=(*answer.open, doubt))


def debugger_wait_frame(frames: Sequence[PyFrame]) -> PyFrame | None:
    """Return the frame by which a program waits for its debugger; None without one."""
    return next((f for f in frames if f.name in BREAKPOINTS or (f.module, f.name) == _PROMPT), None)


def is_waiting_for_turn_under_lock(activity: ThreadActivity, holder: ThreadActivity) -> bool:
    """Tell whether workers of one kind wait for work one after the other, under a lock."""
    places = {frame.code for frame in activity.frames[:1]}
    return any(frame.code in places for frame in holder.frames)


def only_waits_for_work(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread waits for work in a function that is made for it.

    A library of servers may have been asked for one thing too: an answer, a connection, an end.
    """
    inner = library_frames_called(context, activity)
    place = serving_function(inner)
    return bool(place) and not (
        place.startswith(SERVERS) and makes_one_library_request(context, activity)
    )


def library_frames_called(context: HangContext, activity: ThreadActivity) -> list[PyFrame]:
    """Return the frames of libraries that the innermost one of the program has called."""
    frames = context.view.frames(activity.tid)
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


def _may_have_clients(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread polls a socket or standard input; epoll's list is not in the core."""
    kinds = (context.descriptors.object_type(number) for number in activity.watched)
    return not activity.watched or 0 in activity.watched or SOCKET in kinds


def waits_for_queue(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether what a thread waits for belongs to a queue of `queue`."""
    wait = context.waits.get(activity.tid)
    return wait is not None and wait.kind in _QUEUES


def other_threads_clause(context: HangContext, *activities: ThreadActivity) -> str:
    """Return what other threads do in code of the program: requests that one cannot call stuck."""
    alike: dict[str, list[str]] = {}
    named = {activity.tid for activity in activities}
    for other in context.threads_by_importance:
        if other.tid not in named and other.frames:
            alike.setdefault(f"{_activity_words(other)} at {other.where()}", []).append(other.who())
    shown = list(alike.items())[:MAX_BESIDE]
    sentences = [
        f"{names[0]} {doing}"
        if len(names) == 1
        else f"{len(names)} threads {_verb_phrase_as_plural(doing)}"
        for doing, names in shown
    ]
    more = sum(map(len, alike.values())) - sum(len(names) for _, names in shown)
    if more:
        are = "is" if more == 1 else "are"
        sentences.append(f"{counted(more, 'more thread')} {are} in code of the program")
    return "".join(f"; {text}" for text in sentences)


def _verb_phrase_as_plural(doing: str) -> str:
    verb, space, rest = doing.partition(" ")
    return f"{'are' if verb == 'is' else verb.removesuffix('s')}{space}{rest}"


def _activity_words(activity: ThreadActivity) -> str:
    """Return what a thread does as a sentence has it: "waits for the GIL"."""
    if activity.kind in hang_types.RUNNING:
        return "computes"
    if activity.kind in _AWAITED or activity.what == activity.awaits:
        return f"waits for {activity.what}"
    return (
        "sleeps" if activity.kind == hang_types.SLEEP else f"is in {activity.call or activity.kind}"
    )
