# SPDX-License-Identifier: Apache-2.0
"""Py_FatalError() and its relatives: CPython found a state in which it cannot go on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, failure_and_frames
from gdb_epi.detectors.runtimes.aborts import CONVERSION
from gdb_epi.fault.account import ABORTED
from gdb_epi.fault.instructions import constant_arguments, constant_text
from gdb_epi.fault.own_native_code import (
    AT_FAULT,
    CALLERS,
    LINE,
    PROGRAM,
    facts_of_file_at_fault,
    function_and_file,
    function_source_name,
    is_interpreter_frame,
    is_own_library,
)
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import NativeFrame, Target
from gdb_epi.target.cfi import Unwinder
from gdb_epi.target.function_bounds import FunctionBounds

# The register that holds the reason at a call of each (Python/pylifecycle.c, Objects/object.c, 3.8
# to 3.15). Py_FatalError(message) is a macro for _Py_FatalErrorFunc(function, message) since 3.9.
_REASON_IN = {
    "_Py_FatalErrorFunc": ("rsi",),
    "_Py_FatalErrorFormat": ("rsi",),
    "_Py_FatalRefcountErrorFunc": ("rsi",),
    "Py_FatalError": ("rdi",),
    "_PyObject_AssertFailed": ("rdx", "rsi"),
    "_Py_NegativeRefcount": (),
}
_INNER = frozenset((*_REASON_IN, "fatal_error", "fatal_error_exit", "_Py_CheckRecursiveCall"))
# Words of the reason, or of a function on the way, and the kind that they show.
_KINDS = (
    ("without-gil", ("GIL", "tstate is NULL", "thread state", "tstate mix-up")),
    ("debug-allocator", ("bad leading pad", "bad trailing pad", "bad ID: Allocated")),
    ("refcount", ("negative refcount", "ref count", "refcnt", "_Py_NegativeRefcount",
                  "deallocated")),
    ("gc-state", ("already tracked", "not tracked", "GC object")),
    ("recursion", ("stack overflow", "recursion", "_Py_CheckRecursiveCall")),
    ("no-memory", ("out of memory", "no memory", "can't allocate", "Can't allocate",
                   "memory exhausted")),
)  # fmt: skip
_MEANINGS = {
    "without-gil": " used Python without holding the GIL, or without a thread state",
    "debug-allocator": "; bytes beside a block were overwritten: the block says which one, not who",
    "refcount": "; code released an object more often than it owned it, or its memory was damaged",
    "gc-state": "; an object was given to the collector twice, or was used before it was complete",
    "recursion": "",
    "no-memory": "",
    "other": "",
}
# Checks that stand between the fatal error and the function whose call was wrong.
_CHECKS = frozenset((
    "_Py_FatalError_TstateNULL", "_Py_EnsureFuncTstateNotNULL", "_Py_EnsureTstateNotNULL",
    "_PyMem_DebugCheckGIL", "_PyMem_DebugCheckAddress", "_Py_CheckFunctionResult",
))  # fmt: skip
_OTHER_API = "; a block was released by another API than it is from, or its head overwritten"
# 3.8 and 3.9 raise RecursionError once, and end the process 50 calls deeper (Python/ceval.c).
_CALLED_ON = "; code that handled a RecursionError went on to call deeper"
MAX_FRAMES = 32


@detector(
    "python_fatal_error",
    needs="crash",
    supports=SupportedLabel("software", "failed-check", counted_by="kind"),
)
def python_fatal_error(state: ProcessState) -> Iterator[Finding]:
    """Find a fatal error of CPython on the stack of an abort, and the reason that it gave.

    The reason is a constant of CPython or an extension, no data: where it lies is read from the
    code that called it, or from what the frame of that code still holds. Innocent causes: this is
    itself the ordinary explanation; kinds that say that memory was found damaged do not say by
    whom. Absent without native frames, which need GDB.
    Reference: Python/pylifecycle.c (fatal_error), Objects/object.c (_PyObject_AssertFailed).
    """
    failure = failure_and_frames(state, ABORTED)
    if failure is None:
        return
    account, frames = failure
    gave_up = find_fatal_error_frame_and_reason(state.target, frames, account.fault.registers)
    if gave_up is None:
        return
    number, reason, kind = gave_up
    name, own = str(frames[number].function), frames[number].module
    outward = [f for f in frames[number + 1 : MAX_FRAMES] if f.function not in _CHECKS]
    caller = outward[0] if outward else None
    by = function_source_name(caller) if caller is not None else None
    why = (
        f": {reason}"
        if reason
        else "; its reason is on standard error, and no constant of the code that gave it"
    )
    if caller is not None and caller.module != own:
        who = f"{function_and_file(caller)} ended the process by Py_FatalError"
    else:
        who = f"CPython gave up in {by or name}"
    called_in = next((f for f in outward if not is_interpreter_frame(f)), None)
    if kind != "without-gil" and caller is not called_in:
        called_in = None  # CPython gave up by itself
    meaning = _OTHER_API if (reason or "").startswith("bad ID") else _MEANINGS[kind]
    meaning = _CALLED_ON if (reason or "").startswith("Cannot recover from") else meaning
    if kind == "without-gil":
        is_own = called_in is not None and is_own_library(called_in.module or "")
        meaning = f"; {called_in.module_name if called_in and is_own else 'code'}{meaning}"
    summary = f"{who}{why}{meaning}"
    facts: dict[str, object] = {"kind": kind, "entry": name, "function": by, "reason": reason}
    facts["no_gil"] = kind == "without-gil" and "GIL" in (reason or "")
    if "daemon threads" in (reason or ""):
        facts |= {"daemon_threads": True, AT_FAULT: PROGRAM}
    elif kind == "recursion" or (
        called_in is not None and called_in.module_name.startswith(CALLERS)
    ):
        facts[AT_FAULT] = LINE
    elif called_in is not None and is_own_library(called_in.module or ""):
        facts |= facts_of_file_at_fault(called_in.module_name)
    yield Finding("python_fatal_error", f"thread {account.fault.tid}", facts, summary)


def find_fatal_error_frame_and_reason(
    target: Target, frames: Sequence[NativeFrame], registers: Mapping[str, int]
) -> tuple[int, str | None, str] | None:
    """Return the number of the outermost function of the fatal error's own, the reason, its kind.

    None without a fatal error on the stack. `registers` are those of the innermost frame.
    """
    last = None
    for number, frame in enumerate(frames[:MAX_FRAMES]):
        if frame.function in _INNER:
            last = number
        elif last is not None:
            break
    if last is None:
        return None
    while last + 1 < len(frames) and frames[last + 1].function == frames[last].function:
        last += 1
    name = str(frames[last].function)
    told = next((n for n in range(last, -1, -1) if frames[n].function in _REASON_IN), last)
    caller = frames[told + 1] if told + 1 < len(frames) else None
    reason = _fatal_error_reason(target, str(frames[told].function), caller, registers)
    around = " ".join(frame.function or "" for frame in frames[:MAX_FRAMES])
    return last, reason, _kind_of_fatal_error(f"{reason or ''} {name}", around)


def _fatal_error_reason(
    target: Target, entry: str, caller: NativeFrame | None, registers: Mapping[str, int]
) -> str | None:
    """Return what the caller gave as the reason: constant text, whose address its code tells.

    Or its frame, where it was chosen before: then `registers`, those of the innermost frame.
    """
    if caller is None:
        return None
    reason = None
    for is_of_frame in (False, True):
        of_caller = _registers_of_frame_at(target, caller.pc, registers) if is_of_frame else None
        arguments = constant_arguments(target, caller.pc, of_caller)
        values = (arguments.get(name, 0) for name in _REASON_IN.get(entry, ()))
        reason = next((text for text in (constant_text(target, at) for at in values) if text), None)
        if reason is not None:
            break
    if reason is None:
        return None
    # What was to be filled in (_Py_FatalErrorFormat) is no constant.
    filled = re.sub(CONVERSION, lambda match: "%" if match[2] == "%" else "?", reason)
    return filled.replace(" for ? ", " ").removesuffix(".")


def _registers_of_frame_at(
    target: Target, pc: int, registers: Mapping[str, int]
) -> Mapping[str, int] | None:
    """Return the registers of the frame that goes on at an address; None where it is not seen."""
    walk = islice(Unwinder(target, FunctionBounds(target)).walk(registers), MAX_FRAMES)
    return next((frame.registers for frame in walk if frame.pc == pc), None)


def _kind_of_fatal_error(message: str, around: str) -> str:
    for kind, words in _KINDS:
        if any(word in message for word in words):
            return kind
    return "debug-allocator" if "_PyMem_DebugCheckAddress" in around else "other"
