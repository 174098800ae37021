# SPDX-License-Identifier: Apache-2.0
"""The Python stacks of a process: the thread that died first, equal stacks together.

In: decoded threads and how the process ended. Out: lines of text, in the notation of frame_lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.errors import Absent
from gdb_epi.render.frame_lines import (
    PYTHON,
    REMARK,
    UNLIMITED,
    StackCall,
    fold_calls,
    hole_words,
    row_lines,
)
from gdb_epi.target.api import CrashInfo
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import counted, quoted_name, shortened_list

if TYPE_CHECKING:
    from gdb_epi.cpython.types import PyFrame, PythonState, ThreadState

MAX_TOGETHER = 6  # threads named for one stack


def python_stack_lines(
    python: PythonState, crash: CrashInfo | Absent, pid: int | None, cut: str = ""
) -> list[str]:
    """Return the stacks of every thread: the one that died, then in the order they were made in.

    `crash` and `pid` say whether that thread crashed or the process was ended from outside. `cut`
    says how much of the core was cut off: threads of which nothing is left are named together.
    """
    threads = sorted(python.threads(), key=lambda t: (not t.crashed, t.tid is None, t.tid or 0))
    lost = [thread for thread in threads if cut and all(f.hole for f in thread.frames)]
    groups: dict[object, list[ThreadState]] = {}
    for thread in [thread for thread in threads if thread not in lost]:
        steps = tuple((f.name, f.filename, f.lineno, f.hole) for f in thread.frames)
        alone = thread.crashed or thread.holds_gil or not thread.alive or not steps
        groups.setdefault(thread.address if alone else steps, []).append(thread)
    lines = [f"CPython {python.version}, {counted(len(threads), 'Python thread')}"]
    for group in groups.values():
        lines += ["", _title_of_thread_group(group, crashed_or_took_signal_words(crash, pid))]
        rows = fold_calls([python_call(frame) for frame in group[0].frames])
        lines += row_lines(rows, UNLIMITED) if rows else ["  (no Python frames)"]
    if lost:
        number = f"{len(lost)} of {len(threads)} threads cannot" if groups else "none of them can"
        which = f" ({_names_of_threads(lost)})" if groups else ""
        lines += ["", f"{number} be read{which}, because {cut}"]
    elif cut:
        lines += ["", cut]
    if cut and not isinstance(crash, Absent) and not any(thread.crashed for thread in threads):
        lines.append(f"the thread that the core names first, {crash.tid}, is not among them")
    return lines


def python_call(frame: PyFrame) -> StackCall:
    """Return a Python frame as a line of a stack."""
    if frame.hole is not None:
        return StackCall(REMARK, hole_words(frame.hole))
    return StackCall(PYTHON, frame.qualname or frame.name, frame.filename, frame.lineno)


def thread_words(name: str | None, tid: int | None) -> str:
    """Return what a thread is called on every screen: its name, then the number of its LWP."""
    number = f"thread {tid}" if tid is not None else "no thread of this process"
    return f"{quoted_name(name)} ({number})" if name else number


def crashed_or_took_signal_words(crash: CrashInfo | Absent, pid: int | None) -> str:
    """Return the words for the first thread: only a fault or an abort of its own is a crash."""
    if isinstance(crash, Absent):
        return ""
    if (crash.si_code or 0) > 0 or (crash.sender_pid is not None and crash.sender_pid == pid):
        return "crashed"
    return "took the signal"


def _names_of_threads(threads: Sequence[ThreadState]) -> str:
    return shortened_list([thread_words(t.name, t.tid) for t in threads], MAX_TOGETHER)


def _title_of_thread_group(group: Sequence[ThreadState], ending: str) -> str:
    first = group[0]
    if len(group) > 1:
        return f"{len(group)} threads with this stack: {_names_of_threads(group)}"
    words = [thread_words(first.name, first.tid)]
    if first.crashed and ending:
        words.append(ending)
    if first.holds_gil:
        words.append("held the GIL")
    if not first.alive:
        words.append(first.doubt or "not in the core")
    return ", ".join(words)
