# SPDX-License-Identifier: Apache-2.0
"""Answers for waits on a descriptor that this process has another end of, or has closed."""

from __future__ import annotations

from contextlib import suppress

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.descriptors import FILE, SOCKET
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.idleness import weaken_diagnosis_in_loop
from gdb_epi.hangs.library_calls import MESSAGE
from gdb_epi.hangs.loops.event_loop_diagnosis import Through
from gdb_epi.hangs.types import DEADLOCK, HANG, HangDiagnosis, ThreadActivity, wait_diagnosis
from gdb_epi.locks.types import PROBABLE

_FORKS = frozenset(("fork", "forkpty", "posix_spawn", "posix_spawnp"))
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
    scene: HangContext, activity: ThreadActivity, seen: tuple[int, ...], through: Through
) -> HangDiagnosis | None:
    """Return the answer where the other end of what a thread reads is in this process."""
    numbers = activity.watched or ((activity.target,) if activity.target is not None else ())
    if len(numbers) != 1 or (activity.awaits == MESSAGE and activity.kind != hang_types.READ):
        return None
    number = numbers[0]
    end = scene.pipe_ends.other_end(number)
    if end is None:
        return None
    others = [d for d in scene.activities if d.tid in end.threads - {activity.tid}]
    what = (
        f"data on descriptor {number}, whose other end (descriptor {end.number}, it seems) is used "
        "by"
    )
    free = [d for d in others if d.tid not in seen]
    if free:
        free.sort(key=lambda d: d.kind not in ALIVE)
        return through(scene, activity, free[0].tid, what, seen)
    waits = f"{activity.waits()} for {what}"
    if others:
        giver = others[0]
        answer = HangDiagnosis(
            DEADLOCK, "pipe", f"{waits} {giver.who()}, which waits for {activity.who()}",
            (activity, giver), PROBABLE,
            (f"code of {giver.who()} has descriptor {end.number} at hand",), ("a timeout",),
            ("another process that has that end too", "code that reaches it through a global"),
        )  # fmt: skip
        # recv() of a Unix socket looks at signals before it looks for what has just come
        # (net/unix/af_unix.c, unix_stream_read_generic): who answer in turns seem both asleep.
        return (
            answer
            if scene.descriptors.object_type(number) == FILE
            else weaken_diagnosis_in_loop(scene, answer)
        )
    python = [d for d in scene.activities if d.tid != activity.tid and scene.view.frames(d.tid)]
    # A signal handler could write; a program with one has one of these modules.
    handles_signals = scene.has_module_at_hand(activity, "signal", "multiprocessing", "asyncio")
    if (
        python
        or scene.descriptors.children
        or handles_signals
        or may_have_untracked_children(scene, activity)
    ):
        return None
    return wait_diagnosis(
        HANG, "pipe",
        f"{activity.waits()} for data on descriptor {number}, whose other end (descriptor "
        f"{end.number}, it seems) it holds itself; no other thread is left that could write",
        activity,
        evidence=("it is the only thread that runs Python, and no child process is known",),
        ruled_out=("a timeout", "another thread", "a child process that Python knows"),
        doubts=("another process that has that end too",),
    )  # fmt: skip


def may_have_untracked_children(scene: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether code on a thread's stack makes child processes that no object of Python is."""
    return any(scene.calls_any(frame, _FORKS) for frame in activity.frames)


def diagnose_wait_on_closed_socket(
    scene: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """Return the answer where a call waits on a socket that another thread closed meanwhile."""
    frames = scene.view.frames(activity.tid)[:CALLING]
    if activity.target is None or not scene.descriptors.was_closed(activity.target, frames):
        return None
    sentence = (
        f"{activity.waits()} in {activity.call}() of a socket that was "
        "closed meanwhile: on Linux closing wakes nobody, shutdown() does"
    )
    return wait_diagnosis(
        HANG, "closed socket", sentence, activity,
        evidence=("the socket object that is called has no descriptor any more, and the call has",),
    )  # fmt: skip


def find_selector_of_closed_socket(scene: HangContext, awaited: int) -> ThreadActivity | None:
    """Return the thread whose selector would lead to an object by a socket that was closed since.

    Closing takes a socket out of epoll; the selector keeps it, and what was registered with it
    (Lib/selectors.py, `_fd_to_key`, 3.8 to 3.15). Another socket that leads there may still tell.
    """
    view = scene.view
    for activity in scene.activities:
        for frame in view.frames(activity.tid) if activity.kind == hang_types.POLL else ():
            selector = view.variable(frame, "self") if frame.module == "selectors" else None
            keys = view.attribute(selector, "_fd_to_key") if selector else None
            leading = []
            with suppress(UnreadableMemory, LayoutError, ValueError):
                for _, key in view.objects.dict_items(keys) if keys else ():
                    of, _, _, data = ContainerReader(view.reader).tuple_items(key)
                    if awaited in (data, *(value for _, value in view.attributes(data))):
                        leading.append(of)
            if leading and all(map(scene.descriptors.is_closed_socket, leading)):
                return activity
    return None


def diagnose_read_of_socket_kept_open(
    scene: HangContext, activity: ThreadActivity, waits: str
) -> HangDiagnosis | None:
    """Return the answer where a thread reads, and this process closed a socket only in name.

    The other side of that one sees no end until the last file of makefile() is closed too.
    """
    if activity.target is None or scene.descriptors.object_type(activity.target) != SOCKET:
        return None
    number = scene.descriptors.descriptor_kept_open(activity.target)
    if number is None or not scene.is_only_python_thread(activity.tid):
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
