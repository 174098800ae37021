# SPDX-License-Identifier: Apache-2.0
"""The stacks of all threads as JSON (gdb_epi/record/schema/SCHEMA.md, "Stacks and frames")."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from gdb_epi.cpython.types import MergedStack, PyFrame, PythonState, ThreadState
from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, UNREADABLE, Absent, SoftError
from gdb_epi.process_state import ProcessState
from gdb_epi.typing_lite import TYPE_CHECKING, Any
from gdb_epi.util import pick_attributes

if TYPE_CHECKING:
    from gdb_epi.cpython.frames.callee import Callee
    from gdb_epi.cpython.running.exceptions import ExceptionInfo, RaisedException, ThreadExceptions
    from gdb_epi.cpython.running.tasks import Task, Tasks
    from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
    from gdb_epi.cpython.values.repr_decoder import ReprLimits
    from gdb_epi.cpython.values.variables import FrameVariables, Variable

MAX_LOCALS_ERRORS = 20
MAX_TASKS_WITH_LOCALS = 100  # the running ones come first


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
    return pick_attributes(frame, "name", "qualname", "filename", "lineno", "module", "provenance")


def thread_json(thread: ThreadState) -> dict[str, Any]:
    """Return one thread state with its frames, innermost first."""
    return {
        "tid": thread.tid,
        "ident": f"0x{thread.ident:016x}",
        **pick_attributes(thread, "name", "interpreter", "holds_gil", "crashed", "alive"),
        "frames": [frame_json(frame) for frame in thread.frames],
    }


def exception_json(exception: ExceptionInfo) -> dict[str, Any]:
    """Return one exception; links are addresses, texts are included if they were asked for.

    A type or text that could not be read is null, and `problems` says why.
    """
    parts = pick_attributes(exception, "type", "message", "args", "notes")
    missing = {name: part for name, part in parts.items() if isinstance(part, Absent)}
    missing = {name: part for name, part in missing.items() if part.reason != NOT_APPLICABLE}
    fields: dict[str, Any] = {
        "address": f"0x{exception.address:016x}",
        "type": None if isinstance(exception.type, Absent) else exception.type,
        "cause": _address_or_none(exception.cause),
        "context": _address_or_none(exception.context),
        "suppress_context": exception.suppress_context,
    }
    if exception.member_count:
        fields["members"] = [_address_or_none(address) for address in exception.members]
        fields["member_count"] = exception.member_count
    for name in ("message", "args", "notes"):
        if not isinstance(parts[name], Absent) or name in missing:
            fields[name] = None if name in missing else parts[name]
    if not exception.args_exact:
        fields["args_exact"] = False
    if isinstance(exception.traceback, Absent):
        fields["traceback"] = []
        if exception.traceback.reason != NOT_AVAILABLE:
            missing["traceback"] = exception.traceback
    else:
        fields["traceback"] = [line._asdict() for line in exception.traceback.lines]
        fields["lines_left_out"] = exception.traceback.left_out
        if exception.traceback.broken:
            missing["traceback"] = Absent(UNREADABLE, exception.traceback.broken)
    if missing:
        fields["problems"] = {name: part.detail for name, part in missing.items()}
    return fields


def _address_or_none(address: int) -> str | None:
    return f"0x{address:016x}" if address else None


def raised_exception_json(raised: RaisedException) -> dict[str, Any]:
    """Return an exception of a thread; `chain` holds itself, then all that it leads to."""
    chain = [exception_json(exception) for exception in raised.exceptions]
    fields = {"state": raised.state, "type": chain[0]["type"]}
    if "message" in chain[0]:
        fields["message"] = chain[0]["message"]
    return {**fields, "chain": chain}


def exception_of_crashed_thread(
    state: ProcessState, exceptions: Collection[ThreadExceptions]
) -> tuple[ThreadExceptions, RaisedException] | None:
    """Return the crashed thread's exception: in flight, reported, or the innermost handled."""
    tid = state.crashed_tid()
    crashed = [e for e in exceptions if e.thread.tid == tid and e.thread.alive and e.all_raised()]
    crashed.sort(key=lambda e: e.thread != state.python_thread(e.thread.tid or 0))
    return (crashed[0], crashed[0].all_raised()[0]) if crashed else None


def read_exceptions(state: ProcessState, *, messages: bool) -> tuple[ThreadExceptions, ...]:
    """Return the exceptions of every thread state, with their texts when asked for."""
    if not messages or not isinstance(state.python, PythonState):
        return state.exceptions
    from gdb_epi.cpython.running.exceptions import read_thread_exceptions

    return tuple(read_thread_exceptions(state.target, state.python, messages=True))


def _add_exceptions(
    state: ProcessState, threads: list[tuple[ThreadState, dict[str, Any]]], *, messages: bool
) -> tuple[dict[str, Any] | None, list[SoftError]]:
    """Put `exceptions` into the threads; return the crashed thread's, and what is missing."""
    exceptions = read_exceptions(state, messages=messages)
    by_thread = {of_thread.thread.address: of_thread for of_thread in exceptions}
    errors: list[SoftError] = []
    for thread, thread_data in threads:
        of_thread = by_thread[thread.address]
        thread_data["exceptions"] = [
            raised_exception_json(raised) for raised in of_thread.all_raised()
        ]
        errors += of_thread.soft_errors
    crashed = exception_of_crashed_thread(state, exceptions)
    if crashed is None:
        return None, errors
    fields = raised_exception_json(crashed[1])
    fields.pop("chain")
    return {**fields, "tid": crashed[0].thread.tid}, errors


def merged_stack_json(
    stack: MergedStack, callees: Mapping[int, Callee] | None = None
) -> list[dict[str, Any]]:
    """Return a merged stack, innermost first; each frame has a `language`.

    `placed_by` of a Python frame says what its place among the native frames is based on, null when
    it is not known; `eval_loop` of a native frame that it runs the Python frames that follow it.
    `calls` is the C function that a Python frame was calling; the key is absent when none is known.
    """
    by_frame = callees or {}
    merged: list[dict[str, Any]] = []
    for frame in stack.frames:
        if frame.python is not None:
            placed = {"placed_by": frame.evidence or None}
            frame_data = {"language": "python", **frame_json(frame.python), **placed}
            callee = by_frame.get(frame.python.address)
            merged.append(
                frame_data if callee is None else {**frame_data, "calls": callee._asdict()}
            )
        elif frame.native is not None:
            native = frame.native._asdict()
            if frame.native.pyx is None:
                del native["pyx"], native["pyx_line"]
            native["pc"] = f"0x{frame.native.pc:016x}"
            native["sp"] = f"0x{frame.native.sp:016x}"
            merged.append({"language": "native", **native, "eval_loop": bool(frame.evidence)})
    return merged


def add_called_functions(
    threads: Sequence[ThreadState],
    threads_data: Sequence[dict[str, Any]],
    callees: Mapping[int, Mapping[int, Callee]],
) -> None:
    """Put `calls` into the frames of the threads in stacks_json(): what each frame was calling.

    `data` describes `threads` in the same order; `callees` are ProcessState.callees() by tid. The
    key is absent where none is known.
    """
    for thread, thread_data in zip(threads, threads_data, strict=True):
        by_frame = callees.get(thread.tid or 0, {})
        for frame, frame_data in zip(thread.frames, thread_data["frames"], strict=True):
            if frame.address in by_frame:
                frame_data["calls"] = by_frame[frame.address]._asdict()


def thread_states_of_stacks_json(
    state: ProcessState, tids: Collection[int] | None
) -> list[ThreadState]:
    """Return the thread states that stacks_json() describes, in its order."""
    return [t for t in state.python_threads() if tids is None or t.tid in tids]


def frame_variables_reader(
    state: ProcessState, limits: ReprLimits | None = None
) -> FrameVariables | Absent:
    """Return the reader of arguments and locals. Absent when there is no Python."""
    python = state.python
    if not isinstance(python, PythonState):
        return python
    from gdb_epi.cpython.values.process_values import get_process_values
    from gdb_epi.cpython.values.variables import FrameVariables

    return FrameVariables(get_process_values(state.target, python, limits))


def note_secrets_in_variables(state: ProcessState) -> None:
    """Learn what the names of variables say is secret, before other texts of the process."""
    variables = frame_variables_reader(state)
    if not isinstance(variables, Absent):
        variables.note_secrets()


def _add_locals(
    state: ProcessState,
    stacks: Iterable[tuple[str, Sequence[PyFrame], list[dict[str, Any]]]],
    *,
    secrets: bool,
) -> list[SoftError]:
    """Put `locals` and `variables` into the frames; return what could not be read.

    A stack has the thread's number or the task's name, its frames, and what stacks_json() has of
    them.
    """
    from gdb_epi.cpython.values.repr_decoder import ReprLimits

    reader = frame_variables_reader(state, ReprLimits(secrets=secrets))
    if isinstance(reader, Absent):
        return [SoftError("locals", "all threads", reader.detail)]
    errors = []
    for name, frames, frames_data in stacks:
        for frame, frame_data in zip(frames, frames_data, strict=True):
            variables = reader.variables_of_frame(frame)
            if not isinstance(variables, Absent):
                frame_data.update(locals_json(variables))
            elif frame.hole is None:
                errors.append(SoftError("locals", f"{frame.name} ({name})", variables.detail))
    return errors[:MAX_LOCALS_ERRORS]


def locals_json(variables: list[Variable]) -> dict[str, Any]:
    """Return the texts by name, and what is known about each variable beside its text."""
    texts: dict[str, str] = {}
    facts = []
    for variable in variables:
        texts.setdefault(variable.name, variable.text_with_attributes())
        facts.append(
            pick_attributes(variable, "name", "kind", "type", "cut") | {"exact": variable.exact}
        )
    return {"locals": texts, "variables": facts}


def task_wait_json(waits: UnfinishedTask | None) -> dict[str, Any] | None:
    """Return what a task or greenlet waits for; null when it runs or when it is unknown."""
    if waits is None or waits.wait is None:
        return None
    wait = waits.wait
    return {
        "kind": wait.kind,
        "object": f"0x{wait.address:016x}" if wait.address else None,
        "class": wait.type or None,
        "name": wait.name or None,
        "in": wait.place or None,
        "seconds": wait.seconds,
        "remaining": wait.remaining,
        "fd": wait.fd,
        "wakers": [f"0x{address:016x}" for address in waits.wakers],
        "needs": waits.needs,
        "known": waits.certainty,
    }


def task_json(task: Task, waits: UnfinishedTask | None = None) -> dict[str, Any]:
    """Return one task; its stack is innermost first. What could not be had is null."""
    return {
        "framework": task.framework,
        "name": None if isinstance(task.name, Absent) else task.name,
        "coro": None if isinstance(task.coro, Absent) else task.coro,
        "state": None if isinstance(task.state, Absent) else task.state,
        "failure": task.failure or None,
        "running": task.running,
        "tid": task.tid,
        "awaits": task.awaits or None,
        "awaited_by": [f"0x{address:016x}" for address in task.awaited_by],
        "loop": f"0x{task.loop:016x}" if task.loop else None,
        "kind": task.kind,
        "interpreter": task.interpreter,
        "address": f"0x{task.address:016x}",
        "cancelled": task.cancelled,
        "system": task.system,
        "waits_for": task_wait_json(waits),
        "holds": [f"0x{address:016x}" for address in waits.holds] if waits else [],
        "stack": [frame_json(frame) for frame in task.stack],
    }


def read_tasks_and_waits(state: ProcessState) -> tuple[Tasks, dict[int, UnfinishedTask]]:
    """Return the tasks of asyncio and trio, and by address what each waits for.

    None when there is no Python. The code that reads waits is imported only if there are tasks.
    """
    from gdb_epi.cpython.running.tasks import (
        TRIO_MODULE,
        Tasks,
        is_module_imported,
        read_asyncio_tasks,
    )

    python = state.python
    if not isinstance(python, PythonState):
        return Tasks((), ()), {}
    tasks, errors = read_asyncio_tasks(state.target, python)
    if is_module_imported(state.target, python, TRIO_MODULE):
        from gdb_epi.cpython.running.trio_tasks import read_trio_tasks

        of_trio = read_trio_tasks(state.target, python)
        tasks, errors = (*tasks, *of_trio.tasks), (*errors, *of_trio.soft_errors)
    if not tasks:
        return Tasks(tasks, errors), {}
    from gdb_epi.cpython.running.unfinished_tasks import read_task_waits

    waits = {waits.id: waits for waits in read_task_waits(state.target, python, tasks)}
    return Tasks(tasks, errors), waits


def stacks_json(
    state: ProcessState,
    *,
    locals: bool = False,
    secrets: bool = False,
    messages: bool = False,
    tids: Collection[int] | None = None,
) -> dict[str, Any]:
    """Return every thread's Python stack, the GIL holder, and what could not be read.

    `locals` adds the values of arguments and locals, `messages` exceptions' texts; neither ever
    goes into a record. Values that names say are secret are masked without `secrets`. `tids` limits
    the threads.
    """
    errors = list(state.all_soft_errors())
    python = state.python
    if isinstance(python, Absent):
        errors.append(SoftError("python", "runtime", python.detail))
    shown = thread_states_of_stacks_json(state, tids)
    threads = [(thread, thread_json(thread)) for thread in shown]
    exception, missing = _add_exceptions(state, threads, messages=messages)
    errors += missing
    tasks, waits = read_tasks_and_waits(state)
    errors += tasks.soft_errors
    tasks_data = [task_json(task, waits.get(task.address)) for task in tasks.tasks]
    if locals:
        stacks = [(str(thread.tid), thread.frames, data["frames"]) for thread, data in threads]
        stacks += [
            (str(data["name"]), task.stack, data["stack"])
            for task, data in zip(tasks.tasks[:MAX_TASKS_WITH_LOCALS], tasks_data, strict=False)
        ]
        errors += _add_locals(state, stacks, secrets=secrets)
    masked = python.searched if isinstance(python, PythonState) else None
    if locals and not secrets and masked is not None and masked.masked is not None:
        from gdb_epi.record.redact import map_texts

        # What was shown before a name told that it is a secret.
        for frame in (frame for _, _, frames in stacks for frame in frames if "locals" in frame):
            frame["locals"] = map_texts(frame["locals"], masked.masked.mask_secrets_in)
    return {
        "threads": [thread_data for _, thread_data in threads],
        "gil_holder": python.gil_holder if isinstance(python, PythonState) else None,
        "exception": exception,
        "tasks": tasks_data,
        "python": python.version if isinstance(python, PythonState) else None,
        "soft_errors": [error._asdict() for error in errors],
    }
