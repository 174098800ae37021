# SPDX-License-Identifier: Apache-2.0
"""The stacks of all threads as JSON (RECORD.md section 3)."""

from __future__ import annotations

from collections.abc import Collection

from gdb_epi.cpython.types import MergedStack, PyFrame, PythonState, ThreadState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.lean import TYPE_CHECKING, Any
from gdb_epi.process_state import ProcessState

if TYPE_CHECKING:
    from gdb_epi.cpython.values_core import Limits
    from gdb_epi.cpython.variables import FrameVariables, Variable

MAX_LOCALS_ERRORS = 20


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


def frame_variables(state: ProcessState, limits: Limits | None = None) -> FrameVariables | Absent:
    """Return the reader of arguments and locals. Absent when there is no Python."""
    python = state.python
    if not isinstance(python, PythonState):
        return python
    from gdb_epi.cpython.values import values_of
    from gdb_epi.cpython.variables import FrameVariables

    return FrameVariables(values_of(state.target, python, limits))


def _add_locals(
    state: ProcessState, threads: list[tuple[ThreadState, dict[str, Any]]]
) -> list[SoftError]:
    """Put `locals` and `variables` into the frames; return what could not be had."""
    reader = frame_variables(state)
    if isinstance(reader, Absent):
        return [SoftError("locals", "all threads", reader.detail)]
    errors = []
    for thread, thread_data in threads:
        for frame, data in zip(thread.frames, thread_data["frames"], strict=True):
            found = reader.of(frame)
            if not isinstance(found, Absent):
                data.update(locals_json(found))
            elif frame.hole is None:
                errors.append(SoftError("locals", f"{frame.name} ({thread.tid})", found.detail))
    return errors[:MAX_LOCALS_ERRORS]


def locals_json(variables: list[Variable]) -> dict[str, Any]:
    """Return the texts by name, and what is known of each variable beside its text."""
    texts: dict[str, str] = {}
    facts = []
    for one in variables:
        texts.setdefault(one.name, one.shown())
        facts.append(
            {"name": one.name, "kind": one.kind, "type": one.type, "cut": one.cut}
            | {"exact": one.exact}
        )
    return {"locals": texts, "variables": facts}


def stacks_json(
    state: ProcessState, *, locals: bool = False, tids: Collection[int] | None = None
) -> dict[str, Any]:
    """Return every thread's Python stack, the GIL holder and what could not be had.

    `locals` adds the values of arguments and locals; they never go into a record. `tids` limits
    the threads.
    """
    errors = list(state.all_soft_errors())
    python = state.python
    if isinstance(python, Absent):
        errors.append(SoftError("python", "runtime", python.detail))
    shown = [t for t in state.python_threads() if tids is None or t.tid in tids]
    threads = [(thread, thread_json(thread)) for thread in shown]
    if locals:
        errors += _add_locals(state, threads)
    return {
        "threads": [data for _, data in threads],
        "gil_holder": python.gil_holder if isinstance(python, PythonState) else None,
        "python": python.version if isinstance(python, PythonState) else None,
        "soft_errors": [error._asdict() for error in errors],
    }
