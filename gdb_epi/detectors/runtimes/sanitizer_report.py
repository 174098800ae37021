# SPDX-License-Identifier: Apache-2.0
"""A sanitizer (AddressSanitizer and its kin) found an error itself and ended the process."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import dropwhile, takewhile

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector
from gdb_epi.errors import Absent
from gdb_epi.fault.signals import SIGABRT
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import NativeFrame

# In names of the runtimes, mangled or not (GCC 12 libsanitizer, LLVM 17 compiler-rt/lib).
_TOOLS = {
    "__asan": "AddressSanitizer",
    "__hwasan": "HWAddressSanitizer",
    "__lsan": "LeakSanitizer",
    "__msan": "MemorySanitizer",
    "__tsan": "ThreadSanitizer",
    "__ubsan": "UndefinedBehaviorSanitizer",
}
_MARKS = (*_TOOLS, "__sanitizer", "__interceptor_")
_LIBRARIES = ("libasan.", "libhwasan.", "liblsan.", "libtsan.", "libubsan.", "libclang_rt.")
_LIBC = ("libc.so.", "libc-2.")
# What they report beside errors: limits of their own or of the machine.
_LIMITS = ("OutOfMemory", "AllocationSizeTooBig", "RssLimit", "CheckFailed")
MAX_FRAMES = 32


@detector("sanitizer_report", needs="crash", supports=SupportedLabel("software", "failed-check"))
def sanitizer_report(state: ProcessState) -> Iterator[Finding]:
    """Find the report of a sanitizer on the stack of an abort() that it made itself.

    A signal that its handler only passed on is not a report of its own: what is judged is the fault
    behind it. Innocent causes: this is itself the ordinary explanation; limits of memory are left
    out. Absent without native frames, which need GDB. Reference: GCC 12
    libsanitizer/asan/asan_report.cc, sanitizer_common/sanitizer_termination.cpp.
    """
    fault = state.fault
    if isinstance(fault, Absent) or fault.signo != SIGABRT or fault.sender != "self":
        return
    frames = state.target.native_frames(fault.tid)
    if isinstance(frames, Absent):
        return
    behind = dropwhile(_is_libc_frame, frames[:MAX_FRAMES])
    names = [frame.function or "" for frame in takewhile(_is_sanitizer_frame, behind)]
    tool = next((_TOOLS[mark] for mark in _TOOLS if any(mark in name for name in names)), None)
    if tool is None or any(limit in name for name in names for limit in _LIMITS):
        return
    plain = next((name for name in reversed(names) if name[:2] not in ("", "_Z")), None)
    entry = None if plain is None else plain.partition("(")[0].rpartition("::")[2]
    summary = (
        f"{tool} reported an error and ended the process{f' ({entry})' if entry else ''}: which "
        "one is on its standard error"
    )
    facts = {"sanitizer": tool, "entry": entry}
    yield Finding("sanitizer_report", f"thread {fault.tid}", facts, summary)


def _is_libc_frame(frame: NativeFrame) -> bool:
    return frame.module_name.startswith(_LIBC)


def _is_sanitizer_frame(frame: NativeFrame) -> bool:
    name = frame.function or ""
    return any(mark in name for mark in _MARKS) or frame.module_name.startswith(_LIBRARIES)
