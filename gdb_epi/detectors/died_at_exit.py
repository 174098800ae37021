# SPDX-License-Identifier: Apache-2.0
"""A crash while the process or its Python ends: something was used after it was released."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, failure_and_frames
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ACCESS, TRANSFER
from gdb_epi.fault.own_native_code import (
    AT_FAULT,
    ENSURE,
    EXITS,
    PROGRAM,
    facts_of_file_at_fault,
    function_and_file,
    function_source_name,
    is_interpreter_frame,
    is_of_installed_package,
    own_library_names_of_frames,
)
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import FOREIGN_CALLS, NativeFrame

MAX_FRAMES = 96
MAX_THREADS = 64  # other threads that are looked at
_LOADER = ("libc.so.", "libc-2.", "ld-linux", "libstdc++", "ld-musl")
INSIDE, BESIDE, FINALIZING = "inside", "beside", "finalizing"
_FINALIZES = frozenset(("Py_FinalizeEx", "Py_Finalize", "_Py_Finalize", "finalize_modules"))
_RUNS_PYTHON = frozenset(("_PyEval_EvalFrameDefault", "_PyEval_Vector", "_PyEval_EvalFrame"))


@detector(
    "died_at_exit",
    needs="crash",
    supports=SupportedLabel("software", "use-after-free", "kind", root=True),
)
def died_at_exit(state: ProcessState) -> Iterator[Finding]:
    """Find a failed access or jump below exit(), or in a thread that runs on while another exits.

    exit() runs destructors of static objects and atexit() functions, the last made first; threads
    go on meanwhile. What was destroyed or closed before is used after. Py_FinalizeEx() releases
    modules and what they hold in an order that no library chose; there it is said of a crash in
    code of the program's own that no Python code called, hence of the end of an object.
    Innocent causes: any other bug or damage of memory that only a destructor reaches: the time
    from exit() on is short, so that by chance few deaths fall into it. Not said without frames.
    Reference: C++ 6.9.3.4 (termination); glibc stdlib/exit.c, elf/dl-fini.c; finalize_modules(),
    Python/pylifecycle.c.
    """
    failure = failure_and_frames(state, ACCESS, TRANSFER)
    if failure is None:
        return
    account, frames = failure
    tid = account.fault.tid
    at = _innermost_exit_frame_number(frames)
    if at is not None:
        inside = [f for f in frames[:at] if not _is_libc_frame(f)]
        who = function_and_file(inside[-1]) if inside else "a function that exit() calls"
        modules = own_library_names_of_frames(frames[:at])
        facts: dict[str, object] = {"kind": INSIDE, "function": who, "modules": modules[:4]}
        facts |= facts_of_file_at_fault(modules[-1]) if modules else {}
        if inside and inside[-1].module_name.startswith(FOREIGN_CALLS):
            facts[AT_FAULT] = PROGRAM
            who = "a Python function by ctypes or cffi"
        summary = (
            f"the process was in exit(), which had called {who}: static objects are destroyed "
            "there one after another, and what it uses may be destroyed or closed already"
        )
        if any(function_source_name(frame) == ENSURE for frame in frames[:at]):
            summary = (
                f"the process was in exit(), which had called {who}: Python had ended before "
                "(Py_FinalizeEx), and no code may call it any more"
            )
        yield Finding("died_at_exit", f"thread {tid}", facts, summary)
        return
    ends = _finalizer_frame_at_exit(frames)
    if ends is not None:
        who, modules = function_and_file(ends), own_library_names_of_frames(frames[:MAX_FRAMES])
        facts = {"kind": FINALIZING, "function": who, "modules": modules[:4]}
        if not is_of_installed_package(
            ends.module or ""
        ):  # of numpy it is its caller, or who freed its data
            facts |= facts_of_file_at_fault(ends.module_name)
        summary = (
            f"Python was ending (Py_FinalizeEx) and released an object by {who}: modules and what "
            "they hold are released one after another, and what it uses may be gone already"
        )
        yield Finding("died_at_exit", f"thread {tid}", facts, summary)
        return
    for thread in state.target.threads()[:MAX_THREADS]:
        others = () if thread.tid == tid else state.target.native_frames(thread.tid)
        if isinstance(others, Absent) or _innermost_exit_frame_number(others) is None:
            continue
        modules = own_library_names_of_frames(frames[:MAX_FRAMES])
        facts = {"kind": BESIDE, "function": "", "modules": modules[:4], AT_FAULT: PROGRAM}
        code = f"code of {modules[0]}" if modules else "its code"
        summary = (
            f"while this thread still ran {code}, thread {thread.tid} was in exit(), which "
            "destroys static objects one after another and closes libraries"
        )
        yield Finding("died_at_exit", f"thread {tid}", facts, summary)
        return


def _innermost_exit_frame_number(frames: Sequence[NativeFrame]) -> int | None:
    """Return the place of the innermost frame of exit(), and of what it calls for each object."""
    for number, frame in enumerate(frames[:MAX_FRAMES]):
        if function_source_name(frame) in EXITS and number and _is_libc_frame(frame):
            return number
    return None


def _finalizer_frame_at_exit(frames: Sequence[NativeFrame]) -> NativeFrame | None:
    """Return the frame of code of its own that ends an object, called below Py_FinalizeEx()."""
    own: list[NativeFrame] = []
    for frame in frames[:MAX_FRAMES]:
        name = function_source_name(frame)
        if is_interpreter_frame(frame):
            if name in _RUNS_PYTHON or not own:
                return None
            if name in _FINALIZES:
                return own[-1]
        elif own_library_names_of_frames([frame]):
            own.append(frame)
    return None


def _is_libc_frame(frame: NativeFrame) -> bool:
    return frame.module_name.startswith(_LOADER)
