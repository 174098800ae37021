# SPDX-License-Identifier: Apache-2.0
"""What a thread waits for in terms of the standard library: the innermost frames say it.

A lock object alone says little: Condition, Event, Queue and Thread.join all sleep on some Lock.
The frames of `threading`, `queue`, `concurrent.futures` and importlib say which one it is.
Reference: Lib/threading.py, Lib/queue.py, Lib/importlib/_bootstrap.py, 3.8 to 3.15.
"""

from __future__ import annotations

from gdb_epi.cpython.types import PyFrame
from gdb_epi.locks.context import LockGuess
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.locks.python.python_view import PythonView

MAX_FRAMES = 8  # innermost frames that may belong to the standard library
# The function of a frame outside of Condition.wait(), by module, function and its self's class.
_OUTER = {
    ("threading", "wait", "Event"): "threading.Event",
    ("threading", "acquire", "Semaphore"): "threading.Semaphore",
    ("threading", "acquire", "BoundedSemaphore"): "threading.Semaphore",
    ("threading", "__enter__", "Semaphore"): "threading.Semaphore",
    ("threading", "_wait", "Barrier"): "threading.Barrier",
    ("threading", "_enter", "Barrier"): "threading.Barrier",
    ("queue", "get", ""): "queue.Queue",
    ("queue", "put", ""): "queue.Queue",
    ("queue", "join", ""): "queue.Queue",
    ("concurrent.futures._base", "result", ""): "Future",
    ("concurrent.futures._base", "exception", ""): "Future",
}
_JOINS = ("join", "_wait_for_tstate_lock")
_IMPORTLIB = ("importlib._bootstrap", "_frozen_importlib")


def python_wait(view: PythonView, tid: int) -> LockGuess | None:
    """Return what the standard library's frames say about a wait; None if none is innermost."""
    frames = view.frames(tid)[:MAX_FRAMES]
    if not frames:
        return None
    first = frames[0]
    if first.module in _IMPORTLIB and first.name == "acquire":
        return _module_lock(view, first)
    if first.module != "threading":
        return None
    if first.name in _JOINS:
        return _join(view, frames)
    if first.name == "wait" and _kind(view, first) == "Condition":
        return _condition(view, frames)
    return None


def _kind(view: PythonView, frame: PyFrame) -> str:
    """Return the class of a frame's self, without its module."""
    subject = view.variable(frame, "self")
    return view.locks.type_name(subject).rpartition(".")[2] if subject else ""


def _condition(view: PythonView, frames: tuple[PyFrame, ...]) -> LockGuess:
    """Condition.wait() sleeps on a lock of its own that notify() releases."""
    kind, subject = "threading.Condition", view.variable(frames[0], "self")
    for frame in frames[1:]:
        if frame.name == "wait_for" and frame.module == "threading":
            continue
        place = frame.module or "", frame.name
        label = _OUTER.get((*place, "")) or _OUTER.get((*place, _kind(view, frame)))
        if label is None:
            break
        kind, subject = label, view.variable(frame, "self")
    name = view.name(subject) if subject else None
    evidence = f"the innermost Python frames wait in {kind}"
    return LockGuess(kind, name=name, object=subject, event=True, evidence=(evidence,))


def _join(view: PythonView, frames: tuple[PyFrame, ...]) -> LockGuess:
    """Thread.join(): the other Thread object is `self`."""
    subject = next(
        (s for f in frames[:2] if f.name in _JOINS and (s := view.variable(f, "self"))), None
    )
    ident = view.integer_attribute(subject, "_ident") if subject else None
    name = view.text_attribute(subject, "_name") if subject else None
    evidence = f"the innermost Python frame joins thread {name or '?'}"
    return LockGuess(
        "Thread.join", name=name, object=subject, owner_ident=ident, evidence=(evidence,)
    )


def _module_lock(view: PythonView, frame: PyFrame) -> LockGuess:
    """importlib's _ModuleLock: `owner` is an ident, `name` the module."""
    subject = view.variable(frame, "self")
    name = view.text_attribute(subject, "name") if subject else None
    owner = view.integer_attribute(subject, "owner") if subject else None
    evidence = f"the innermost Python frame takes the lock of module {name or '?'}"
    if owner:
        evidence += f"; its owner attribute is {owner:#x}"
    return LockGuess(
        "module lock", name=name, object=subject, owner_ident=owner, anonymous=not owner,
        evidence=(evidence,),
    )  # fmt: skip
