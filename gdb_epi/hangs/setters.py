# SPDX-License-Identifier: Apache-2.0
"""Which threads have yet to give what another waits for, by the calls in their frames' code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs import types as h
from gdb_epi.hangs.library_calls import QUEUE_END, QUEUE_ITEM, QUEUE_ROOM
from gdb_epi.hangs.scene import HangContext
from gdb_epi.hangs.tasks import SETS
from gdb_epi.locks import types as t

MAX_SETTING = 16  # frames of a thread whose calls are read
MAX_OUTER = 64  # frames of a waiting thread that are looked at
MAX_THREADS = 256  # that are looked at
_SET = ("threading.Event", "threading.Condition", "Future")  # kinds of waits that set() may end
_GIVES = SETS | {"notify", "notify_all", "release"}
_PUTS = frozenset(("put", "put_nowait"))
_ENDS = {  # methods that end a wait for a queue
    QUEUE_ITEM: _PUTS, QUEUE_ROOM: frozenset(("get", "get_nowait")),
    QUEUE_END: frozenset(("task_done",)),
}  # fmt: skip
_SIMPLE_QUEUE = "queue.SimpleQueue"
MAX_DEPTH = 2  # functions that functions call
_EVENT = "threading"  # the module whose frames wait


def threads_that_give(
    scene: HangContext, activity: h.ThreadActivity, *, surely: bool = False
) -> set[int]:
    """Return the other threads whose code sets, puts or releases later what a thread waits for.

    `surely`: only those whose own frames call set() and the like.
    """
    if not activity.object:
        return set()
    wait = scene.waits.get(activity.tid)
    simple = wait is not None and wait.kind == _SIMPLE_QUEUE
    names = _PUTS if simple else _ENDS.get(activity.awaits, _GIVES)
    names, depth = (SETS, 0) if surely else (names, MAX_DEPTH)
    others = [d for d in scene.activities[:MAX_THREADS] if d.tid != activity.tid and d.frames]
    return {
        d.tid
        for d in others
        if any(
            _calls(scene, frame, activity.object, names, depth) for frame in d.frames[:MAX_SETTING]
        )
    }


def _calls(
    scene: HangContext, frame: PyFrame, address: int, names: frozenset[str], depth: int = 0
) -> bool:
    try:
        return any(at == address and n in names for at, n in scene.calls_ahead(frame, depth))
    except (UnreadableMemory, LayoutError):
        return False


def awaits_own_caller(scene: HangContext) -> h.HangAnswer | None:
    """A thread waits for an event that a function further out on its own stack sets later.

    That function goes on when the waiting one has returned, and that returns when it goes on. So
    does shutdown() that a handler of serve_forever() calls (Lib/socketserver.py, 3.8 to 3.15).
    """
    for activity in scene.activities:
        wait = scene.waits.get(activity.tid)
        if activity.kind != h.EVENT or not activity.object or activity.timed:
            continue
        if wait is not None and wait.kind not in _SET:  # most threads of a process wait for jobs
            continue
        frames = scene.view.frames(activity.tid)[:MAX_OUTER]
        outer = next((f for f in _outer(frames) if _calls(scene, f, activity.object, SETS)), None)
        if outer is None or threads_that_give(scene, activity):
            continue
        name = scene.references.name(activity.object, activity.tid)
        what = f"{activity.what} ({name})" if name and name not in activity.what else activity.what
        caller = h.function_and_line(outer)
        sentence = (
            f"{activity.who()} waits at {activity.where()} for {what}, which {caller} would give "
            "later; but that called what waits now and runs in the same thread: it waits for itself"
        )
        evidence = (f"thread {activity.tid} runs {caller}, whose code has yet to set it",)
        return h.HangAnswer(
            h.DEADLOCK, "own caller", sentence, (activity,), t.PROBABLE, evidence,
            ("a timeout", "code of another thread's frames that sets it"),
            ("a callback, or code that runs later in another thread, could set it",),
        )  # fmt: skip
    return None


def _outer(frames: Sequence[PyFrame]) -> Iterator[PyFrame]:
    """Yield the frames outward of the one that called wait()."""
    inner = 0
    while inner < len(frames) and frames[inner].module == _EVENT:
        inner += 1
    yield from frames[inner + 1 :]


def called_by_the_same(
    scene: HangContext, activity: h.ThreadActivity, seen: Sequence[int]
) -> h.ThreadActivity | None:
    """Return a thread whose Python code the native library called in which another one waits."""
    if not activity.module:
        return None
    return next(
        (d for d in scene.activities if d.frames and d.tid not in (activity.tid, *seen)
         and not any(f.module == "threading" for f in scene.view.frames(d.tid)[-2:])
         and activity.module in scene.native_modules(d.tid)), None,
    )  # fmt: skip


def other_wait(
    scene: HangContext, activity: h.ThreadActivity, same: Sequence[h.ThreadActivity],
    seen: Sequence[int],
) -> str:  # fmt: skip
    """Say of another thread that waits too, for something else: what that gives may be missing."""
    stuck = next(
        (d for d in scene.in_order
         if d.frames and not d.timed and d.tid not in (activity.tid, *seen)
         and d not in same and d.kind in (h.LOCK, h.EVENT, h.JOIN, h.READ, h.WRITE)), None,
    )  # fmt: skip
    return f"{stuck.who()} waits at {stuck.where()} for {stuck.what}; " if stuck else ""


def is_timer(scene: HangContext, activity: h.ThreadActivity) -> bool:
    """Tell whether a thread is a threading.Timer that waits for its time (3.8 to 3.15)."""
    frames = scene.view.frames(activity.tid)
    runs = (f for f in frames if (f.module, f.name) == ("threading", "run") and not activity.frames)
    timers = filter(None, (scene.view.variable(frame, "self") for frame in runs))
    return any(scene.view.attribute(timer, "interval") for timer in timers)
