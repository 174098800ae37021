# SPDX-License-Identifier: Apache-2.0
"""The lock of a file, held by the thread that waits for the end of a child which takes it too.

A lock that flock() or lockf() took is kept until it is given back or the file is closed. Many a
process holds such a lock all its life, so that it runs once, and starts children: it counts only
where the child's own code takes one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.types import (
    HANG,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    wait_diagnosis,
)
from gdb_epi.locks.types import PROBABLE

MAX_FRAMES = 8
MAX_WORDS, MAX_TEXT = 64, 1 << 14
_TAKES = frozenset(("flock", "lockf"))
_GIVES_BACK = "LOCK_UN"


def diagnose_file_lock_held_for_child(
    scene: HangContext, activity: ThreadActivity, waits: str
) -> HangDiagnosis | None:
    """Return the answer where code that locked a file waits for a child that locks one as well."""
    for frame in activity.frames[:MAX_FRAMES] if not activity.timed else ():
        with suppress(UnreadableMemory, LayoutError, IndexError):
            made = scene.names_called_before(frame, ever=True)
            taken = sorted(made & _TAKES)
            held = (
                bool(taken) and _GIVES_BACK not in made and _is_locked_file_open(scene, frame, made)
            )
            seen = _lock_in_child_clause(scene, activity, made) if held else ""
            if seen:
                return wait_diagnosis(
                    HANG, "file lock", f"{waits}; meanwhile it holds the lock of a file, taken by "
                    f"{taken[0]}() in {function_and_line(frame)}, and {seen}: a child that waits "
                    "for that lock never ends", activity, PROBABLE,
                    evidence=(f"{frame.name}() has called {taken[0]}(), and has not undone that",),
                    ruled_out=("a timeout",),
                    doubts=("whether the child wants that very file is not in this core",),
                )  # fmt: skip
    return None


def _is_locked_file_open(scene: HangContext, frame: PyFrame, made: Collection[str]) -> bool:
    """Tell whether the file that code locked is still open: closing it gives the lock back.

    It is the variable that is loaded after the name of the function.
    """
    locks = False
    for _, does, name in scene.call_sites.names_used(frame.code):
        if name in _TAKES:
            locks = True
        elif locks and name:
            word = scene.view.variable(frame, name) or 0
            if not word or does not in ("fast", "cell", "global", "name"):
                return False
            if scene.view.type_name(word) == "int":
                return "close" not in made
            return scene.descriptors.descriptor_of_stream(word) not in (None, -1)
    return False


def _lock_in_child_clause(
    scene: HangContext, activity: ThreadActivity, made: Collection[str]
) -> str:
    """Say where the child's code takes the lock of a file; "" where that is not seen."""
    child = scene.descriptors.child_of_pid(activity.target) if activity.target else None
    if child is not None:
        takes = any(
            word in text for text in _arguments_of_popen(scene, child.address) for word in _TAKES
        )
        return f"child {child.pid} ({child.command}) was started to take one" if takes else ""
    running = {frame.code for frames in scene.view.all_frames().values() for frame in frames}
    for name, functions in scene.live_code.own_functions.items():
        for function in functions if name in made else ():
            used = {each for _, _, each in scene.call_sites.names_used(function.code)}
            if function.code not in running and used & _TAKES:
                return f"{name}(), which the child may run, takes one"
    return ""


def _arguments_of_popen(scene: HangContext, popen: int) -> Iterator[str]:
    arguments = scene.view.attribute(popen, "args") or 0
    kind = scene.view.type_name(arguments)
    containers = ContainerReader(scene.view.reader)
    words = [arguments] if kind == "str" else []
    if kind in ("list", "tuple"):
        read = containers.list_items if kind == "list" else containers.tuple_items
        words = list(read(arguments))[:MAX_WORDS]
    for word in words:
        text = scene.view.reader.string(word, MAX_TEXT)
        if not isinstance(text, Absent):
            yield text
