# SPDX-License-Identifier: Apache-2.0
"""Native code that used Python where it must not: without GIL, in a handler, without interpreter.

There is none after the end of Python, mostly: then no thread state can be had either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.runtime.gil import read_gil
from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, failure_and_frames
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.account import ABORTED, ACCESS, PROTECTION, TRANSFER
from gdb_epi.fault.address_place import LOW, NULL, NULL_BASE
from gdb_epi.fault.own_native_code import (
    AT_FAULT,
    ENSURE,
    EXITS,
    LINE,
    PROGRAM,
    facts_of_file_at_fault,
    function_and_file,
    function_source_name,
    is_interpreter_frame,
    is_own_library,
    own_library_names_of_frames,
)
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import FOREIGN_CALLS, NativeFrame

# Functions that may run without the GIL, by the beginning of their names: they take it, give it
# back, or do not touch objects (Doc/c-api/init.rst, memory.rst, 3.8 to 3.15).
_ALLOWED = (
    "PyEval_RestoreThread", "PyEval_SaveThread", "PyEval_AcquireThread", "PyEval_ReleaseThread",
    "_PyEval_", "PyEval_InitThreads", "PyGILState_", "PyThread", "_PyThread", "PyMem_Raw",
    "_PyMem_Raw", "_PyMem_DebugRaw", "PyInterpreterState_", "_PyInterpreterState_", "_PyRuntime",
    "_PyMutex", "PyMutex", "_PyParkingLot", "_PySemaphore", "_PyTime", "PyTime", "PyLock",
    "Py_Initialize", "Py_Finalize", "Py_BytesMain", "Py_RunMain", "Py_Main", "Py_Exit",
    "_Py_HandlePending", "_PyOS_", "PyOS_", "Py_AddPendingCall", "_Py_DumpTraceback",
    "_Py_FatalError", "Py_FatalError", "_PyFaulthandler", "PyConfig", "_PyConfig", "PyPreConfig",
    "_PySignal", "PyErr_SetInterrupt", "Py_EnterRecursive", "_Py_write", "_Py_read",
)  # fmt: skip
# Those that run code of other modules, which may give the GIL back, without the underscore.
_CALLING = (
    "PyObject_Call", "PyObject_Vectorcall", "PyObject_Make", "PyObject_Fast", "PyCFunction",
    "PyVectorcall", "PyMethod", "PyFunction", "PyEval", "PyRun", "PyImport", "PyFile", "PyIter",
    "PyGen", "PyCoro", "PyContext", "PyObject_Generic", "PyObject_GetAttr", "PyObject_SetAttr",
    "Py_Decref", "Py_DecRef", "Py_Dealloc", "PyGC", "PySys", "PyCodec", "PyErr_Print", "PyErr_Disp",
)  # fmt: skip
# They read the thread's own state, which is NULL without the GIL, and call nothing.
_GETTERS = frozenset(
    ("PyInterpreterState_GET", "PyThreadState_GET", "PyRuntimeState_GetThreadState")
)
# Steps of a call that push its frame on the stack of the thread's state, which is NULL without the
# GIL: who called is looked for outward of them (Python/ceval.c, pycore_frame.h, 3.11 to 3.15).
_PUSHING = frozenset((
    "PyThreadState_HasStackSpace", "PyThreadState_BumpFramePointer", "PyThreadState_PushFrame",
    "PyEvalFramePushAndInit", "PyEval_Vector", "PyEval_EvalFrame",
))  # fmt: skip
_LIBC = ("libc.so.", "libc-2.", "ld-linux")
MAX_FRAMES = 32
MAX_INNER = 6  # functions of the interpreter below PyGILState_Ensure


@detector("without_gil", needs="python", supports=SupportedLabel("software", "without-gil"))
def without_gil(state: ProcessState) -> Iterator[Finding]:
    """Find a crash inside a function of the C-API in a thread that does not hold the GIL.

    Innocent causes: functions that need no GIL, which are listed here by name; a thread that waits
    for the GIL or gives it back stands in such ones. Not asked of free-threaded builds. Absent
    without native frames, and where the GIL cannot be read.
    Reference: Python/ceval_gil.c (struct _gil_runtime_state), Doc/c-api/init.rst.
    """
    account, python = state.fault_account, state.python
    if isinstance(account, Absent) or account.how not in (ACCESS, TRANSFER):
        return
    if not isinstance(python, PythonState):
        return
    tid = account.fault.tid
    if python.finalizing or python.gil_holder == tid or not _lacks_gil(state, python, tid):
        return
    frames = state.target.native_frames(tid)
    if isinstance(frames, Absent):
        return
    inside = _innermost_function_needing_gil(frames)
    if inside is None and account.place.kind in (NULL, LOW, NULL_BASE):
        inside = _api_called_without_state(frames)
    if inside is None:
        return
    number, function = inside
    function = _outermost_api_function(frames[number:MAX_FRAMES]) or function
    by = own_library_names_of_frames(frames[number:MAX_FRAMES])
    holder = python.gil_holder
    who = f"thread {holder} holds it" if holder is not None else "nobody holds it"
    own = (f for f in frames[number:MAX_FRAMES] if by and f.module_name == by[0])
    first = next((f for f in own if f.function), None)
    caller = f"; {by[0]} is on the stack" if by else ""
    if first is not None:
        caller = f"; {function_and_file(first)} called it and has to take the GIL before"
    outward = [frame.module_name for frame in frames[number + 1 : number + 3]]
    by_ctypes = any(name.startswith(FOREIGN_CALLS) for name in outward)
    if by_ctypes:
        caller = "; ctypes.CDLL gives it back while it calls, ctypes.pythonapi does not"
    facts: dict[str, object] = {"function": function, "gil_holder": holder, "modules": by[:4]}
    if by_ctypes:
        facts |= {"by_ctypes": True, AT_FAULT: LINE}
    elif by:
        facts |= facts_of_file_at_fault(by[0])
    summary = f"{function} was called without holding the GIL, Python's lock: {who}{caller}"
    yield Finding("without_gil", f"thread {tid}", facts, summary)


def _lacks_gil(state: ProcessState, python: PythonState, tid: int) -> bool:
    """Tell whether the words of every GIL that this thread may need say that it does not hold it.

    From 3.12 on an interpreter may have a GIL of its own; a thread without a state may need any.
    """
    reader = MemoryReader(state.target, python.layout)
    mine = [i for i in python.interpreters if any(t.tid == tid for t in i.threads)]
    for interpreter in mine or python.interpreters:
        try:
            gil = read_gil(reader, python.runtime, interpreter.address)
        except (UnreadableMemory, LayoutError):
            return False
        if gil is None or not gil.enabled:
            return False
        if any(t.address == gil.holder and t.tid == tid for t in interpreter.threads):
            return False
    return bool(python.interpreters)


def _innermost_function_needing_gil(frames: Sequence[NativeFrame]) -> tuple[int, str] | None:
    """Return the innermost function that needs the GIL, if nothing but libc lies inward of it.

    What has no name in a stripped interpreter, and static functions in others, belong to the
    function of the API that called them, if other code called that, and if that one calls no
    functions of its caller's choice, which may give the GIL back. What is inlined is part of the
    function that it is in.
    """
    nameless = False
    for number, frame in enumerate(frames[:MAX_FRAMES]):
        name = frame.function or ""
        if frame.module_name.startswith(_LIBC):
            continue
        plain = name.removeprefix("_")
        of_api = _is_api_name(name)
        inlined = frame.kind == "inline"
        if is_interpreter_frame(frame) and (plain in _PUSHING or (inlined and not of_api)):
            continue
        if is_interpreter_frame(frame) and (not of_api or plain in _GETTERS):
            nameless = True
            continue
        if not of_api:
            return None
        if nameless and (
            plain.startswith(_CALLING) or not _has_caller_outside_interpreter(frames, number)
        ):
            return None
        return None if name.startswith(_ALLOWED) else (number, name)
    return None


def _api_called_without_state(frames: Sequence[NativeFrame]) -> tuple[int, str] | None:
    """Return the function of the API that other code called, where a getter met a state of NULL.

    What ran in between does not matter: the thread had no state when the getter read it, and code
    of the interpreter that gives the GIL back takes it again before it goes on.
    """
    if not frames or (frames[0].function or "").removeprefix("_") not in _GETTERS:
        return None
    inner = 0
    while inner < len(frames[:MAX_FRAMES]) and is_interpreter_frame(frames[inner]):
        inner += 1
    name = frames[inner - 1].function or "" if inner else ""
    plain = name.removeprefix("_")
    outside = inner > 0 and _has_caller_outside_interpreter(frames, inner - 1)
    if not plain.startswith("Py") or name.startswith(_ALLOWED) or not outside:
        return None
    return inner - 1, name


def _outermost_api_function(frames: Sequence[NativeFrame]) -> str | None:
    """Return the function of the API that other code called, by the frames from an inner one on.

    Python code may have run in between. None where the caller is not seen.
    """
    called = None
    for frame in frames:
        name = frame.function or ""
        if not is_interpreter_frame(frame):
            return called
        if _is_api_name(name) and frame.kind != "inline" and not name.startswith(_ALLOWED):
            called = name
    return None


def _is_api_name(name: str) -> bool:
    plain = name.removeprefix("_")
    return plain.startswith("Py") and (plain[2:3].isupper() or plain[2:3] == "_")


def _has_caller_outside_interpreter(frames: Sequence[NativeFrame], number: int) -> bool:
    return number + 1 < len(frames) and not is_interpreter_frame(frames[number + 1])


@detector(
    "python_in_handler",
    needs="python",
    supports=SupportedLabel("software", "unsafe-handler", root=True),
)
def python_in_handler(state: ProcessState) -> Iterator[Finding]:
    """Find a crash in Python code that a handler of a signal called by itself.

    Innocent causes: handlers of signal.signal(), which Python calls later, between two of its
    instructions; handlers of Python's own (faulthandler) and of the C library, which call no Python
    code. Not said where the handler interrupted neither the interpreter nor the C library.
    Reference: signal-safety(7); Python/ceval.c and Objects/obmalloc.c are not reentrant.
    """
    failure = failure_and_frames(state, ABORTED, ACCESS, PROTECTION, TRANSFER)
    if failure is None:
        return
    frames = [frame for frame in failure[1] if frame.kind != "inline"]
    kinds = [frame.kind for frame in frames]
    at = kinds.index("signal") if "signal" in kinds else 0
    if not at or at + 1 == len(frames) or not any(map(is_interpreter_frame, frames[:at])):
        return
    handler, interrupted = frames[at - 1], frames[at + 1]
    foreign = handler.module is None or handler.module_name.startswith(FOREIGN_CALLS)
    stopped = is_interpreter_frame(interrupted) or not is_own_library(interrupted.module or "")
    if not (foreign or is_own_library(handler.module or "")) or not stopped:
        return
    who = "a function of Python's" if foreign else function_and_file(handler)
    where = function_and_file(interrupted)
    summary = (
        f"{who}, a signal handler of native code, ran Python code after it had interrupted "
        f"{where}: it must not, as Python's data may be half changed then"
    )
    facts: dict[str, object] = {"handler": who, "interrupted": where}
    facts |= {AT_FAULT: PROGRAM} if foreign else facts_of_file_at_fault(handler.module_name)
    yield Finding("python_in_handler", f"thread {failure[0].fault.tid}", facts, summary)


@detector("no_interpreter", needs="crash")
def no_interpreter(state: ProcessState) -> Iterator[Finding]:
    """Find a NULL interpreter used inside PyGILState_Ensure, which code of others called.

    That function makes a thread state of the interpreter that Py_Initialize() stored, and
    Py_Finalize() takes that away. Innocent causes: an access elsewhere than near NULL, another
    function of the interpreter that called it. Whether Python has ended or not begun is told only
    where the stack shows that the process exits.
    Reference: Python/pystate.c, PyGILState_Ensure and _PyGILState_Fini; Doc/c-api/init.rst.
    """
    failure = failure_and_frames(state, ACCESS)
    if failure is None:
        return
    account, frames = failure
    if account.place.kind not in (NULL, LOW, NULL_BASE):
        return
    caller = _frame_number_calling_gilstate_ensure(frames)
    if caller is None:
        return
    by = function_and_file(frames[caller])
    exits = any(function_source_name(frame) in EXITS for frame in frames[caller:MAX_FRAMES])
    ended = "the process exits and Python has ended already"
    when = ended if exits else "Python has ended, or has not begun"
    facts = {"function": ENSURE, "caller": by, "exits": exits}
    summary = f"{by} called {ENSURE}, which found no interpreter: {when}"
    yield Finding("no_interpreter", f"thread {account.fault.tid}", facts, summary)


def _frame_number_calling_gilstate_ensure(frames: Sequence[NativeFrame]) -> int | None:
    """Return the place of the frame that called PyGILState_Ensure, if nothing else lies inward."""
    for number, frame in enumerate(frames[:MAX_INNER]):
        if not is_interpreter_frame(frame):
            return None
        if function_source_name(frame) == ENSURE:
            after = number + 1
            outside = after < len(frames) and not is_interpreter_frame(frames[after])
            return after if outside else None
    return None
