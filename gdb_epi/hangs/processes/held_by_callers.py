# SPDX-License-Identifier: Apache-2.0
"""What a library waits for while a caller has it: a lock in a server, a connection of a pool.

The caller is inside a `with` block that ends only when the call has returned. A frame keeps the
`__exit__` of each block that it has entered (cpython/frames/frame_slots.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.context import Undecodable
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.idleness import library_frames_called
from gdb_epi.hangs.library_calls import requested_function_name
from gdb_epi.hangs.tasks import (
    activity_of_task,
    frame_taking_from_pool,
    has_timeout,
    name_task,
    own_frames,
    packages_called,
)
from gdb_epi.hangs.types import (
    HANG,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    wait_diagnosis,
)
from gdb_epi.locks.python.loop_ends import CLOCKS
from gdb_epi.locks.types import INFO, PROBABLE

_TAKES_LOCK = frozenset(("acquire", "__enter__", "lock"))
_LIMITS = ("timeout", "deadline", "time_limit")
_OF_GENERATOR = "GeneratorContextManager"  # contextlib's, and its brother for `async with`


def diagnose_lock_polled_by_library(
    scene: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """Return the answer where a library asks for a lock again and again, and sleeps meanwhile.

    Locks that a server keeps, as Redis does, are taken so. One that is given twice to the same
    holder would not have to be asked for again.
    """
    inner = library_frames_called(scene, activity)
    frame = next((each for each in inner if scene.runs_in_loop(each)), None)
    if frame is None or requested_function_name(inner) not in _TAKES_LOCK or not activity.frames:
        return None
    view = scene.view
    limits = [
        word for name, word in view.variable_addresses(frame)
        if any(part in name for part in _LIMITS)
    ]  # fmt: skip
    if any(view.locks.type_name(word) != "NoneType" for word in limits):
        return None
    if not limits and scene.called_in_loop(frame) & CLOCKS:
        return None
    lock = view.variable(frame, "self") or 0
    texts = _texts_of(scene, lock)
    name = f" ({next(iter(texts.values()))})" if texts else ""
    function = f"{frame.module}.{frame.qualname or frame.name}()"
    sentence = (
        f"{activity.waits()} for a lock{name}: {function} sleeps and asks for it again, without a "
        "time limit"
    )
    for caller, manager in _entered(scene, activity.frames):
        alike = view.locks.type_name(manager) == view.locks.type_name(lock)
        if manager == lock or (alike and texts and _texts_of(scene, manager) == texts):
            return wait_diagnosis(
                HANG, "lock of its own",
                f"{sentence}; its caller {function_and_line(caller)} is inside `with` of that very "
                "lock, and gives it back only when this call has returned", activity,
                evidence=(f"{function_and_line(caller)} has entered a lock of that name",),
                ruled_out=("a timeout",),
                doubts=("whether that lock had a time limit of its own, and somebody else has it",),
            )  # fmt: skip
    return wait_diagnosis(
        HANG, "lock of another process", f"{sentence}; who has it is not in this core", activity,
        INFO, doubts=("whether its holder still lives",),
    )  # fmt: skip


def _texts_of(scene: HangContext, word: int) -> dict[str, str]:
    """Return the attributes of an object that are texts: what tells one lock from others."""
    names = [name for name, _ in scene.view.attributes(word)] if word else []
    texts = ((name, scene.view.text_attribute(word, name)) for name in names)
    return {name: text for name, text in texts if text}


def _entered(scene: HangContext, frames: tuple[PyFrame, ...]) -> Iterator[tuple[PyFrame, int]]:
    """Yield the frames of the program that are inside of a `with` block, and its manager."""
    inward = None
    for frame in frames:
        try:
            managers = scene.view.slots.entered(frame, inward)
        except (UnreadableMemory, LayoutError):
            managers = []
        yield from ((frame, manager) for manager in managers)
        inward = frame


def pool_held_by_caller(scene: HangContext) -> HangDiagnosis | None:
    """A task waits until a pool has something, inside of a block that has what the pool gave.

    So does a request for which there is no connection, made while an answer is read from the last
    one. Nobody else is left who has anything of that pool.
    """
    waiting = [
        task for task in scene.tasks
        if frame_taking_from_pool(task, scene.installed)
        and not has_timeout(task, scene.tasks, scene.view)
    ]  # fmt: skip
    activity = scene.loop_thread
    if not waiting or activity is None:
        return None
    held = {task.id: _held_by_callers(scene, task, task) for task in waiting}
    ids = {task.id for task in waiting}
    for task in waiting:
        block, frame = held[task.id], frame_taking_from_pool(task, scene.installed)
        if block is None or frame is None:
            continue
        others = [other for other in scene.tasks if other.id not in ids]
        if any(_uses(scene, other, task) for other in others):
            continue
        folders = tuple(folder for _, folder in packages_called(task, scene.installed))
        threads = (scene.view.frames(d.tid) for d in scene.activities if d.tid != activity.tid)
        if any(each.filename.startswith(folders) for frames in threads for each in frames):
            continue
        own = own_frames(task, scene.installed)
        sentence = (
            f"{name_task(task)} waits at {function_and_line(own[0])}, in "
            f"{frame.module}.{frame.qualname or frame.name}(), for what a pool is to give; its "
            f"caller {function_and_line(block)} is inside `async with` of that library, and gives "
            "back what it has only when this call has returned; no other task has any of it"
        )
        return wait_diagnosis(
            HANG, "pool taken", sentence, activity_of_task(activity, task, scene.installed),
            PROBABLE, evidence=(f"{function_and_line(block)} has entered a block of that library",),
            ruled_out=("a timeout", "another task or thread that uses that library"),
            doubts=("connections that nobody's frames have",),
        )  # fmt: skip
    return None


def _held_by_callers(
    scene: HangContext, task: UnfinishedTask, waiting: UnfinishedTask
) -> PyFrame | None:
    """Return the frame of a task that is inside a block of the library in which another waits.

    A client or pool is not what the pool gave: its own methods run in that wait.
    """
    packages = packages_called(waiting, scene.installed)
    called = {scene.view.variable(frame, "self") for frame in waiting.stack}
    blocks = _entered(scene, own_frames(task, scene.installed))
    return next(
        (frame for frame, manager in blocks
         if manager not in called and _is_of(scene, manager, packages)), None,
    )  # fmt: skip


def _uses(scene: HangContext, task: UnfinishedTask, waiting: UnfinishedTask) -> bool:
    """Tell whether a task is in code of the library in which another one waits, or has a block."""
    folders = tuple(folder for _, folder in packages_called(waiting, scene.installed))
    within = any(frame.filename.startswith(folders) for frame in task.stack)
    return within or _held_by_callers(scene, task, waiting) is not None


def _is_of(scene: HangContext, manager: int, packages: frozenset[tuple[str, str]]) -> bool:
    """Tell whether a context manager is of one of some packages: its class, or its function."""
    view = scene.view
    try:
        context = get_process_values(scene.target, scene.python).context
        kind = context.obj(manager).type
        if not kind.qualname.endswith(_OF_GENERATOR):
            return kind.module.partition(".")[0] in {name for name, _ in packages}
        generator = view.attribute(manager, "gen")
        frame = view.slots.suspended(generator) if generator else None
    except (UnreadableMemory, LayoutError, Undecodable):
        return False
    return frame is not None and frame.filename.startswith(tuple(f for _, f in packages))
