# SPDX-License-Identifier: Apache-2.0
"""Answers for waits that end from outside: children, files, peers, clients, signals, time."""

from __future__ import annotations

from collections.abc import Sequence
from os import O_ACCMODE

from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.captured_output import diagnose_write_to_own_capture
from gdb_epi.hangs.descriptor_waits import (
    ALIVE,
    diagnose_read_of_own_pipe,
    diagnose_read_of_socket_kept_open,
    diagnose_selector_of_nothing,
    diagnose_wait_on_closed_socket,
    diagnose_write_to_own_pipe,
    incomplete_message_clause,
    reads_inotify_events,
)
from gdb_epi.hangs.hang_context import HangContext, WaitChain
from gdb_epi.hangs.idleness import (
    BREAKPOINTS,
    debugger_wait_frame,
    is_in_serving_loop,
    is_reading_incoming_work,
    is_repeated_by_library,
    library_frames_called,
    makes_one_library_request,
    only_waits_for_work,
    serves_in_accepting_thread,
    waits_repeatedly,
    weaken_diagnosis_in_loop,
)
from gdb_epi.hangs.in_process_servers import diagnose_wait_for_in_process_server
from gdb_epi.hangs.library_calls import (
    FILE_ON_DISK,
    MANAGED_ITEM,
    MESSAGE,
    MESSAGES,
    NEW_CHILD,
    OF_CELERY,
    OF_ZMQ,
    PROCESS_QUEUE,
)
from gdb_epi.hangs.live.own_connections import diagnose_connection_within_process
from gdb_epi.hangs.loops.futile_polls import only_repeats_one_call
from gdb_epi.hangs.loops.polled_waits import diagnose_polling_loop, diagnose_wait_outside_loop
from gdb_epi.hangs.loops.retry_loops import diagnose_connection_poll, diagnose_retries
from gdb_epi.hangs.processes.child_processes import (
    awaits_child_with_open_stdin,
    diagnose_wait_for_new_child,
    find_kill_before_read,
    is_supervisor_loop,
    pipe_kept_open_by_sibling_clause,
)
from gdb_epi.hangs.processes.file_locks import (
    circle_of_holders,
    diagnose_file_lock_held_for_child,
)
from gdb_epi.hangs.processes.polled_locks import diagnose_lock_polled_by_library
from gdb_epi.hangs.processes.shared_locks import diagnose_lock_held_while_joining
from gdb_epi.hangs.processes.shell_lines import find_background_command
from gdb_epi.hangs.processes.unread_queues import (
    find_kill_call,
    find_unread_queue,
    sent_only_after_child_clause,
)
from gdb_epi.hangs.signal_waits import (
    diagnose_child_blocking_sigterm,
    diagnose_one_child_for_each_signal,
    diagnose_signal_taken_by_main,
)
from gdb_epi.hangs.sqlite_locks import (
    connection_held_by_callers_clause,
    find_own_sqlite_lock_holder,
    read_busy_seconds,
)
from gdb_epi.hangs.types import (
    DEADLOCK,
    HANG,
    MAY_BE_IDLE,
    NO_FAULT,
    HangDiagnosis,
    ThreadActivity,
    idle_diagnosis,
    wait_diagnosis,
)
from gdb_epi.hangs.wakers import find_wakers
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.util import counted, duration_words

MAX_POLLED = 64  # descriptors of one call whose streams are looked at
MAX_SLEEP = 10 * hang_types.SECONDS_OF_YEAR  # longer than any machine runs
_READING = frozenset(("poll", "ppoll", "select", "pselect6", "read", "epoll_wait", "epoll_pwait"))


def diagnose_database_wait(context: HangContext, activity: ThreadActivity) -> HangDiagnosis:
    """Return the answer of a wait for a locked database."""
    waits = f"{activity.waits()} for a locked database: "
    tries = f"{activity.module} sleeps and tries again"
    seen = f"{activity.module} sleeps in {activity.call}, as its busy handler does"
    seconds = read_busy_seconds(context, activity)
    ends = f"after {duration_words(seconds)} at most" if seconds else ""
    tries += f", and gives up {ends}" if ends else ""
    own = find_own_sqlite_lock_holder(context, activity) or connection_held_by_callers_clause(
        context, activity
    )
    if own is None:
        # The locks of SQLite are those of fcntl(): who has one lives, and may work.
        doubt = "who holds the database is not known: another process or a connection here"
        return wait_diagnosis(
            HANG, "database lock", waits + tries, activity, INFO, evidence=(seen,),
            doubts=(doubt,), ends=ends,
        )  # fmt: skip
    doubts = ("another process may hold the database",) if not own.is_certain else ()
    sentence = f"{waits}{own.clause.removeprefix('; ')}; {tries}"
    circle = circle_of_holders(context, activity, own.tid)
    if circle:
        sentence += f"; {circle[1].waits()} for {circle[1].what}, and so for {activity.who()}"
        return HangDiagnosis(
            DEADLOCK, "lock order", sentence, tuple(circle), PROBABLE, (seen, own.evidence),
            ("another thread that has the connection at hand",),
        )  # fmt: skip
    other = context.activity_of_thread(own.tid)
    goes_on = not own.alone and (other is None or other.timed or other.kind in ALIVE)
    if not own.alone:
        doubts = ("whether another thread ends that is not in the core",)
    return wait_diagnosis(
        HANG, "database lock", sentence, activity, INFO if goes_on else PROBABLE,
        evidence=(seen, own.evidence), doubts=doubts, settled=own.is_certain,
        fix=hang_types.END_TRANSACTION if own.alone else "", ends=ends,
    )  # fmt: skip


def diagnose_child_wait(context: HangContext, activity: ThreadActivity) -> HangDiagnosis:
    """Return the answer of a wait for a child process, or for what it writes."""
    waits = f"{activity.waits()} for {activity.what}"
    if activity.awaits == NEW_CHILD:
        return diagnose_wait_for_new_child(context, activity)
    child = context.descriptors.child_of_pid(activity.target) if activity.target else None
    if activity.timed and activity.kind != hang_types.CHILD:
        return wait_diagnosis(NO_FAULT, "timed wait", f"{waits}, with a timeout", activity, INFO)
    called = {frame.name for frame in library_frames_called(context, activity)}
    communicates = "communicate" in called and "_wait" not in called  # that comes behind the output
    if communicates and activity.call in _READING and activity.target:
        command = f" ({child.command})" if child is not None else ""
        outlived = _diagnose_pipe_outliving_child(
            context, activity, f"child {activity.target}{command}"
        )
        if outlived is not None:
            return outlived
        sentence = (
            f"{activity.waits()} for the output of child {activity.target}{command} to end: it, or "
            "a process that it started and that outlives it, has the pipe open; what they do is "
            "not in this core"
        )
        return wait_diagnosis(HANG, "child", sentence, activity, INFO,
                       doubts=("whether the child still runs",))  # fmt: skip
    # What has a timeout ends; in a loop it begins anew.
    repeats = not activity.timed or waits_repeatedly(context, activity.frames)
    if child is not None and not communicates and repeats:
        sure = INFO if activity.timed else PROBABLE
        out = [name for name in ("stdout", "stderr") if name in child.streams]
        if out:
            sentence = (
                f"{waits}; what that child does is not in this core; one possibility: its {out[0]} "
                "is a pipe that nobody reads meanwhile, and a child waits once such a pipe is full"
            )
            return wait_diagnosis(HANG, "full pipe", sentence, activity, sure,
                           evidence=(f"Popen.{out[0]} is an open pipe of this process",),
                           doubts=("whether the child is stuck or still works",))  # fmt: skip
        if child.streams.get("stdin", -1) >= 0:
            sentence = f"{waits}, whose stdin is a pipe that this process holds open"
            return wait_diagnosis(HANG, "open stdin", sentence, activity, sure,
                           evidence=("Popen.stdin is an open pipe of this process",),
                           doubts=("whether the child reads its stdin",))  # fmt: skip
    if activity.target is None or only_waits_for_work(context, activity):
        return idle_diagnosis(activity, f"{waits}, as the parent of workers does")
    if is_supervisor_loop(context, activity):
        return idle_diagnosis(activity, f"{waits}, which it runs again and again in a loop")
    doubt = ("what the child does is not in this core: look at its own",)
    held_up = (
        diagnose_lock_held_while_joining(context, activity, waits)
        or diagnose_file_lock_held_for_child(context, activity, waits)
        or diagnose_child_blocking_sigterm(context, activity, waits)
    )
    if held_up is not None:
        return held_up
    late_call = sent_only_after_child_clause(context, activity)
    if late_call:
        sentence = (
            f"{waits}; only after that does its code call {late_call}: a child that waits for it "
            "never ends"
        )
        evidence = (f"the code of {activity.who()} has yet to call {late_call}",)
        doubts = (*doubt, "whether the child needs that is not in this core")
        return wait_diagnosis(HANG, "child", sentence, activity, evidence=evidence, doubts=doubts)
    queue = find_unread_queue(context, activity)
    if queue is not None:
        lie = f", in which {counted(queue.items, 'item')} lie," if queue.items else ""
        sentence = (
            f"{waits}, and nobody reads the queue `{queue.name}`{lie} meanwhile: a child does not "
            "end before what it put there is in the pipe, which holds 64 KiB"
        )
        evidence = (f"this process never put anything into {queue.name}: it has no feeder thread",)
        # Fewer items than children: another one has put its results, and this one may work on.
        running = len(context.descriptors.multiprocessing_children)
        sure = INFO if queue.items and queue.items < running else PROBABLE
        return wait_diagnosis(
            HANG, "unread queue", sentence, activity, sure, evidence=evidence, doubts=doubt
        )
    if activity.timed:
        return wait_diagnosis(NO_FAULT, "timed wait", f"{waits}, with a timeout", activity, INFO)
    # A child that works is waited for in the same way: this is no hang for sure, and no fault. One
    # that reads to the end of a pipe never ends where another process keeps that open.
    kept = pipe_kept_open_by_sibling_clause(context, activity)
    sentence = f"{waits}; what that child does is not in this core{kept}"
    sure = PROBABLE if kept else INFO
    return wait_diagnosis(HANG, "child", sentence, activity, sure, doubts=doubt)


def _diagnose_pipe_outliving_child(
    context: HangContext, activity: ThreadActivity, child: str
) -> HangDiagnosis | None:
    """Return the answer where another process keeps the pipe open that a child had.

    Its code has ended the child before, or the child is a shell that leaves a command behind.
    """
    shell = context.descriptors.child_of_pid(activity.target) if activity.target else None
    left = (
        find_background_command(context.descriptors.shell_line(shell), shell.streams)
        if shell
        else ""
    )
    if left:
        return wait_diagnosis(
            HANG, "child", f"{activity.waits()} for the output of {child} to end: the shell's line "
            f"leaves {left} in the background, which has the pipe too and may run for ever",
            activity,
            evidence=("the shell was given a line with `&`, and no other output for that command",),
            ruled_out=("a timeout", "a shell that waits for it"),
            doubts=(f"whether {left} ends soon",),
        )  # fmt: skip
    ended = next(filter(None, (find_kill_before_read(context, f) for f in activity.frames[:1])), "")
    if not ended:
        return None
    sentence = (
        f"{activity.waits()} for the output of {child} to end, although its code has called "
        f"{ended} of that child before: that ends the child alone, and a process that it had "
        "started keeps the pipe open"
    )
    return wait_diagnosis(
        HANG, "child", sentence, activity,
        evidence=(f"no jump leads past the call of {ended} to where it waits now",),
        ruled_out=("a timeout",), doubts=("a child that does not end at once when asked to",),
    )  # fmt: skip


def diagnose_data_wait(
    context: HangContext, activity: ThreadActivity, chain: WaitChain
) -> HangDiagnosis:
    """Return the answer of a wait for data: of a peer, a file, a queue between processes."""
    if is_repeated_by_library(context, activity):
        activity = activity._replace(timed=False)
    waits = f"{activity.waits()} for "
    if not activity.timed and serves_in_accepting_thread(library_frames_called(context, activity)):
        sentence = (
            f"{activity.who()} serves one client at a time, and waits in {activity.place} until "
            "the present one says more; no other client is served before it speaks or goes"
        )
        return wait_diagnosis(
            HANG, "one client", sentence, activity,
            evidence=("the server's own thread reads from a client, below serve_forever()",),
            doubts=("whether others wait: the backlog of its socket is not in the core",),
        )  # fmt: skip
    stopped = debugger_wait_frame(context.view.frames(activity.tid))
    if stopped is not None and activity.target == 0:
        return _diagnose_debugger_prompt(context, activity, stopped)
    if activity.place and only_waits_for_work(context, activity):
        return idle_diagnosis(activity, f"{activity.who()} waits for work in {activity.place}")
    if activity.timed:
        sentence = f"{waits}{activity.what}, with a timeout"
        return wait_diagnosis(NO_FAULT, "timed wait", sentence, activity, INFO)
    if activity.target == 0:
        return idle_diagnosis(activity, f"{waits}input on standard input")
    if activity.call in ("open", "openat"):
        return _diagnose_open_wait(context, activity, waits)
    if activity.awaits == FILE_ON_DISK:
        # No peer has to write: what is there is read, or the end of the file.
        sentence = f"{activity.who()} reads a file at {activity.where()}"
        return wait_diagnosis(
            NO_FAULT, "file", sentence, activity, INFO,
            doubts=("a disk or a file system that does not answer would look the same",),
        )  # fmt: skip
    return (
        diagnose_wait_on_closed_socket(context, activity)
        or diagnose_wait_for_in_process_server(context, activity, chain)
        or _diagnose_producer_here(context, activity, chain)
        or diagnose_read_of_own_pipe(context, activity, chain)
        or diagnose_connection_within_process(context, activity)
        or _diagnose_wait_for_peer(context, activity, waits)
    )


def _diagnose_open_wait(
    context: HangContext, activity: ThreadActivity, waits: str
) -> HangDiagnosis:
    """Return the answer where a file does not open: a FIFO, mostly, which its other side opens too.

    Who opens it to read may wait for commands; two threads that open one each are two sides.
    """
    thread = next((t for t in context.target.threads() if t.tid == activity.tid), None)
    place = 1 if activity.call == "open" else 2  # of the flags
    writes = thread is not None and bool(thread.system_call_argument(place) & O_ACCMODE)
    side = "reader" if writes else "writer"
    sentence = (
        f"{waits}a file to be opened: a FIFO without a {side}, or a file system that does not "
        "answer"
    )
    others = [
        d
        for d in context.activities
        if d.tid != activity.tid and d.frames and d.call == activity.call
    ]
    if not (writes or others) and is_in_serving_loop(context, activity.frames):
        idle = idle_diagnosis(activity, f"{waits}a FIFO to be opened by a writer, in a loop")
        return idle._replace(kind=MAY_BE_IDLE)
    sentence += "".join(f"; so does {d.who()} at {d.where()}" for d in others[:1])
    return wait_diagnosis(HANG, "open", sentence, activity, PROBABLE if writes or others else INFO)


def _diagnose_debugger_prompt(
    context: HangContext, activity: ThreadActivity, stopped: PyFrame
) -> HangDiagnosis:
    """Return the answer where a debugger of Python reads its commands: somebody may be there."""
    stream = context.view.attribute(context.view.variable(stopped, "self"), "stdin")
    stops = f"{activity.who()} is stopped at {activity.where()} by breakpoint() or a debugger"
    if context.asks_at_terminal(activity.tid, stream):
        return idle_diagnosis(activity, f"{stops}, which waits for a command at its terminal")
    return wait_diagnosis(
        HANG, "breakpoint", f"{stops}, which waits for a command on standard input; that is no "
        "terminal, at which somebody could give one", activity,
        evidence=("the debugger reads from a stream that is not line-buffered, as terminals are",),
        ruled_out=("a person at a terminal",),
        doubts=("a program that drives the debugger through a pipe",),
    )  # fmt: skip


def _diagnose_producer_here(
    context: HangContext, activity: ThreadActivity, chain: WaitChain
) -> HangDiagnosis | None:
    """Return the answer where another thread of this process puts into a queue of processes."""
    if activity.awaits not in (PROCESS_QUEUE, MANAGED_ITEM):
        return None
    link = f"{activity.what}, which could come from"
    return chain.diagnose_through_any(activity, find_wakers(context, activity), link)


def _has_bound_zeromq_socket(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether who waits for a message of ZeroMQ has bound a socket and sent nothing before."""
    called = set[str]().union(*(context.names_called_before(f, ever=True) for f in activity.frames))
    return any(name.startswith("bind") for name in called) and not any(
        name.startswith("send") for name in called
    )


def _diagnose_wait_for_peer(
    context: HangContext, activity: ThreadActivity, waits: str
) -> HangDiagnosis:
    """Return the answer where another process has to write: as to a worker, or for ever."""
    unsent = _unsent_data_clause(context, activity)
    if unsent:
        return wait_diagnosis(
            HANG, "not sent", f"{waits}{activity.awaited_text()}; {unsent}, which does not "
            "send it before flush() or close(): the other side has not got it, and nothing to "
            "answer", activity,
            evidence=("the stream's buffer is not empty",), ruled_out=("a timeout",),
            doubts=("whether the answer is to that",),
        )  # fmt: skip
    unread = _unread_child_stream(context, activity)
    if unread:
        return wait_diagnosis(
            HANG, "full pipe", f"{waits}data on {activity.what}; one possibility: its {unread} "
            "is a pipe that nobody reads meanwhile, and a child waits once it is full", activity,
            evidence=(f"Popen.{unread} is an open pipe of this process",),
            doubts=("whether the child is stuck or still works",),
        )  # fmt: skip
    if activity.awaits in MESSAGES and any(
        map(context.acquire_calls.is_running_in_loop, activity.frames)
    ):
        return idle_diagnosis(activity, f"{waits}{activity.what}, in a loop: as a consumer does")
    if activity.awaits == OF_ZMQ and _has_bound_zeromq_socket(context, activity):
        return idle_diagnosis(activity, f"{waits}{activity.what}, to which others connect")
    if activity.awaits == OF_ZMQ and activity.watched[1:]:
        return idle_diagnosis(
            activity, f"{waits}messages of several ZeroMQ sockets, as a proxy does"
        )
    child = context.descriptors.describe(activity.target).child if activity.target else None
    outlived = (
        _diagnose_pipe_outliving_child(context, activity, f"child {child}") if child else None
    )
    if outlived is not None:
        return outlived
    what = activity.awaited_text()
    reads_in_loop = _may_live_process_write(context, activity) and waits_repeatedly(
        context, activity.frames
    )
    if reads_in_loop and context.descriptors.is_socket_without_peer(activity.target):
        return idle_diagnosis(activity, f"{waits}{what}: whoever sends one")
    kept = diagnose_read_of_socket_kept_open(context, activity, f"{waits}{what}")
    if kept is not None:
        return kept
    if awaits_child_with_open_stdin(context, activity):
        return wait_diagnosis(
            HANG, "open stdin", f"{waits}{what}, to its end; its stdin is a pipe that this process "
            "has written to and holds open: a child that reads it to its end does not end either",
            activity,
            evidence=("Popen.stdin is an open pipe, and the code that reads wrote to it before",),
            ruled_out=("a timeout", "another thread that closes it"),
            doubts=("whether the child reads its stdin to the end",),
        )  # fmt: skip
    if (
        reads_in_loop
        and is_reading_incoming_work(context, activity)
        and context.descriptors.child_behind_descriptor(activity.target) is None
    ):
        return idle_diagnosis(
            activity, f"{waits}{what}, in a loop that sends nothing before, as a worker does"
        )
    if reads_in_loop and reads_inotify_events(context, activity):
        return idle_diagnosis(activity, f"{waits}{what}: news of files that change (inotify)")
    if reads_in_loop:
        # What reads again and again may wait for work: a device, a pipe that others fill.
        popen = context.descriptors.child_behind_descriptor(activity.target)
        open_stdin = popen is not None and popen.streams.get("stdin", -1) >= 0
        ends = (
            "; its stdin is a pipe that this process holds open: a child that reads it to its end "
            "does not end before that is closed"
        )
        return wait_diagnosis(
            HANG, "open stdin" if open_stdin else "peer",
            f"{waits}{what}, which it reads in a loop; no more has come yet{ends * open_stdin}",
            activity, INFO,
            doubts=("whether it waits for work or for a peer that went away is not in the core",),
        )  # fmt: skip
    if activity.awaits == OF_CELERY:
        return wait_diagnosis(
            HANG, "job elsewhere", f"{waits}{what}, and polls for it without a time limit",
            activity, INFO, doubts=("whether a worker has that task, or any, is not in this core",),
        )  # fmt: skip
    is_queue = activity.awaits in (PROCESS_QUEUE, MANAGED_ITEM)
    # Whether a thread runs the target of a multiprocessing.Process: work comes from others. Whether
    # any will come is in the parent's core, not in this one.
    if is_queue and any(
        frame.module == "multiprocessing.process" and frame.name == "_bootstrap"
        for frame in context.view.frames(activity.tid)
    ):
        return _diagnose_worker_at_queue(context, activity, f"{waits}{what}")
    kind = "queue of processes" if is_queue else "peer"
    sentence = f"{waits}{what}, without a timeout"
    rest = incomplete_message_clause(context, library_frames_called(context, activity))
    if rest:
        sentence += rest
    elif _reads_result_of_a_child(context, activity):
        # As wait() does: a child that works on is waited for in the same way.
        sentence = f"{waits}{what}; what the process does that is to write it is not in this core"
        doubts = ("whether that process still runs",)
        return wait_diagnosis(HANG, kind, sentence, activity, INFO, doubts=doubts)
    return weaken_diagnosis_in_loop(context, wait_diagnosis(
        HANG, kind, sentence, activity, doubts=("what the other side does is not in this core",),
        fix=hang_types.SET_TIMEOUT,
    ))  # fmt: skip


def _polled_descriptor_with_buffered_data(
    context: HangContext, activity: ThreadActivity
) -> int | None:
    """Return the first descriptor that a thread polls and whose stream has data; None without."""
    if activity.kind != hang_types.POLL or activity.timed:
        return None
    watched = activity.watched[:MAX_POLLED]
    return next((each for each in watched if context.descriptors.buffered_sizes(each)[0]), None)


def _unsent_data_clause(context: HangContext, activity: ThreadActivity) -> str:
    """Say what lies in the buffer of a stream to the side that a thread waits for; "" for nothing.

    That is the socket that it reads from, or the standard input of the child.
    """
    number = activity.target
    if number is None or number <= 2 or not context.is_only_python_thread(activity.tid):
        return ""
    popen = context.descriptors.child_behind_descriptor(number)
    to = number if popen is None else popen.streams.get("stdin", -1)
    _, unsent = context.descriptors.buffered_sizes(to) if to >= 0 else (0, 0)
    where = "the stream of that descriptor" if popen is None else "the stream of the child's stdin"
    return f"{counted(unsent, 'byte')} that it wrote lie in {where}" if unsent else ""


def _reads_result_of_a_child(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread reads, in no loop, what a child process shall write: its result."""
    if context.count_loops(activity.frames):
        return False
    if activity.target is None or activity.awaits:
        return activity.awaits in (MESSAGE, PROCESS_QUEUE, MANAGED_ITEM)
    kind = context.descriptors.describe(activity.target).kind
    started = context.may_program_fork or bool(context.descriptors.children)
    return kind == "pipe" or (kind != "socket" and started)


def _may_live_process_write(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether, as far as this core shows, a live process may still write what is read.

    True for a socket, the stream of a child that was not seen to end, a connection of
    multiprocessing, and a descriptor that no Python object has. Any other pipe has no writer that
    this core knows.
    """
    if activity.awaits == MESSAGE:
        return True
    if activity.target is None or activity.what == activity.awaits:
        return False  # a library asked, and waits for the answer
    descriptor = context.descriptors.describe(activity.target)
    return descriptor.kind in ("", "socket", "pipe")


def _diagnose_worker_at_queue(
    context: HangContext, activity: ThreadActivity, waits: str
) -> HangDiagnosis:
    """Return the answer of a worker process at a queue: in its pipe, or before the queue's lock.

    One process at a time reads, and has the queue's lock while it does: idle workers wait for the
    lock. One that is killed in get() keeps it for ever (terminate() in multiprocessing's guide).
    """
    idle = idle_diagnosis(activity, f"{waits}, as a worker process does")
    if activity.call != "futex":
        return idle
    ended = next(filter(None, (find_kill_call(context, f) for f in activity.frames)), "")
    if not ended:
        doubt = "whether the process that has the queue's lock reads it, or was killed in get()"
        return idle._replace(kind=MAY_BE_IDLE, open=(*idle.open, doubt))
    sentence = (
        f"{waits}: another process has the queue's lock; this one was forked by code that had "
        f"called {ended} of a process before, and one that is killed in get() keeps the lock"
    )
    return wait_diagnosis(
        HANG, "queue of processes", sentence, activity,
        evidence=(f"its parent had called {ended} before the fork, as the frames below it show",),
        doubts=("whether another worker is idle in get() is not in this core",),
    )  # fmt: skip


def diagnose_write_wait(context: HangContext, activity: ThreadActivity) -> HangDiagnosis:
    """Return the answer of a wait to write, or for a connection."""
    unread_here = (
        diagnose_write_to_own_capture(context, activity)
        or diagnose_write_to_own_pipe(context, activity)
        or diagnose_connection_within_process(context, activity)
    )
    if unread_here is not None:
        return unread_here
    if activity.call == "connect":
        sentence = f"{activity.waits()} for a connection to be accepted"
    else:
        link = "for" if activity.what == activity.awaits else "to write to"  # a phrase of its own
        sentence = f"{activity.waits()} {link} {activity.what}: the other side does not read"
    unread = _unread_child_stream(context, activity)
    if unread:
        sentence += f", and the child's {unread} is a pipe that nobody reads meanwhile"
    again = context.count_loops(activity.frames[:1]) or waits_repeatedly(context, activity.frames)
    slower = not unread and activity.call != "connect" and bool(again)
    if slower:
        sentence += ", or more slowly than this one writes"
    answer = wait_diagnosis(HANG, "peer does not read", sentence, activity,
                    INFO if slower else PROBABLE,
                    evidence=("a write sleeps only when the buffers are full",),
                    fix=hang_types.READ_OUTPUT if unread else "")  # fmt: skip
    return answer if unread else weaken_diagnosis_in_loop(context, answer)


def _unread_child_stream(context: HangContext, activity: ThreadActivity) -> str:
    """Return which stream of a child nobody reads while this thread reads or writes another one.

    A child waits once that pipe is full, writes nothing else and takes no more input. "" for none:
    also where another thread could read it.
    """
    popen = context.descriptors.child_behind_descriptor(activity.target)
    if popen is None or not context.is_only_python_thread(activity.tid):
        return ""
    pipes = ((name, popen.streams.get(name, -1)) for name in ("stdout", "stderr"))
    return next((name for name, fd in pipes if fd >= 0 and fd != activity.target), "")


def diagnose_sleep(
    context: HangContext, activity: ThreadActivity, chain: WaitChain
) -> HangDiagnosis:
    """Return the answer of a sleep: of a loop that polls, or of a timer."""
    if is_repeated_by_library(context, activity):
        activity = activity._replace(timed=False)
    place = activity.place
    called = library_frames_called(context, activity)
    if called and not place:
        place = f"{called[-1].module}.{called[-1].qualname or called[-1].name}"
    where = f" in {place}" if place else ""
    where += f" at {activity.where()}" if activity.frames else ""
    # Before its loop is looked for: since 3.12 a handler's code stands apart from the loop's.
    answer = diagnose_lock_polled_by_library(context, activity)
    answer = answer or diagnose_retries(context, activity)
    if answer is not None:
        return answer
    # Who sleeps for ever to keep a program alive holds no lock.
    seconds = context.sleep_seconds(activity.tid)
    kept = context.activity_of_thread(chain.tids[-1]) if chain.tids else None
    if seconds > MAX_SLEEP and kept is not None and kept.kind == hang_types.LOCK:
        return wait_diagnosis(
            HANG, "long sleep",
            f"{activity.who()} sleeps{where} for "
            f"{seconds / hang_types.SECONDS_OF_YEAR:.0f} years", activity,
            evidence=(f"its system call was given {seconds:.0f} seconds",),
            ruled_out=("a sleep that ends soon",),
        )  # fmt: skip
    if not any(map(context.acquire_calls.is_running_in_loop, (*called, *activity.frames[:1]))):
        return wait_diagnosis(
            NO_FAULT, "sleeps", f"{activity.who()} sleeps{where}: a timer ends that", activity,
            doubts=("how long it sleeps is not looked at",),
        )  # fmt: skip
    answer = diagnose_polling_loop(context, activity, chain)
    answer = answer or diagnose_connection_poll(context, activity)
    return answer or wait_diagnosis(
        NO_FAULT, "sleeps", f"{activity.who()} was {hang_types.ASLEEP}{where}", activity,
        doubts=("whether what it waits for can still come",),
    )  # fmt: skip


def diagnose_wait_for_work(
    context: HangContext, activity: ThreadActivity, chain: WaitChain
) -> HangDiagnosis:
    """Return the answer of a wait for clients, events or a signal."""
    if is_repeated_by_library(context, activity):
        activity = activity._replace(timed=False)
    place = f" in {activity.place}" if activity.place else ""
    where = f" at {activity.where()}" if activity.frames else ""
    called = library_frames_called(context, activity)
    closed = (
        diagnose_wait_on_closed_socket(context, activity)
        if activity.kind == hang_types.ACCEPT
        else None
    )
    if closed is not None:
        return closed
    if activity.kind == hang_types.POLL and not activity.timed and activity.frames:
        from_here = diagnose_read_of_own_pipe(
            context, activity, chain
        ) or diagnose_selector_of_nothing(context, activity)
        if from_here is not None:
            return from_here
    taken = _polled_descriptor_with_buffered_data(context, activity)
    if taken is not None:
        alone = len(activity.watched) == 1
        can_be_read = "can be read" if alone else "or another one can be read"
        read_ahead = wait_diagnosis(
            HANG, "read ahead", f"{activity.waits()} until descriptor {taken} {can_be_read}; what "
            "came on it lies in the buffer of its stream already: it was read ahead, and no system "
            "call sees that", activity,
            evidence=(f"a stream of descriptor {taken} holds data that nobody has taken",),
            ruled_out=("a timeout", *["another descriptor that it waits for"] * alone),
            doubts=("whether more comes on it anyway",),
        )  # fmt: skip
        # Others of its peers may wake it, and are served then; this one is not.
        return read_ahead if alone else read_ahead._replace(outside=hang_types.SLOW_PEER)
    stopped = debugger_wait_frame(context.view.frames(activity.tid))
    if stopped is not None:
        what = "pdb waits for a command at its terminal"
        if stopped.name in BREAKPOINTS:
            what = f"{stopped.name}() waits until a debugger connects or goes on"
        return idle_diagnosis(activity, f"{activity.who()} is stopped{where}: {what}")
    own: Sequence[PyFrame] = activity.frames
    inner = [] if makes_one_library_request(context, activity) else called
    in_turns = (
        activity.kind == hang_types.POLL and bool(own) and only_repeats_one_call(context, own[0])
    )
    if in_turns:
        own, inner = own[1:], []
    waits_on = in_turns or (bool(own) and not activity.timed)
    if waits_on and not is_in_serving_loop(context, [*inner, *own]):
        answer = diagnose_wait_outside_loop(context, activity, own)
        if answer is not None:
            return answer
    if activity.kind == hang_types.SIGNAL and chain.tids:
        elsewhere = diagnose_signal_taken_by_main(context, activity)
        if elsewhere is not None:
            return elsewhere
    if activity.kind == hang_types.SIGNAL:
        return diagnose_one_child_for_each_signal(context, activity) or idle_diagnosis(
            activity, f"{activity.who()} waits for a signal{where}"
        )
    what = "clients" if activity.kind == hang_types.ACCEPT else "events"
    return idle_diagnosis(activity, f"{activity.who()} waits for {what}{place}{where}")
