# SPDX-License-Identifier: Apache-2.0
"""Answers for waits on a descriptor that this process has another end of, or has closed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.descriptors import CONNECTION, FILE, SOCKET, descriptors_of_selector
from gdb_epi.hangs.hang_context import HangContext, WaitChain, threads_held_up_by
from gdb_epi.hangs.idleness import weaken_diagnosis_in_loop
from gdb_epi.hangs.library_calls import MESSAGE, frames_running
from gdb_epi.hangs.types import DEADLOCK, HANG, HangDiagnosis, ThreadActivity, wait_diagnosis
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.sizes import HALF_MASK
from gdb_epi.util import counted, default_when_unreadable

_SENDS = frozenset(("send", "send_bytes"))
_RUNS_CHILD = ("multiprocessing.process", "_bootstrap")
_WATCH = "inotify"
# System calls that methods of sockets make (Modules/socketmodule.c), and os.read() does not.
_OF_SOCKETS = frozenset(
    "recvfrom recvmsg recvmmsg sendto sendmsg sendmmsg accept accept4 connect".split()
)
_READS_BODY = frozenset(
    ("http.client", name) for name in ("read", "read1", "readinto", "readline", "_safe_read")
)
_TAKES_SETS = frozenset(("select", "pselect6", "poll", "ppoll"))
_LOADS = frozenset(("fast", "cell", "name", "global"))
# What may be done with the number of a descriptor and does not close it.
_LEAVE_OPEN = frozenset(("write", "writev", "set_inheritable", "set_blocking", "Popen", "run"))
CALLING = 2  # innermost frames that have the socket of a call
ALIVE = frozenset(
    (
        hang_types.SLEEP,
        hang_types.POLL,
        hang_types.ACCEPT,
        hang_types.SIGNAL,
        *hang_types.RUNNING,
        hang_types.GIL,
    )
)  # it goes on by itself


def diagnose_read_of_own_pipe(
    context: HangContext, activity: ThreadActivity, chain: WaitChain
) -> HangDiagnosis | None:
    """Return the answer where the other end of what a thread reads is in this process."""
    numbers = activity.watched or ((activity.target,) if activity.target is not None else ())
    if len(numbers) != 1 or (activity.awaits == MESSAGE and activity.kind != hang_types.READ):
        return None
    number = numbers[0]
    end = context.pipe_ends.other_end(number)
    if end is None:
        return None
    others = [d for d in context.activities if d.tid in end.threads - {activity.tid}]
    what = (
        f"data on descriptor {number}, whose other end (descriptor {end.number}, it seems) is used "
        "by"
    )
    free = [d for d in others if d.tid not in chain.tids]
    elsewhere = may_other_processes_share_descriptors(context)
    if free:
        free.sort(key=lambda d: d.kind not in ALIVE)
        return chain.diagnose_through(activity, free[0].tid, what)
    waits = f"{activity.waits()} for {what}"
    if others:
        giver = others[0]
        answer = HangDiagnosis(
            HANG if elsewhere else DEADLOCK, "pipe",
            f"{waits} {giver.who()}, which waits for {activity.who()}",
            (activity, giver), PROBABLE,
            (f"code of {giver.who()} has descriptor {end.number} at hand",), ("a timeout",),
            ("another process that has that end too", "code that reaches it through a global"),
        )  # fmt: skip
        # recv() of a Unix socket looks at signals before it looks for what has just come
        # (net/unix/af_unix.c, unix_stream_read_generic): who answer in turns seem both asleep.
        return (
            answer
            if context.descriptors.object_type(number) == FILE
            else weaken_diagnosis_in_loop(context, answer)
        )
    read_to_end = _diagnose_read_to_end_of_own_pipe(context, activity, number, end.number)
    if read_to_end is not None:
        return read_to_end
    python = [d for d in context.activities if d.tid != activity.tid and context.view.frames(d.tid)]
    if python or elsewhere or context.foreign_threads:  # those may have been given the other end
        return None
    # A handler could write, and where set_wakeup_fd() was called a signal's number comes by itself.
    handles_signals = _may_program_handle_signals(context, activity)
    if handles_signals and activity.kind == hang_types.POLL and not activity.timed:
        return None  # a service, which a signal ends
    left = "only the program's handler of a signal" if handles_signals else "no other thread"
    return wait_diagnosis(
        HANG, "pipe",
        f"{activity.waits()} for data on descriptor {number}, whose other end (descriptor "
        f"{end.number}, it seems) it holds itself; {left} is left that could write",
        activity, INFO if handles_signals else PROBABLE,
        evidence=("it is the only thread that runs Python; no child, and no code that forks one",),
        ruled_out=("a timeout", "another thread", "another process with a copy of that end"),
        doubts=("a child that a C library started",),
    )  # fmt: skip


def _may_program_handle_signals(context: HangContext, activity: ThreadActivity) -> bool:
    handles = context.signal_handlers
    return (
        context.is_module_visible_on_stack(activity, "signal") if handles is None else bool(handles)
    )


def diagnose_write_to_own_pipe(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """Return the answer where nobody is left to read what a thread writes, but who waits for it.

    This process has the other end of the pipe, the socket pair or the pseudo terminal.
    """
    number = activity.target
    end = context.pipe_ends.other_end(number, written=True) if number is not None else None
    if (
        end is None
        or activity.timed
        or context.foreign_threads
        or _may_program_handle_signals(context, activity)
    ):
        return None
    held_up = threads_held_up_by(context, {activity.tid})
    going = [d for d in context.activities if d.tid not in held_up and context.view.frames(d.tid)]
    if going or may_other_processes_share_descriptors(context):
        return None
    others = [d for d in context.threads_by_importance if d.tid in held_up - {activity.tid}]
    waiting = "".join(f"; {d.waits()} for {d.what}" for d in others[:1])
    return HangDiagnosis(
        DEADLOCK if others else HANG, "pipe",
        f"{activity.waits()} to write to descriptor {number}, whose other end (descriptor "
        f"{end.number}, it seems) this process has itself{waiting}: nobody is left that could read",
        (activity, *others), PROBABLE, ("a write sleeps only when the buffers are full",),
        ("a timeout", "another thread that goes on", "another process with a copy of that end"),
        ("a child that a C library started",),
    )  # fmt: skip


def diagnose_selector_of_nothing(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """Return the answer where a thread sleeps until a descriptor is ready, and watches none.

    Another thread can add one to a selector, and none to the sets of a call that has begun.
    `select([], [], [])` with sets that nothing else refers to is a way to sleep on purpose, and so
    is a main thread that leaves the work to others.
    """
    frames = context.view.frames(activity.tid)
    selector = descriptors_of_selector(context.view, frames)
    fixed = selector is None and activity.call in _TAKES_SETS and not activity.watched
    if activity.timed or not (
        selector == () or (fixed and _is_watched_set_referred_to_elsewhere(context, activity))
    ):
        return None
    held_up = threads_held_up_by(context, {activity.tid})
    others = context.foreign_threads or not context.view.all_frames().keys() <= held_up
    if activity.tid == context.main_tid and _may_program_handle_signals(context, activity):
        return None
    if others and (selector == () or activity.tid == context.main_tid):
        return None
    left = "no other thread can add one to a call that has begun"
    if selector == ():
        left = "no thread is left that could add one"
    watching = "in a selector that watches no descriptor, and without a timeout"
    return wait_diagnosis(
        HANG, "nobody left", f"{activity.waits()} {watching}: {left}", activity, PROBABLE,
        evidence=("no key is registered with the selector" if selector == () else
                  "the system call has no descriptor in its sets",),
        ruled_out=("a timeout", "another thread", "a handler of a signal"),
    )  # fmt: skip


@default_when_unreadable(False)
def _is_watched_set_referred_to_elsewhere(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether the call got an empty list, or a poll object, that is more than its argument."""
    frame = context.view.frames(activity.tid)[0]
    reader = context.view.reader
    slots = context.view.slots.words_of_frame(frame)
    for word in filter(None, slots.stack):
        kind = context.view.type_name(word)
        empty = kind == "list" and not ContainerReader(reader).list_items(word)
        if (empty or kind == "select.poll") and (
            word in slots.variables or reader.field(word, "PyObject", "ob_refcnt") & HALF_MASK > 1
        ):
            return True
    return False


def _diagnose_read_to_end_of_own_pipe(
    context: HangContext, activity: ThreadActivity, number: int, other: int
) -> HangDiagnosis | None:
    """Answer where a thread reads until the end of a pipe whose writing end this process has open.

    The end of a pipe comes when the last process has closed its writing end, whatever the child
    does that writes. multiprocessing.Pipe() gives both ends to who calls it, and fork() copies
    both: a child that was forked has them by design, and is left out. Of os.pipe() the code that
    has both numbers shows whether it has closed one.
    """
    frames = context.view.frames(activity.tid)
    if not activity.frames or any(frames_running(frames, (_RUNS_CHILD,))):
        return None
    own = holder = activity.frames[0]
    if context.descriptors.object_type(number) != CONNECTION:
        name = _variable_of_open_descriptor(context, own, other)
        if not name or not _reads_file_to_its_end(context, own):
            return None
        evidence = [f"{own.qualname or own.name}() has not closed `{name}`, as its code shows"]
    elif context.locks.fork.forked or not _loop_ends_only_at_eof(context, own):
        return None
    else:
        evidence = ["its loop is left only by EOFError", f"a Connection has descriptor {other}"]
        held = (
            (frame, name) for frame in frames for name, at in context.view.variable_addresses(frame)
            if not at & 7 and context.descriptors.descriptor_of_object(at) == other
        )  # fmt: skip
        holder, name = next(held, (own, ""))
    place = "the module" if holder.name == "<module>" else f"{holder.qualname or holder.name}()"
    owner = f", `{name}` of {place}" if name else ""
    where = f" in {activity.place or 'a loop'}" if context.count_loops(frames[:1]) else ""
    waits = f"{activity.waits()}{where} for data on descriptor {number}"
    return wait_diagnosis(
        HANG, "pipe of its own", f"{waits}, a pipe that it reads to its end; that end never comes, "
        f"because this process has the writing end open itself (descriptor {other}{owner})",
        activity, evidence=tuple(evidence),
        ruled_out=("a timeout", "another way out of the loop"),
        doubts=("whether the other process still writes: then it hangs once that has ended",),
    )  # fmt: skip


@default_when_unreadable(False)
def _reads_file_to_its_end(context: HangContext, frame: PyFrame) -> bool:
    """Tell whether a frame's running call, or its loop over lines, ends only at the end of file."""
    sites, running = context.call_sites, context.acquire_calls.running_byte_offset(frame)
    step = sites.running_instruction(frame.code, running)
    loops = context.loop_bodies(frame)
    if step is not None and step.operation == "next" and loops:
        return not sites.can_leave_loop(frame.code, loops[0])
    called = [
        (at, name) for at, does, name in sites.names_used_by_instructions(frame.code)
        if does in ("attr", "method") and at <= (running or 0)
    ]  # fmt: skip
    at, name = max(called, default=(0, ""))
    counts = sites.argument_counts_of_call(frame.code, at)
    return name in ("read", "readlines") and counts is not None and counts[0] == 0


@default_when_unreadable("")
def _variable_of_open_descriptor(context: HangContext, frame: PyFrame, number: int) -> str:
    """Return in which variable a frame has a descriptor that it has not closed.

    "" for none: also where a child's branch before the call closes its own copy.
    """
    given = {
        name: set[str]() for name, at in context.view.variable_addresses(frame)
        if number in context.pipe_ends.descriptors_of_object(at)
        and context.view.type_name(at) == "int"
    }  # fmt: skip
    running, callee = context.acquire_calls.running_byte_offset(frame) or 0, ""
    for at, does, name in context.call_sites.names_used_by_instructions(frame.code):
        if at > running:
            break
        if name in given and does in _LOADS:
            given[name].add(callee)
        elif does in ("attr", "method", "global", "name"):
            callee = name
    # Another number, as a count, may have the same value by chance.
    closed = any("close" in callee for of in given.values() for callee in of)
    kept = () if closed else [name for name, of in given.items() if of <= _LEAVE_OPEN]
    return max(kept, key=lambda name: bool(given[name]), default="")


def _loop_ends_only_at_eof(context: HangContext, frame: PyFrame) -> bool:
    """Tell whether the loop that a frame runs is left by a handler of EOFError, and only there.

    Where the loop sends too it gets answers, and reads no stream to its end.
    """
    loops = context.loop_bodies(frame)
    if not loops or not _SENDS.isdisjoint(context.names_called_in_loop(frame)):
        return False
    loop, sites = loops[0], context.call_sites
    try:
        named = [
            at for at, _, name in sites.names_used_by_instructions(frame.code) if name == "EOFError"
        ]
        code = list(sites.instructions(frame.code))
    except (UnreadableMemory, LayoutError, IndexError):
        return False
    running = context.acquire_calls.running_byte_offset(frame) or 0
    handler = next((at for at in named if at > running), None)
    if handler is None:
        return False
    by_place = {each.at: each for each in code}
    ahead, reached = [next((each.end for each in code if running < each.end), -1)], set[int]()
    while ahead:  # without an exception the loop must come back to the call
        place = ahead.pop()
        step = by_place.get(place)
        if step is None or _is_outside_loop(loop, place):
            return False
        if place in reached:
            continue
        reached.add(place)
        following = [*[step.end] * step.goes_on, sites.jump_target(step)]
        ahead += [each for each in following if each is not None]
        if not step.goes_on and following == [None]:
            return False
    matched = False  # the first test of a handler is for other exceptions
    for each in code:
        target = sites.jump_target(each)
        if each.at <= handler or (target is not None and each.goes_on and not matched):
            matched = each.at > handler
        elif target is not None:
            return _is_outside_loop(loop, target)
        elif not each.goes_on:
            return True
    return False


def _is_outside_loop(loop: range, target: int) -> bool:
    return not loop.start - 2 <= target < loop.stop


@default_when_unreadable(False)
def reads_inotify_events(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread reads what the kernel tells of files: inotify(7), by ctypes mostly.

    Its descriptor belongs to no object of Python then, and the code that made it names the calls.
    """
    if activity.target is None or context.descriptors.object_type(activity.target) is not None:
        return False
    if any(_WATCH in (frame.module or "") for frame in context.view.frames(activity.tid)):
        return True
    return any(
        name.startswith(_WATCH)
        for code in context.live_code.own_codes
        for name in context.call_sites.name_tuple(code, "co_names")
    )  # fmt: skip


def may_other_processes_share_descriptors(context: HangContext) -> bool:
    """Tell whether another process may have a copy of a descriptor of this one.

    A child that was forked or was given it has one, and where this process was forked its parent.
    """
    table = context.descriptors
    return (
        context.locks.fork.forked is not False
        or bool(table.children or table.multiprocessing_children)
        or context.may_program_fork
    )


def diagnose_wait_on_closed_socket(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """Return the answer where a call waits on a socket that another thread closed meanwhile.

    A method of that socket: a socket that was detached, or of whose descriptor a copy was made, has
    no descriptor any more either, and os.read() takes a number.
    """
    frames = context.view.frames(activity.tid)[:CALLING]
    if activity.target is None or activity.call not in _OF_SOCKETS:
        return None
    if not context.descriptors.is_call_on_closed_socket(activity.target, frames):
        return None
    sentence = (
        f"{activity.waits()} in {activity.call}() of a socket that was "
        "closed meanwhile: on Linux closing wakes nobody, shutdown() does"
    )
    return wait_diagnosis(
        HANG, "closed socket", sentence, activity,
        evidence=("the socket object that is called has no descriptor any more, and the call has",),
    )  # fmt: skip


def find_thread_selecting_closed_socket(
    context: HangContext, awaited: int
) -> ThreadActivity | None:
    """Return the thread whose selector would lead to an object by a socket that was closed since.

    Closing takes a socket out of epoll; the selector keeps it, and what was registered with it
    (Lib/selectors.py, `_fd_to_key`, 3.8 to 3.15). Another socket that leads there may still tell.
    """
    view = context.view
    for activity in context.activities:
        for frame in view.frames(activity.tid) if activity.kind == hang_types.POLL else ():
            selector = view.variable(frame, "self") if frame.module == "selectors" else None
            keys = view.attribute(selector, "_fd_to_key")
            leading = []
            with suppress(UnreadableMemory, LayoutError, ValueError):
                for _, key in view.objects.dict_items(keys) if keys else ():
                    of, _, _, data = ContainerReader(view.reader).tuple_items(key)
                    if awaited in (data, *(value for _, value in view.attributes(data))):
                        leading.append(of)
            if leading and all(map(context.descriptors.is_closed_socket, leading)):
                return activity
    return None


def diagnose_read_of_socket_kept_open(
    context: HangContext, activity: ThreadActivity, waits: str
) -> HangDiagnosis | None:
    """Return the answer where a thread reads, and this process closed a socket only in name.

    The other side of that one sees no end until the last file of makefile() is closed too.
    """
    if activity.target is None or context.descriptors.object_type(activity.target) != SOCKET:
        return None
    number = context.descriptors.descriptor_left_open_by_close(activity.target)
    held_up = threads_held_up_by(context, {activity.tid})  # who waits for this thread does no more
    if number is None or context.foreign_threads or not context.view.all_frames().keys() <= held_up:
        return None
    sentence = (
        f"{waits}; close() was called on another socket of this process, descriptor {number}, "
        "which stays open: a file that makefile() made of it is still there. Who waits for the "
        "end of that connection waits for ever"
    )
    return wait_diagnosis(
        HANG, "socket kept open", sentence, activity,
        evidence=(f"the socket object of descriptor {number} is closed, and counts its files",),
        ruled_out=("a timeout", "another thread"),
        doubts=("whether that socket is the other end is not in the core",),
    )  # fmt: skip


def incomplete_message_clause(context: HangContext, called: Sequence[PyFrame]) -> str:
    """Say that a message has begun to come, and is not whole; "" where that is not known.

    `called` are the frames of the library that reads, innermost first. Four bytes with its size
    come before a message of multiprocessing (Lib/multiprocessing/connection.py, _recv_bytes and
    _recv, 3.8 to 3.15). An answer of HTTP says its length (`length` is what is left of it, or was
    before the call that reads all; Lib/http/client.py, 3.8 to 3.15).
    """
    for place, frame in enumerate(called):
        if not place and (frame.module, frame.name) == ("multiprocessing.connection", "_recv"):
            words = (context.view.variable(frame, name) for name in ("size", "remaining"))
            counts = [context.view.objects.integer(word) for word in words if word]
            return "; a message has begun to come, and its rest has not" * (
                counts not in ([4, 4], [])
            )
        if (frame.module, frame.name) in _READS_BODY:
            left = context.view.integer_attribute(context.view.variable(frame, "self"), "length")
            if left:
                return (
                    "; the head of the answer has come, and by its Content-Length there are up to "
                    f"{counted(left, 'byte')} more"
                )
    return ""
