# SPDX-License-Identifier: Apache-2.0
"""The stacks of all threads as JSON (RECORD.md section 3)."""

from __future__ import annotations

from gdb_epi.cpython.types import MergedStack, PyFrame, PythonState, ThreadState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.lean import Any
from gdb_epi.process_state import ProcessState

LOCALS_MISSING = "values of locals are not decoded by this version of gdb-epi"


def frame_json(frame: PyFrame) -> dict[str, Any]:
    """Return one Python frame; a hole has the key `hole` instead of a name."""
    if frame.hole is not None:
        return {
            "name": None,
            "qualname": None,
            "filename": None,
            "lineno": None,
            "address": f"0x{frame.address:016x}",
            "provenance": frame.provenance,
            "hole": frame.hole,
        }
    return {
        "name": frame.name,
        "qualname": frame.qualname,
        "filename": frame.filename,
        "lineno": frame.lineno,
        "module": frame.module,
        "provenance": frame.provenance,
    }


def thread_json(thread: ThreadState) -> dict[str, Any]:
    """Return one thread state with its frames, innermost first."""
    return {
        "tid": thread.tid,
        "ident": f"0x{thread.ident:016x}",
        "name": thread.name,
        "interpreter": thread.interpreter,
        "holds_gil": thread.holds_gil,
        "crashed": thread.crashed,
        "alive": thread.alive,
        "frames": [frame_json(frame) for frame in thread.frames],
    }


def merged_json(stack: MergedStack) -> list[dict[str, Any]]:
    """Return a merged stack, innermost first; each frame has a `language`."""
    merged: list[dict[str, Any]] = []
    for frame in stack.frames:
        if frame.python is not None:
            merged.append({"language": "python", **frame_json(frame.python)})
        elif frame.native is not None:
            native = frame.native._asdict()
            native["pc"] = f"0x{frame.native.pc:016x}"
            native["sp"] = f"0x{frame.native.sp:016x}"
            merged.append({"language": "native", **native})
    return merged


def stacks_json(state: ProcessState, *, locals: bool = False) -> dict[str, Any]:
    """Return every thread's Python stack, the GIL holder and what could not be had."""
    errors = list(state.all_soft_errors())
    python = state.python
    if isinstance(python, Absent):
        errors.append(SoftError("python", "runtime", python.detail))
    if locals:
        errors.append(SoftError("locals", "all threads", LOCALS_MISSING))
    return {
        "threads": [thread_json(thread) for thread in state.python_threads()],
        "gil_holder": python.gil_holder if isinstance(python, PythonState) else None,
        "python": python.version if isinstance(python, PythonState) else None,
        "soft_errors": [error._asdict() for error in errors],
    }
