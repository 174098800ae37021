# SPDX-License-Identifier: Apache-2.0
"""The lock of a file, held by the thread that waits for the end of a child which takes it too.

A lock that flock() or lockf() took is kept until it is given back or the file is closed. Many a
process holds such a lock all its life, so that it runs once, and starts children: it counts only
where the child's own code takes one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from os.path import basename

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
from gdb_epi.typing_lite import NamedTuple

MAX_FRAMES = 8
MAX_DEPTH = 2  # methods that the `__enter__` of a lock's class calls
MAX_WORDS, MAX_TEXT = 64, 1 << 14
_TAKES = frozenset(("flock", "lockf"))
_GIVES_BACK = "LOCK_UN"
_WITHOUT_WAITING = frozenset((
    "-n", "--nb", "--nonblock", "-w", "--wait", "--timeout", "-u", "--unlock",
))  # fmt: skip
_NOT_BLOCKING = "LOCK_NB"


class LockedFile(NamedTuple):
    """Which function of which code locked a file, and the file's name, "" where it is not known."""

    function: str
    frame: PyFrame
    name: str = ""


def diagnose_file_lock_held_for_child(
    scene: HangContext, activity: ThreadActivity, waits: str
) -> HangDiagnosis | None:
    """Return the answer where code that locked a file waits for a child that locks one as well."""
    for frame in activity.frames[:MAX_FRAMES] if not activity.timed else ():
        with suppress(UnreadableMemory, LayoutError, IndexError):
            held = _file_locked_by(scene, frame)
            seen = _lock_in_child_clause(scene, activity, frame, held.name) if held else ""
            if held and seen:
                return wait_diagnosis(
                    HANG, "file lock", f"{waits}; meanwhile it holds the lock of a file, taken by "
                    f"{held.function}() in {function_and_line(held.frame)}, and {seen}: a child "
                    "that waits for that lock never ends", activity, PROBABLE,
                    evidence=(f"{held.frame.name}() has called {held.function}(), and has not "
                              "undone that",),
                    ruled_out=("a timeout",),
                    doubts=("whether the child wants that very file is not in this core",),
                )  # fmt: skip
    return None


def _file_locked_by(scene: HangContext, frame: PyFrame) -> LockedFile | None:
    """Return the file that a frame has locked, or a manager whose `with` block it is in."""
    managers = [manager for _, manager in scene.view.slots.entered_blocks([frame])]
    resting = filter(None, map(scene.view.frame_of_manager, managers))
    for each in (frame, *resting):
        made = scene.names_called_before(each, ever=True)
        function = min(made & _TAKES, default="")
        file = _locked_file(scene, each) if function and _GIVES_BACK not in made else 0
        if file and scene.view.type_name(file) == "int":
            if "close" not in made:
                return LockedFile(function, each)
        elif file and scene.descriptors.descriptor_of_stream(file) not in (None, -1):
            return LockedFile(function, each, scene.descriptors.name_of_stream(file))
    for manager in managers:
        enter = scene.code.type_attribute(manager, "__enter__")
        function = min(_TAKES.intersection(scene.code.names_called(enter, MAX_DEPTH, manager)),
                       default="")  # fmt: skip
        if function:
            return LockedFile(function, frame)
    return None


def _locked_file(scene: HangContext, frame: PyFrame) -> int:
    """Return the file that code locked: the variable that it loads after the function; or 0."""
    locks = False
    for _, does, name in scene.call_sites.names_used(frame.code):
        if name in _TAKES:
            locks = True
        elif locks and name:
            of_variable = does in ("fast", "cell", "global", "name")
            return (scene.view.variable(frame, name) or 0) if of_variable else 0
    return 0


def _lock_in_child_clause(
    scene: HangContext, activity: ThreadActivity, frame: PyFrame, name: str
) -> str:
    """Say where the child's code takes the lock of a file; "" where that is not seen.

    `name` is that of the file which is locked here.
    """
    child = scene.descriptors.child_of_pid(activity.target) if activity.target else None
    if child is not None:
        words = [w for text in _arguments_of_popen(scene, child.address) for w in text.split()]
        takes = any(word in text for text in words for word in _TAKES)
        if not takes or any(_NOT_BLOCKING in word for word in words) or _locks_another(words, name):
            return ""
        return f"child {child.pid} ({child.command}) was started to take one"
    made = scene.names_called_before(frame, ever=True)
    running = {frame.code for frames in scene.view.all_frames().values() for frame in frames}
    for called, functions in scene.live_code.own_functions.items():
        for function in functions if called in made else ():
            used = {each for _, _, each in scene.call_sites.names_used(function.code)}
            if function.code not in running and used & _TAKES:
                return f"{called}(), which the child may run, takes one"
    return ""


def _locks_another(words: Sequence[str], name: str) -> bool:
    """Tell whether flock(1) is called for a file of another name, or so that it does not wait."""
    behind = [n for n, word in enumerate(words, 1) if word.rpartition("/")[2] == "flock"][:1]
    if not behind:
        return False
    options = list(takewhile(lambda word: word.startswith("-"), words[behind[0] :]))
    if not _WITHOUT_WAITING.isdisjoint(options):
        return True
    wanted = words[behind[0] + len(options) :][:1]
    return bool(name and wanted) and basename(wanted[0].strip("'\"")) != basename(name)


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
