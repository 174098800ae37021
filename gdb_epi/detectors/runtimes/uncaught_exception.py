# SPDX-License-Identifier: Apache-2.0
"""A C++ exception that nobody caught, or that left a noexcept function."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, SpeaksFor, detector
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ABORTED
from gdb_epi.fault.cxx_exception import exception_type, terminating_frame, thrower
from gdb_epi.fault.native_code import function_and_file
from gdb_epi.process_state import ProcessState

NO_MEMORY = "std::bad_alloc"


@detector(
    "uncaught_exception",
    needs="crash",
    speaks_for=SpeaksFor("software", "failed-check", by="kind"),
)
def uncaught_exception(state: ProcessState) -> Iterator[Finding]:
    """Find std::terminate() on the stack, the exception's type and the function that threw.

    Innocent causes: this is itself the ordinary explanation. Of std::bad_alloc the category says
    that memory ran out. Absent without native frames, which need GDB. The text of the exception
    is data of the program and stays in the core.
    Reference: Itanium C++ ABI, "Exception Handling"; GCC 12 libstdc++-v3/libsupc++.
    """
    account = state.account
    if isinstance(account, Absent) or account.how != ABORTED:
        return
    frames = state.target.native_frames(account.fault.tid)
    if isinstance(frames, Absent) or terminating_frame(frames) is None:
        return
    thrown, by = exception_type(state.target, frames), thrower(frames)
    place = function_and_file(by) if by is not None else None
    if thrown is None and by is None:
        what, kind = "std::terminate() was called, and no exception is on the stack", "terminate"
    else:
        of_type = f" of type {thrown}" if thrown else ", whose type cannot be read,"
        what = f"a C++ exception{of_type} was not caught"
        what += f"; {place} threw it" if place else ""
        kind = "info" if thrown == NO_MEMORY else "exception"
    facts = {"kind": kind, "type": thrown, "thrown_by": place}
    yield Finding("uncaught_exception", f"thread {account.fault.tid}", facts, what)
