# SPDX-License-Identifier: Apache-2.0
"""A C++ exception that nobody caught, or that left a noexcept function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, failure_and_frames
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ABORTED, FaultAccount
from gdb_epi.fault.cxx_exception import (
    LIBRARIES,
    evidence_of_terminate,
    exception_type,
    memory_words_of_exception,
    size_asked_of_operator_new,
    system_error_number,
    throwing_frame,
)
from gdb_epi.fault.own_native_code import function_and_file, function_readable_name
from gdb_epi.hangs.types import function_and_line
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import USER_TOP
from gdb_epi.target.api import NativeFrame, Target
from gdb_epi.target.function_bounds import FunctionBounds

NO_MEMORY, SYSTEM_ERROR = "std::bad_alloc", "std::system_error"
EAGAIN = 11
_OF_LIBRARY = ("std::", "__gnu_cxx::", "__cxa_", "_Unwind_")
_PURE_VIRTUAL = "__cxa_pure_virtual"
_THROWS = ("std::__throw", "__cxa_")
_THREADS = ("std::thread::~thread", "std::thread::operator=")
_STARTS_THREADS = ("libc.so", "libc-", "libpthread")
MAX_FRAMES = 64


@detector(
    "uncaught_exception",
    needs="crash",
    supports=SupportedLabel("software", "failed-check", counted_by="kind"),
)
def uncaught_exception(state: ProcessState) -> Iterator[Finding]:
    """Find std::terminate() on the stack, the exception's type and the function that threw.

    Innocent causes: this is itself the ordinary explanation. For std::bad_alloc the category says
    that memory ran out, but where more was asked for than a process can address. Absent without
    native frames, which need GDB. The text of the exception is data of the program and stays in the
    core. Reference: Itanium C++ ABI, "Exception Handling"; GCC 12 libstdc++-v3/libsupc++.
    """
    failure = failure_and_frames(state, ABORTED)
    if failure is None:
        return
    account, frames = failure
    if evidence_of_terminate(frames) is None:
        return
    thrown, by = exception_type(state.target, frames), throwing_frame(frames)
    place = function_and_file(by) if by is not None else None
    if thrown is None and by is None:
        what, kind = _why_terminated_without_exception(frames), "terminate"
    else:
        of_type = f" of type {thrown}" if thrown else ", whose type cannot be read,"
        what = f"a C++ exception{of_type} was not caught"
        what += _describe_python_exception(state, frames) + _describe_who_threw(frames, by)
        what += _describe_caller_without_unwind_table(state.target, frames, by)
        if thrown == SYSTEM_ERROR and system_error_number(state.target, frames) == EAGAIN:
            what += (
                f" with error {EAGAIN}, as where no more threads, or no memory for one, could be "
                "had (ulimit -u, ulimit -v, pids of a control group)"
            )
        kind = "info" if thrown == NO_MEMORY else "exception"
        if thrown == NO_MEMORY and was_impossible_size_asked_of_new(state, account):
            kind = "absurd-size"
            what += ". It had asked for more memory than any process can have: the size was wrong"
    lost = kind == "terminate" and any(map(_is_std_thread_function, frames[:MAX_FRAMES]))
    facts = {"kind": kind, "type": thrown, "thrown_by": place, "thread_lost": lost}
    yield Finding("uncaught_exception", f"thread {account.fault.tid}", facts, what)


def was_impossible_size_asked_of_new(state: ProcessState, account: FaultAccount) -> bool:
    """Tell whether operator new failed because no process can have as much as was asked for."""
    size = size_asked_of_operator_new(state.target, account.fault.registers)
    return size is not None and size >= USER_TOP


def _describe_python_exception(state: ProcessState, frames: Sequence[NativeFrame]) -> str:
    """Say which Python exception the C++ one stands for, and where that was raised."""
    if not isinstance(state.python, PythonState):
        return ""
    # Not at the start: every triage imports this file.
    from gdb_epi.cpython.running.exceptions import ExceptionDecoder
    from gdb_epi.cpython.running.tracebacks import Tracebacks

    decoder = ExceptionDecoder(state.target, state.python)
    words = list(memory_words_of_exception(state.target, frames))
    for raised, following in zip(map(decoder.exception, words), [*words[1:], 0], strict=True):
        if isinstance(raised.type, Absent):
            continue
        traceback = raised.traceback
        if isinstance(traceback, Absent):  # before 3.12 it is kept beside the exception
            traceback = Tracebacks(MemoryReader(state.target, state.python.layout)).traceback_at(
                following
            )
        lines = () if isinstance(traceback, Absent) else traceback.lines[-1:]
        where = "".join(f", raised at {function_and_line(x)}" for x in lines if not x.hole)
        return f"; it stands for the Python exception {raised.type}{where}"
    return ""


def _is_std_thread_function(frame: NativeFrame) -> bool:
    return (function_readable_name(frame) or "").startswith(_THREADS)


def _why_terminated_without_exception(frames: Sequence[NativeFrame]) -> str:
    """Say why std::terminate() was called where no exception is on the stack."""
    for number, frame in enumerate(frames[:MAX_FRAMES]):
        if _is_std_thread_function(frame):
            owner = _innermost_outside_cxx_library(frames[number:])
            where = f" in {function_and_file(owner)}" if owner is not None else ""
            return (
                f"a std::thread was destroyed or assigned to{where} while it was neither joined "
                "nor detached"
            )
        if frame.function == _PURE_VIRTUAL:
            caller = _innermost_outside_cxx_library(frames[number + 1 :])
            who = "something" if caller is None else function_and_file(caller)
            return (
                f"{who} called a virtual function that has no code: the object's constructor had "
                "not come that far, or its destructor had ended"
            )
    for inner, outer in pairwise(frames[:MAX_FRAMES]):
        called = (function_readable_name(inner) or "").startswith("std::terminate")
        if called and not outer.module_name.startswith(LIBRARIES):
            return (
                f"{function_and_file(outer)} called std::terminate(): compilers put that where an "
                "exception must not get further, at the end of functions that are noexcept"
            )
    return "std::terminate() was called, and no exception is on the stack"


def _describe_who_threw(frames: Sequence[NativeFrame], by: NativeFrame | None) -> str:
    """Say who threw; of a template of the C++ library also who had called it."""
    if by is None:
        return ""
    place = function_and_file(by)
    inner = frames[max(0, frames.index(by) - 1)]
    name = function_readable_name(inner) or ""
    if "libstdc++" in inner.module_name and name and not name.startswith(_THROWS):
        return f"; {name}, called by {place}, threw it"
    owner = _innermost_outside_cxx_library(frames[frames.index(by) :])
    if owner is None or owner == by or owner.module_name.startswith(_STARTS_THREADS):
        return f"; {place} threw it"
    return f"; {function_readable_name(by) or place} threw it, for {function_and_file(owner)}"


def _describe_caller_without_unwind_table(
    target: Target, frames: Sequence[NativeFrame], by: NativeFrame | None
) -> str:
    """Name the caller whose code has no unwind table: no exception gets past it to a catch."""
    bounds = FunctionBounds(target)
    callers = frames[frames.index(by) : MAX_FRAMES] if by is not None else ()
    wall = next(
        (f for f in callers if f.kind == "normal" and bounds.lacks_unwind_table(f.pc - 1)), None
    )
    if wall is None:
        return ""
    return f"; it could not get past {function_and_file(wall)}, which has no unwind tables"


def _innermost_outside_cxx_library(frames: Sequence[NativeFrame]) -> NativeFrame | None:
    """Return the innermost function that is no template or helper of the C++ library."""
    named = ((frame, function_readable_name(frame)) for frame in frames[:MAX_FRAMES])
    return next((f for f, name in named if name and not name.startswith(_OF_LIBRARY)), None)
