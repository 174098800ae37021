# SPDX-License-Identifier: Apache-2.0
"""Merged stacks and thread titles as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gdb_epi.cpython.frames.callee import GLUE, Callee
from gdb_epi.cpython.running.tracebacks import TracebackLine
from gdb_epi.cpython.runtime.find_runtime import RECOVERED
from gdb_epi.cpython.types import MergedFrame, MergedStack, PyFrame, ThreadState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.process_state import ProcessState
from gdb_epi.render.frame_lines import (
    REMARK,
    UNLIMITED,
    StackCall,
    StackRow,
    call_of_native_frame,
    fold_calls,
    join_c_calls_of_wait,
    limit_stack_rows,
    row_lines,
)
from gdb_epi.render.python_stacks import crashed_or_took_signal_words, python_call, thread_words
from gdb_epi.target.api import LIVE, NativeFrame, pid_of, target_noun
from gdb_epi.util import counted, plain_path

# How much of a stack is shown.
FOLDED = "folded"  # without CPython's own plumbing
NATIVE = "native"  # every native frame
ALL = "all"  # also addresses and the evidence for each place


def thread_title(
    state: ProcessState,
    tid: int | None,
    thread: ThreadState | None = None,
    number: str | None = None,
) -> str:
    """Return the heading of one thread: its name, its LWP, what it holds; `number` is GDB's."""
    thread = thread or (state.python_thread(tid) if tid is not None else None)
    words = thread_words(thread.name if thread is not None else None, tid)
    if number is not None:
        words = (
            f"{words[:-1]}, GDB's {number})" if words[-1] == ")" else f"{words} (GDB's {number})"
        )
    parts = [words]
    if state.is_crashed_thread(tid, thread):
        parts += filter(None, [first_thread_word(state)])
    if thread is None:
        return ", ".join([*parts, "no Python state"])
    if thread.holds_gil:
        parts.append("holds the GIL" if state.target.kind == LIVE else "held the GIL")
    if thread.doubt:
        parts.append(thread.doubt)
    elif not thread.alive:
        what = target_noun(state.target.kind)
        parts.append(f"a thread state whose thread is not in the {what}")
    return ", ".join(parts)


def first_thread_word(state: ProcessState) -> str:
    """Return the word for the first thread of a target; "" where nothing happened to it."""
    if isinstance(state.crash, Absent):
        return ""
    if state.target.kind == LIVE:
        return "got the signal"
    return crashed_or_took_signal_words(state.crash, pid_of(state.target))


def nothing_found_line(state: ProcessState, words: str, gaps: Sequence[SoftError] = ()) -> str:
    """Return the line of a command that found nothing; it claims no more than was searched.

    `gaps` is what the search could not read. Raises InputError without Python.
    """
    python = state.required_python()
    if python.found_by != RECOVERED:
        return f"{words} in what could be read; what could not is noted below" if gaps else words
    left = counted(len(python.threads()), "thread state")
    return f"{words}, in what is left: Python's runtime was not found, only {left} of its own"


def stack_lines(
    stack: MergedStack,
    *,
    detail: str = FOLDED,
    limit: int,
    below: Callable[[PyFrame], Sequence[str]] | None = None,
    callees: Mapping[int, Callee] | None = None,
    outermost: bool = False,
) -> list[str]:
    """Return a merged stack, innermost first; say what was folded or cut.

    `detail` is FOLDED, NATIVE or ALL. `below` gives lines to put under each Python frame, which
    then do not fold; `callees` are the C functions that frames were calling, by frame address.
    At most `limit` lines of frames are shown, the outermost ones if so wished. Python frames have
    the numbers that commands take.
    """
    entries, folded = _rows_with_python_frames(
        stack, detail, callees or {}, apart=below is not None
    )
    shown = entries[-limit:] if outermost else entries[:limit]
    left_out = [row for row, _ in (entries[:-limit] if outermost else entries[limit:])]
    cut = f"  ... {counted(sum(row.stands_for for row in left_out), 'more frame')}"
    lines = []
    if stack.native is not None:
        lines.append(f"  (no native frames: {stack.native.detail})")
    if left_out and outermost:
        lines.append(cut)
    rows = [row for row, _ in shown]
    texts = row_lines(rows, UNLIMITED, short=detail != ALL)  # places are copied from here
    for (_, python), line in zip(shown, texts, strict=True):
        lines.append(line)
        if below is not None and python is not None:
            lines += [type(text)(f"         {text}") for text in below(python)]
    if left_out and not outermost:
        lines.append(f"{cut} (--limit N)")
    if folded:
        lines.append(
            f"  ({counted(folded, 'frame')} of CPython's own machinery folded; --native shows them)"
        )
    lines += [f"  ({note})" for note in stack.notes]
    return lines or ["  (no frames)"]


def _rows_with_python_frames(
    stack: MergedStack, detail: str, callees: Mapping[int, Callee], *, apart: bool
) -> tuple[list[tuple[StackRow, PyFrame | None]], int]:
    """Return the lines to show, each with its Python frame, and how many frames are plumbing.

    Python frames are not folded when they stand `apart`, or when all native frames are shown.
    """
    calls: list[tuple[StackCall, PyFrame | None]] = []
    folded = number = 0
    for frame in stack.frames:
        if frame.python is not None:
            callee = callees.get(frame.python.address)
            calls.append((_python_call(frame, number, callee, detail), frame.python))
            number += 1
        elif detail == FOLDED and is_interpreter_frame(frame):
            folded += 1
        elif frame.native is not None:
            calls.append((_native_call(frame, frame.native, detail), None))
    if detail == ALL:
        return [(StackRow(call), python) for call, python in calls], folded
    innermost = next((at for at, (_, python) in enumerate(calls) if python is not None), 0)
    if detail == FOLDED and innermost:
        joined = join_c_calls_of_wait([call for call, _ in calls[: innermost + 1]])
        calls[:innermost] = [(call, None) for call in joined[:-1]]
    if detail == FOLDED and not apart:
        return [(row, None) for row in fold_calls([call for call, _ in calls])], folded
    entries: list[tuple[StackRow, PyFrame | None]] = []
    stretch: list[StackCall] = []
    for call, python in calls:
        if python is None:
            stretch.append(call)
            continue
        entries += [(row, None) for row in fold_calls(stretch, runs=detail == FOLDED)]
        entries.append((StackRow(call), python))
        stretch = []
    entries += [(row, None) for row in fold_calls(stretch, runs=detail == FOLDED)]
    return entries, folded


def _python_call(frame: MergedFrame, number: int, callee: Callee | None, detail: str) -> StackCall:
    python = frame.python
    assert python is not None
    asides = [f"calling {callee.best_name()}"] if callee is not None else []
    if python.provenance != "chain" and python.hole is None:
        asides.append(f"(found in the {python.provenance})")
    if detail == ALL:
        placed = frame.evidence or "unknown"
        asides.append(f"[frame {python.address:#x}, {python.owner}; placed by: {placed}]")
    return python_call(python)._replace(number=number, aside="  ".join(asides))


def _native_call(frame: MergedFrame, native: NativeFrame, detail: str) -> StackCall:
    if native.kind == "sentinel":
        # The words for native frames that are left out of a deep stack.
        calls = f" of {native.function}" if native.function else ""
        count = f"{native.left_out} more calls{calls}" if native.left_out else "native frames"
        return StackCall(REMARK, f"... {count} left out of the middle of a very deep stack")
    asides = ["(inlined)"] if native.inlined else []
    if frame.evidence and native.function is None:
        asides.append("(eval loop)")
    if detail == ALL:
        loop = f"  [eval loop: {frame.evidence}]" if frame.evidence else ""
        asides.append(f"pc {native.pc:#x} sp {native.sp:#x}{loop}")
    return call_of_native_frame(native)._replace(aside="  ".join(asides))


def is_interpreter_frame(frame: MergedFrame) -> bool:
    """Tell whether a frame belongs to the interpreter: by its name, or as that of an eval loop."""
    if frame.native is None or frame.native.kind == "sentinel":
        return False
    function = frame.native.function
    return bool(frame.evidence) or (function is not None and bool(GLUE.match(function)))


def task_frame_lines(frames: Sequence[PyFrame], *, limit: int) -> list[str]:
    """Return the stack of a task or greenlet, innermost first, at most `limit` lines of frames.

    The innermost and the outermost frames stay; what is between them is counted.
    """
    rows = fold_calls([python_call(frame) for frame in frames])
    shown = limit_stack_rows(rows, limit + 1, outermost=limit // 2, hint=" (--limit N)")
    return list(row_lines(shown, indent="    "))


def traceback_line_of_frame(frame: PyFrame | TracebackLine) -> str:
    """Return one Python frame as a traceback shows it: File "f.py", line 3, in name."""
    if frame.hole is not None:
        return f"[hole: {frame.hole}]"
    name = frame.qualname or frame.name
    return f'File "{plain_path(frame.filename)}", line {frame.lineno or "?"}, in {name}'


def place_text(frame: PyFrame) -> str:
    """Return the function and place of a Python frame: `name at file:line`."""
    if frame.hole is not None:
        return f"[hole: {frame.hole}]"
    return f"{frame.qualname or frame.name} at {plain_path(frame.filename)}:{frame.lineno or '?'}"
