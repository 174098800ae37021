# SPDX-License-Identifier: Apache-2.0
"""A signal handler of native code called Python."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, frames_of_failure
from gdb_epi.fault.account import ABORTED, ACCESS, PROTECTION, TRANSFER
from gdb_epi.fault.own_native_code import (
    AT_FAULT,
    PROGRAM,
    at_fault_in,
    function_and_file,
    is_interpreter_frame,
    is_own_library,
)
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import FOREIGN_CALLS


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
    failure = frames_of_failure(state, ABORTED, ACCESS, PROTECTION, TRANSFER)
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
    facts |= {AT_FAULT: PROGRAM} if foreign else at_fault_in(handler.module_name)
    yield Finding("python_in_handler", f"thread {failure[0].fault.tid}", facts, summary)
