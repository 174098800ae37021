# SPDX-License-Identifier: Apache-2.0
"""Merged stacks and thread titles as lines of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gdb_epi.cpython.types import MergedStack, PyFrame, StackFrame, ThreadState
from gdb_epi.errors import Absent
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import NativeFrame

# CPython's own plumbing between two Python frames: of no interest to most readers. The frame
# that called out of it (a C function of a module) stays.
_GLUE = re.compile(
    r"_?PyEval_|_PyFunction_Vectorcall|_?PyObject_(?:Vectorcall|Call|FastCall|MakeTpCall)"
    r"|PyVectorcall_|_PyVectorcall_|cfunction_|method_vectorcall|_PyObject_\w*[Cc]all"
    r"|object_vacall|slot_tp_|call_function|function_code_fastcall|_PyFunction_FastCall"
    r"|pymain_|Py_BytesMain|Py_RunMain|run_(?:mod|eval_code_obj)|_PyRun_|PyRun_|pyrun_"
    r"|__libc_start_|_start\Z|thread_run\Z|pythread_wrapper|start_thread\Z|clone3?\Z|bootstrap_"
)


def thread_title(state: ProcessState, tid: int | None, thread: ThreadState | None = None) -> str:
    """Return the heading of one thread: number, name, what it holds."""
    found = thread or (state.python_thread(tid) if tid is not None else None)
    name = found.name if found else None
    parts = [f"thread {tid if tid is not None else '?'}"]
    if name:
        parts[0] += f' "{name}"'
    if state.died_in(tid, found):
        parts.append("crashed" if not isinstance(state.crash, Absent) else "first in the core")
    if found is not None and found.holds_gil:
        parts.append("holds the GIL")
    if found is not None and not found.alive:
        parts.append("not in the core (ghost: a thread state without a thread)")
    if found is None:
        parts.append("no Python state")
    return ", ".join(parts)


def stack_lines(
    stack: MergedStack,
    *,
    native: bool,
    limit: int,
    below: Callable[[PyFrame], Sequence[str]] | None = None,
) -> list[str]:
    """Return a merged stack, one line a frame, innermost first; say what was folded or cut.

    `below` gives lines to put under each Python frame.
    """
    lines = []
    if stack.native is not None:
        lines.append(f"  (no native frames: {stack.native.detail})")
    folded = 0
    for number, frame in enumerate(stack.frames):
        if number >= limit:
            lines.append(f"  ... {len(stack.frames) - limit} more frames (--limit N)")
            break
        if not native and _is_glue(frame):
            folded += 1
            continue
        lines.append(f"  #{number:<3} {frame_text(frame)}")
        if below is not None and frame.python is not None:
            lines += [f"         {line}" for line in below(frame.python)]
    if folded:
        lines.append(f"  ({folded} frames of CPython's own machinery folded; --native shows them)")
    return lines or ["  (no frames)"]


def _is_glue(frame: StackFrame) -> bool:
    function = frame.native.function if frame.native is not None else None
    return function is not None and bool(_GLUE.match(function))


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
    found = "" if frame.provenance == "chain" else f"  [found in the {frame.provenance}]"
    name = frame.qualname or frame.name
    return f'py  {name}  "{frame.filename}":{frame.lineno or "?"}{found}'


def native_text(frame: NativeFrame) -> str:
    """Return one native frame: function or module and offset, source line when known."""
    if frame.kind == "signal":
        return "<signal handler called>"
    if frame.kind == "sentinel":
        return "... native frames left out of the middle of a very deep stack"
    module = (frame.module or "?").rpartition("/")[2]
    name = frame.function or "??"
    where = f"  {frame.filename}:{frame.lineno}" if frame.filename else f"  in {module}"
    if frame.function is None and frame.offset is not None:
        where = f"  in {module}+{frame.offset:#x}"
    return f"{name}{'  (inlined)' if frame.inlined else ''}{where}"
