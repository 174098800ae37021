# SPDX-License-Identifier: Apache-2.0
"""Native code asked for a thread state of Python where no interpreter is: after the end, mostly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.detectors.registry import Finding, detector, frames_of_failure
from gdb_epi.fault.account import ACCESS
from gdb_epi.fault.address_place import LOW, NULL, NULL_BASE
from gdb_epi.fault.own_native_code import (
    ENSURE,
    EXITS,
    function_and_file,
    function_source_name,
    is_interpreter_frame,
)
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import NativeFrame

MAX_INNER = 6  # functions of the interpreter below PyGILState_Ensure
MAX_FRAMES = 32


@detector("no_interpreter", needs="crash")
def no_interpreter(state: ProcessState) -> Iterator[Finding]:
    """Find a NULL interpreter used inside PyGILState_Ensure, which code of others called.

    That function makes a thread state of the interpreter that Py_Initialize() stored, and
    Py_Finalize() takes that away. Innocent causes: an access elsewhere than near NULL, another
    function of the interpreter that called it. Whether Python has ended or not begun is told only
    where the stack shows that the process exits.
    Reference: Python/pystate.c, PyGILState_Ensure and _PyGILState_Fini; Doc/c-api/init.rst.
    """
    failure = frames_of_failure(state, ACCESS)
    if failure is None:
        return
    account, frames = failure
    if account.place.kind not in (NULL, LOW, NULL_BASE):
        return
    caller = _caller_of_ensure(frames)
    if caller is None:
        return
    by = function_and_file(frames[caller])
    exits = any(function_source_name(frame) in EXITS for frame in frames[caller:MAX_FRAMES])
    ended = "the process exits and Python has ended already"
    when = ended if exits else "Python has ended, or has not begun"
    facts = {"function": ENSURE, "caller": by, "exits": exits}
    summary = f"{by} called {ENSURE}, which found no interpreter: {when}"
    yield Finding("no_interpreter", f"thread {account.fault.tid}", facts, summary)


def _caller_of_ensure(frames: Sequence[NativeFrame]) -> int | None:
    """Return the place of the frame that called PyGILState_Ensure, if nothing else lies inward."""
    for number, frame in enumerate(frames[:MAX_INNER]):
        if not is_interpreter_frame(frame):
            return None
        if function_source_name(frame) == ENSURE:
            after = number + 1
            outside = after < len(frames) and not is_interpreter_frame(frames[after])
            return after if outside else None
    return None
