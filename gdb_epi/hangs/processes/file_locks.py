# SPDX-License-Identifier: Apache-2.0
"""Locks of files, of flock() and fcntl(): who has the one that a thread waits for.

Such a lock is kept until it is given back or the file is closed, and the kernel gives it free when
its holder ends: a holder in another process lives, and has it for a moment or as long as it leads.
So a wait for one is called a hang where code here has it. flock() and open file description locks
belong to an open file: a thread that opens the file again waits for itself, and a child that was
forked meanwhile has the lock too. Those of lockf() are the process's (flock(2), fcntl(2)).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise, takewhile
from os.path import basename

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext, WaitChain
from gdb_epi.hangs.idleness import library_frames_called
from gdb_epi.hangs.processes.accept_locks import diagnose_turn_to_accept
from gdb_epi.hangs.system_calls import FCNTL_OF_PROCESS
from gdb_epi.hangs.types import (
    DEADLOCK,
    FILE_LOCK,
    HANG,
    JOIN,
    LOCK,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    wait_diagnosis,
)
from gdb_epi.locks.python.acquire_calls import AGAIN, MADE
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.typing_lite import NamedTuple

MAX_FRAMES = 8
MAX_DEPTH = 2  # functions that one which takes or gives a lock calls
MAX_THREADS = 64  # whose frames are asked what they have locked
MAX_WORDS, MAX_TEXT = 64, 1 << 14
_TAKES = frozenset(("flock", "lockf", "F_SETLKW", "F_OFD_SETLKW"))
_GIVES_BACK = frozenset(("LOCK_UN", "F_UNLCK"))
_STARTS = frozenset(("fork", "forkpty", "set_inheritable"))
_WITHOUT_WAITING = frozenset((
    "-n", "--nb", "--nonblock", "-w", "--wait", "--timeout", "-u", "--unlock",
))  # fmt: skip
_NOT_BLOCKING = "LOCK_NB"


class LockedFile(NamedTuple):
    """Which function of which code locked a file, and the file's name, "" where it is not known.

    `texts` are those by which that code named it: its variables and the attributes of `self`.
    """

    function: str
    frame: PyFrame
    name: str = ""
    code: int = 0  # PyCodeObject *, of the function that takes it
    texts: Mapping[str, str] = {}
    descriptor: int | None = None

    def was_locked_by(self, number: int | None) -> bool:
        """Tell whether it was locked by that very descriptor: its lock is changed, not awaited."""
        return number is not None and number == self.descriptor


def diagnose_file_lock_held_in_process(
    context: HangContext, activity: ThreadActivity, chain: WaitChain
) -> HangDiagnosis | None:
    """Return the answer of a wait for the lock of a file."""
    waits = f"{activity.waits()} for the lock of a file ({activity.what})"
    seen = f"it sleeps in {activity.call}, which waits for nothing but such a lock"
    turn = diagnose_turn_to_accept(context, activity, f"{waits} that is held already")
    if turn is not None:
        return turn
    holder, held = _holder_in_process(context, activity)
    if holder is not None and held is not None:
        taken = f"{held.function}() in {function_and_line(held.frame)}"
        path = circle_of_holders(context, activity, holder.tid)
        if holder is activity:
            return HangDiagnosis(
                DEADLOCK, "file lock", f"{waits}, which it holds itself by another descriptor, "
                f"taken by {taken}", (activity,), PROBABLE, (seen,), ("a timeout",),
                ("whether both names are the same file",), by_itself=True,
            )  # fmt: skip
        if path:
            others = "".join(f"; {d.waits()} for {d.what}" for d in path[1:])
            return HangDiagnosis(
                DEADLOCK, "lock order", f"{waits}, held by {holder.who()}{others}, and so for "
                f"{activity.who()}", tuple(path), PROBABLE, (seen,), ("a timeout",),
            )  # fmt: skip
        link = f"the lock of a file ({activity.what}), taken by {taken} and held by"
        return chain.diagnose_through(activity, holder.tid, link)
    doubt = "what its holder does is not in this core"
    beside = _other_file_locked_by_waiter(context, activity)
    if beside is not None:
        return wait_diagnosis(
            HANG, "file lock", f"{waits} that is held already; meanwhile it holds such a lock "
            f"itself, taken by {beside.function}() in {function_and_line(beside.frame)}: it waits "
            "for ever if that is of the same file, or if who has this one wants that one",
            activity, PROBABLE,
            evidence=(seen,), ruled_out=("a timeout",), doubts=(doubt,),
        )  # fmt: skip
    again = _frame_that_locked_before(context, activity)
    if again is not None:
        return wait_diagnosis(
            HANG, "file lock", f"{waits} that is held already; {function_and_line(again)} took it "
            "before and gave it back by closing the file alone, and started a process "
            "meanwhile, which has the open file and its lock too as long as it lives", activity,
            PROBABLE, evidence=(seen,), ruled_out=("a timeout",),
            doubts=("whether that process has closed the file", doubt),
        )  # fmt: skip
    return wait_diagnosis(
        HANG, "file lock", f"{waits} that is held already, most likely by another process: that "
        "one is alive, as its end would free the lock, and may be at work, or keep it all its life",
        activity, INFO, evidence=(seen,), doubts=(doubt,),
    )  # fmt: skip


def _holder_in_process(
    context: HangContext, activity: ThreadActivity
) -> tuple[ThreadActivity | None, LockedFile | None]:
    """Return the thread of this process that has the lock which a thread waits for, and how.

    The waiting one itself before others. None for locks that are the process's own.
    """
    if activity.call == FCNTL_OF_PROCESS:
        return None, None
    others = [d for d in context.activities if d.tid != activity.tid][:MAX_THREADS]
    for other in (activity, *others):
        for held in _files_locked_by(context, other):
            if _is_file_awaited(context, activity, held) and not held.was_locked_by(
                activity.target
            ):
                return other, held
        # Who waits for a part of that very file, and has taken one before, has another part.
        part = _part_locked_before(context, other) if other is not activity else None
        if (
            part
            and part.name == _name_of_file_awaited(context, activity)
            and part.code == _code_taking_lock(context, activity)
        ):
            return other, part
    return None, None


def circle_of_holders(
    context: HangContext, activity: ThreadActivity, holder: int | None
) -> list[ThreadActivity]:
    """Return the threads from one to who holds what it wants, back to it; [] for no circle."""
    path = [activity]
    following = context.activity_of_thread(holder)
    while following is not None and following not in path:
        if following.timed or following.kind not in (LOCK, JOIN, FILE_LOCK):
            return []
        path.append(following)
        to = following.target
        if following.kind == FILE_LOCK:
            other, _ = _holder_in_process(context, following)
            to = other.tid if other is not None else None
        if to == activity.tid:
            return path
        following = context.activity_of_thread(to)
    return []


def _frame_taking_lock(context: HangContext, activity: ThreadActivity) -> PyFrame | None:
    """Return the frame of the function that takes the lock: a library's, or the program's own."""
    called = library_frames_called(context, activity)
    return next(iter((*called[-1:], *activity.frames)), None)


def _code_taking_lock(context: HangContext, activity: ThreadActivity) -> int:
    taking = _frame_taking_lock(context, activity)
    return taking.code if taking is not None else 0


def _name_of_file_awaited(context: HangContext, activity: ThreadActivity) -> str:
    """Return the name by which Python opened the file whose lock a thread waits for; or ""."""
    file = context.descriptors.describe(activity.target).object if activity.target else 0
    return context.view.text_attribute(file, "name") or "" if file else ""


def _is_file_awaited(context: HangContext, activity: ThreadActivity, held: LockedFile) -> bool:
    """Tell whether a file that code here has locked is the one whose lock a thread waits for.

    By its name, else where the same code took both, by the same names.
    """
    name = _name_of_file_awaited(context, activity)
    if name and held.name:
        return name == held.name
    taking = _frame_taking_lock(context, activity)
    if taking is None or held.code != taking.code:
        return False
    texts = _texts_of_frame(context, taking)
    common = texts.keys() & held.texts.keys()
    return bool(common) and all(texts[each] == held.texts[each] for each in common)


def _texts_of_frame(context: HangContext, frame: PyFrame) -> dict[str, str]:
    return _texts_of_variables(context, context.view.variable_addresses(frame))


def _texts_of_variables(context: HangContext, named: Iterable[tuple[str, int]]) -> dict[str, str]:
    """Return the texts among some variables, and among the attributes of `self`."""
    texts, reader = dict[str, str](), context.view.reader
    for name, at in named:
        held = [(name, at)]
        if name == "self":  # filelock keeps the path in an object of its own
            own = list(context.view.attributes(at))[:MAX_WORDS]
            inner = (pair for _, value in own for pair in context.view.attributes(value))
            held = [(f"self.{attribute}", value) for attribute, value in (*own, *inner)]
        for each, value in held[:MAX_WORDS]:
            text = reader.string(value, MAX_TEXT) if context.view.type_name(value) == "str" else ""
            if isinstance(text, str) and text:
                texts[each] = text
    return texts


def _files_locked_by(context: HangContext, activity: ThreadActivity) -> Iterator[LockedFile]:
    for frame in activity.frames[:MAX_FRAMES]:
        with suppress(UnreadableMemory, LayoutError, IndexError):
            held = _file_locked_by(context, frame)
            if held is not None:
                yield held


def _part_locked_before(context: HangContext, activity: ThreadActivity) -> LockedFile | None:
    """Return a part of a file that a thread locked before it came to wait for another one.

    Its code has called before what it calls now, and nothing that gives a lock back.
    """
    if activity.kind != FILE_LOCK or activity.call == FCNTL_OF_PROCESS:
        return None
    for inner, frame in pairwise(activity.frames[:MAX_FRAMES]):
        made = context.names_called_before(frame, MAX_DEPTH, ever=True)
        if inner.name in made and made.isdisjoint(_GIVES_BACK):
            name = _name_of_file_awaited(context, activity)
            return LockedFile(inner.name, frame, name, code=_code_taking_lock(context, activity))
    return None


def _other_file_locked_by_waiter(
    context: HangContext, activity: ThreadActivity
) -> LockedFile | None:
    """Return another file that the waiting thread has locked, by the very code that waits."""
    code = _code_taking_lock(context, activity)
    return next((held for held in _files_locked_by(context, activity)
                 if held.code == code
                 and not held.was_locked_by(activity.target)), None)  # fmt: skip


def _frame_that_locked_before(context: HangContext, activity: ThreadActivity) -> PyFrame | None:
    """Return the frame whose code took the lock before and left it to a process it has started.

    It has called before what it calls now, which forks under the lock, or starts a program that
    keeps open files, and gives back by closing alone. None for locks that no child gets.
    """
    if activity.call == FCNTL_OF_PROCESS:
        return None
    for place, (inner, frame) in enumerate(pairwise(activity.frames[:MAX_FRAMES])):
        calls = list(context.acquire_calls.names_by_call_before(frame, (MADE, AGAIN), MAX_DEPTH))
        taking = next((n for n, (call, _) in enumerate(calls) if call.name == inner.name), None)
        if taking is None:
            continue
        first, used = calls[taking]
        with suppress(UnreadableMemory, LayoutError):
            for each in activity.frames[: place + 1]:
                used.update(context.call_sites.name_tuple(each.code, "co_names"))
        for call, names in calls[taking + 1 :]:  # up to what closes it, of the same object
            same = first.path and call.root == first.root
            if same and call.name != inner.name and "close" in names:
                used |= set().union(*(n for _, n in calls[taking : calls.index((call, names))]))
        forked = any(forked for _, forked in context.descriptors.multiprocessing_children)
        starts = used & _STARTS or ("Process" in used and forked)
        if starts and used.isdisjoint(_GIVES_BACK):
            return frame
    return None


def diagnose_file_lock_held_for_child(
    context: HangContext, activity: ThreadActivity, waits: str
) -> HangDiagnosis | None:
    """Return the answer where code that locked a file waits for a child that locks one as well."""
    for frame in activity.frames[:MAX_FRAMES] if not activity.timed else ():
        with suppress(UnreadableMemory, LayoutError, IndexError):
            held = _file_locked_by(context, frame)
            seen = _lock_in_child_clause(context, activity, frame, held) if held else ""
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


def _file_locked_by(context: HangContext, frame: PyFrame) -> LockedFile | None:
    """Return the file that a frame has locked, or a manager whose `with` block it is in."""
    view, streams = context.view, context.descriptors
    managers = [manager for _, manager in view.entered_managers(frame)]  # of an ExitStack too
    resting = filter(None, map(view.frame_of_manager, managers))
    for each in (frame, *resting):
        made = context.names_called_before(each, ever=True)
        function = min(made & _TAKES, default="")
        file = (
            _file_object_that_code_locked(context, each)
            if function and made.isdisjoint(_GIVES_BACK)
            else 0
        )
        if not file:
            continue
        number, name = streams.descriptor_of_stream(file), ""
        if view.type_name(file) == "int":
            value = view.objects.integer(file)
            number = None if "close" in made or isinstance(value, Absent) else value
        elif number not in (None, -1):
            name = streams.name_of_stream(file)
        if number is not None and number >= 0:
            texts = _texts_of_frame(context, each)
            return LockedFile(function, each, name, each.code, texts, number)
    for manager in managers:
        number = streams.descriptor_of_stream(manager)
        enter = context.acquire_calls.type_attribute(manager, "__enter__")
        if number not in (None, -1):  # what a function opened, locked and returned
            made = context.names_called_before(frame, MAX_DEPTH, ever=True)
            function = min(made & _TAKES, default="") if made.isdisjoint(_GIVES_BACK) else ""
            name, code = streams.name_of_stream(manager), 0
        else:
            called = context.acquire_calls.names_called(enter, MAX_DEPTH, manager)
            function, name = min(_TAKES.intersection(called), default=""), ""
            is_function = view.type_name(enter) == "function"
            code = context.acquire_calls.as_called_function(enter, 0).code if is_function else 0
        if function:
            texts = _texts_of_variables(context, [("self", manager)])
            return LockedFile(function, frame, name, code, texts)
    return None


def _file_object_that_code_locked(context: HangContext, frame: PyFrame) -> int:
    """Return the file that code locked: the variable that it loads after the function; or 0."""
    locks = False
    for _, does, name in context.call_sites.names_used_by_instructions(frame.code):
        if name in _TAKES:
            locks = True
        elif locks and name:
            of_variable = does in ("fast", "cell", "global", "name")
            return (context.view.variable(frame, name) or 0) if of_variable else 0
    return 0


def _lock_in_child_clause(
    context: HangContext, activity: ThreadActivity, frame: PyFrame, held: LockedFile
) -> str:
    """Say where the child's code takes the lock of a file; "" where that is not seen."""
    child = context.descriptors.child_of_pid(activity.target) if activity.target else None
    if child is not None:
        words = [w for text in _arguments_of_popen(context, child.address) for w in text.split()]
        who = f"child {child.pid} ({child.command})"
        if not any(word in text for text in words for word in _TAKES):
            own = _function_of_own_script(context, words, held)
            return f"{who} runs this program's own {own}(), which takes it" if own else ""
        if any(_NOT_BLOCKING in word for word in words) or _does_flock_lock_other_file(
            words, held.name
        ):
            return ""
        return f"{who} was started to take one"
    made = context.names_called_before(frame, ever=True)
    running = context.view.running_code()
    for called, functions in context.live_code.own_functions.items():
        for function in functions if called in made else ():
            used = {
                each for _, _, each in context.call_sites.names_used_by_instructions(function.code)
            }
            if function.code not in running and used & _TAKES:
                return f"{called}(), which the child may run, takes one"
    return ""


def _function_of_own_script(context: HangContext, words: Sequence[str], held: LockedFile) -> str:
    """Return the function of this program that takes the lock in a child which runs its script.

    It does not run here. One that the child was told by name, or the only one; "" for none.
    """
    scripts = {basename(word) for word in words if word.endswith(".py")}
    running = context.view.running_code()
    by = _TAKES if held.code in running else {context.live_code.name_of_code(held.code)}
    taking = [
        name for name, functions in context.live_code.own_functions.items()
        for function in functions
        if function.code not in running
        and basename(context.view.reader.text_field(function.code, "PyCodeObject", "co_filename"))
        in scripts
        and not by.isdisjoint(
            used for _, _, used in context.call_sites.names_used_by_instructions(function.code)
        )
    ] if scripts else []  # fmt: skip
    return next((name for name in taking if name in words or not taking[1:]), "")


def _does_flock_lock_other_file(words: Sequence[str], name: str) -> bool:
    """Tell whether flock(1) is called for a file of another name, or so that it does not wait."""
    behind = [n for n, word in enumerate(words, 1) if word.rpartition("/")[2] == "flock"][:1]
    if not behind:
        return False
    options = list(takewhile(lambda word: word.startswith("-"), words[behind[0] :]))
    if not _WITHOUT_WAITING.isdisjoint(options):
        return True
    wanted = words[behind[0] + len(options) :][:1]
    return bool(name and wanted) and basename(wanted[0].strip("'\"")) != basename(name)


def _arguments_of_popen(context: HangContext, popen: int) -> Iterator[str]:
    arguments = context.view.attribute(popen, "args") or 0
    kind = context.view.type_name(arguments)
    containers = ContainerReader(context.view.reader)
    words = [arguments] if kind == "str" else []
    if kind in ("list", "tuple"):
        read = containers.list_items if kind == "list" else containers.tuple_items
        words = list(read(arguments))[:MAX_WORDS]
    for word in words:
        text = context.view.reader.string(word, MAX_TEXT)
        if not isinstance(text, Absent):
            yield text
