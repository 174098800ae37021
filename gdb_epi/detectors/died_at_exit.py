# SPDX-License-Identifier: Apache-2.0
"""A crash while the process exits: something was used after its static destructor had run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.detectors.findings import Finding, SpeaksFor, detector, frames_of_failure
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ACCESS, TRANSFER
from gdb_epi.fault.own_native_code import EXITS, function_and_file, own_modules_of, source_name
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import NativeFrame

MAX_FRAMES = 64
MAX_THREADS = 64  # other threads that are looked at
_LOADER = ("libc.so.", "libc-2.", "ld-linux", "libstdc++", "ld-musl")
INSIDE, BESIDE = "inside", "beside"


@detector("died_at_exit", needs="crash", speaks_for=SpeaksFor("software", "use-after-free", "kind"))
def died_at_exit(state: ProcessState) -> Iterator[Finding]:
    """Find a failed access or jump below exit(), or in a thread that runs on while another exits.

    exit() runs destructors of static objects and atexit() functions, the last made first; threads
    go on meanwhile. What was destroyed or closed before is used after.
    Innocent causes: any other bug or damage of memory that only a destructor reaches: the time
    from exit() on is short, so that by chance few deaths fall into it. Not said without frames.
    Reference: C++ 6.9.3.4 (termination); glibc stdlib/exit.c, elf/dl-fini.c.
    """
    failure = frames_of_failure(state, ACCESS, TRANSFER)
    if failure is None:
        return
    account, frames = failure
    tid = account.fault.tid
    at = _exiting(frames)
    if at is not None:
        inside = [f for f in frames[:at] if not _of_libc(f)]
        who = function_and_file(inside[-1]) if inside else "a function that exit() calls"
        facts = {"kind": INSIDE, "function": who, "modules": own_modules_of(frames[:at])[:4]}
        summary = (
            f"the process was in exit(), which had called {who}: static objects are destroyed "
            "there one after another, and what it uses may be destroyed or closed already"
        )
        yield Finding("died_at_exit", f"thread {tid}", facts, summary)
        return
    for thread in state.target.threads()[:MAX_THREADS]:
        others = () if thread.tid == tid else state.target.native_frames(thread.tid)
        if isinstance(others, Absent) or _exiting(others) is None:
            continue
        modules = own_modules_of(frames[:MAX_FRAMES])
        facts = {"kind": BESIDE, "function": "", "modules": modules[:4]}
        code = f"code of {modules[0]}" if modules else "its code"
        summary = (
            f"while this thread still ran {code}, thread {thread.tid} was in exit(), which "
            "destroys static objects one after another and closes libraries"
        )
        yield Finding("died_at_exit", f"thread {tid}", facts, summary)
        return


def _exiting(frames: Sequence[NativeFrame]) -> int | None:
    """Return the place of the innermost frame of exit(), and of what it calls for each object."""
    for number, frame in enumerate(frames[:MAX_FRAMES]):
        if source_name(frame) in EXITS and number and _of_libc(frame):
            return number
    return None


def _of_libc(frame: NativeFrame) -> bool:
    return frame.module_name.startswith(_LOADER)
