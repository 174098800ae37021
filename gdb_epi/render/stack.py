# SPDX-License-Identifier: Apache-2.0
"""Merged stacks and thread titles as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gdb_epi.cpython.frames.callee import GLUE, Callee
from gdb_epi.cpython.running.tracebacks import TracebackLine
from gdb_epi.cpython.runtime.find_runtime import RECOVERED
from gdb_epi.cpython.types import MergedStack, PyFrame, StackFrame, ThreadState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import LIVE, NativeFrame, noun
from gdb_epi.util import counted

# How much of a stack is shown.
FOLDED = "folded"  # without CPython's own plumbing
NATIVE = "native"  # every native frame
ALL = "all"  # also addresses and the evidence for each place

MAX_PERIOD = 8  # calls of one turn of a recursion
MIN_TURNS = 4  # before it is folded


def thread_title(state: ProcessState, tid: int | None, thread: ThreadState | None = None) -> str:
    """Return the heading of one thread: number, name, what it holds."""
    thread = thread or (state.python_thread(tid) if tid is not None else None)
    parts = [f"thread {tid if tid is not None else '?'}"]
    if thread is not None and thread.name:
        parts[0] += f' "{thread.name}"'
    if state.died_in(tid, thread):
        parts.append(first_word(state))
    if thread is None:
        return ", ".join([*parts, "no Python state"])
    if thread.holds_gil:
        parts.append("holds the GIL")
    if thread.doubt:
        parts.append(thread.doubt)
    elif not thread.alive:
        what = noun(state.target.kind)
        parts.append(f"not in the {what} (ghost: a thread state without a thread)")
    return ", ".join(parts)


def first_word(state: ProcessState) -> str:
    """Return what the first thread of a target is: a live process has not died."""
    if isinstance(state.crash, Absent):
        return "stopped here" if state.target.kind == LIVE else "first in the core"
    return "got the signal" if state.target.kind == LIVE else "crashed"


def nothing_found(state: ProcessState, words: str, gaps: Sequence[SoftError] = ()) -> str:
    """Return the line of a command that found nothing; it claims no more than was looked at.

    `gaps` are what the search itself could not read.
    """
    python = state.python
    if isinstance(python, Absent):
        return f"Python was not decoded: {python.detail}"
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
) -> list[str]:
    """Return a merged stack, one line a frame, innermost first; say what was folded or cut.

    `detail` is FOLDED, NATIVE or ALL. `below` gives lines to put under each Python frame; `callees`
    are the C functions that frames were calling, by frame address.
    """
    calls = callees or {}
    lines = []
    if stack.native is not None:
        lines.append(f"  (no native frames: {stack.native.detail})")
    folded = shown = 0
    repeats = _repeats(stack.frames) if detail != ALL else {}
    again = 0  # frames behind a recursion's first turn
    for number, frame in enumerate(stack.frames):
        if again:
            again -= 1
            continue
        if number in repeats:
            period, again = repeats[number]
            lines.append(f"  ...  {_again(period, again)}")
            again -= 1
            continue
        if shown >= limit:
            lines.append(f"  ... {counted(len(stack.frames) - number, 'more frame')} (--limit N)")
            break
        if detail == FOLDED and _is_glue(frame):
            folded += 1
            continue
        shown += 1
        callee = calls.get(frame.python.address) if frame.python is not None else None
        extra = ""
        if callee is not None:
            extra = f"  calling {callee.shown()}"
        elif frame.evidence and frame.native is not None and frame.native.function is None:
            extra = "  (eval loop)"
        extra += _whereabouts(frame) if detail == ALL else ""
        lines.append(f"  #{number:<3} {frame_text(frame)}{extra}")
        if below is not None and frame.python is not None:
            lines += [f"         {line}" for line in below(frame.python)]
    if folded:
        lines.append(
            f"  ({counted(folded, 'frame')} of CPython's own machinery folded; --native shows them)"
        )
    lines += [f"  ({note})" for note in stack.notes]
    return lines or ["  (no frames)"]


def _repeats(frames: Sequence[StackFrame]) -> dict[int, tuple[int, int]]:
    """Return where a recursion in C begins its second turn: (frames of a turn, frames from there).

    Python frames are never folded: each has variables of its own.
    """
    keys = [native_text(f.native) if f.native and not f.evidence else None for f in frames]
    repeats: dict[int, tuple[int, int]] = {}
    start = 0
    while start < len(keys):
        for period in range(1, MAX_PERIOD + 1):
            end = start + period
            while end < len(keys) and keys[end] is not None and keys[end] == keys[end - period]:
                end += 1
            turns = (end - start) // period
            if turns >= MIN_TURNS and None not in keys[start : start + period]:
                repeats[start + period] = period, (turns - 1) * period
                start += turns * period - 1
                break
        start += 1
    return repeats


def _again(period: int, count: int) -> str:
    if period == 1:
        return f"the same call {count} times more"
    return f"the same {period} calls {count // period} times more"


def _whereabouts(frame: StackFrame) -> str:
    """Return the addresses of a frame and what its place rests on."""
    native, python = frame.native, frame.python
    if native is not None and native.kind != "sentinel":
        loop = f"  [eval loop: {frame.evidence}]" if frame.evidence else ""
        return f"  pc {native.pc:#x} sp {native.sp:#x}{loop}"
    if python is None:
        return ""
    placed = frame.evidence or "unknown"
    return f"  [frame {python.address:#x}, {python.owner}; placed by: {placed}]"


def _is_glue(frame: StackFrame) -> bool:
    """Tell whether a frame is plumbing: by name, or because it is an eval loop's."""
    if frame.native is None or frame.native.kind == "sentinel":
        return False
    function = frame.native.function
    return bool(frame.evidence) or (function is not None and bool(GLUE.match(function)))


def frame_text(frame: StackFrame) -> str:
    """Return one frame without its number."""
    if frame.python is not None:
        return python_text(frame.python)
    return native_text(frame.native) if frame.native is not None else "?"


def python_text(frame: PyFrame) -> str:
    """Return one Python frame: name, file, line; a hole with its reason."""
    if frame.hole is not None:
        where = f" at {frame.address:#x}" if frame.address else ""
        return f"[hole{where}: {frame.hole}]"
    origin = "" if frame.provenance == "chain" else f"  [found in the {frame.provenance}]"
    name = frame.qualname or frame.name
    return f'py  {name}  "{frame.filename}":{frame.lineno or "?"}{origin}'


def traceback_text(frame: PyFrame | TracebackLine) -> str:
    """Return one Python frame as a traceback shows it: File "f.py", line 3, in name."""
    if frame.hole is not None:
        return f"[hole: {frame.hole}]"
    name = frame.qualname or frame.name
    return f'File "{frame.filename}", line {frame.lineno or "?"}, in {name}'


def place_text(frame: PyFrame) -> str:
    """Return what a Python frame runs and where: `name at file:line`."""
    if frame.hole is not None:
        return f"[hole: {frame.hole}]"
    return f"{frame.qualname or frame.name} at {frame.filename}:{frame.lineno or '?'}"


def native_text(frame: NativeFrame) -> str:
    """Return one native frame: function or module and offset, source line when known."""
    if frame.kind == "signal":
        return "<signal handler called>"
    if frame.kind == "sentinel":
        calls = f" of {frame.function}" if frame.function else ""
        count = f"{frame.left_out} more calls{calls}" if frame.left_out else "native frames"
        return f"... {count} left out of the middle of a very deep stack"
    module = (frame.module or "?").rpartition("/")[2]
    name = frame.function or "??"
    where = f"  {frame.filename}:{frame.lineno}" if frame.filename else f"  in {module}"
    if frame.function is None and frame.offset is not None:
        where = f"  in {module}+{frame.offset:#x}"
    return f"{name}{'  (inlined)' if frame.inlined else ''}{where}"
