# SPDX-License-Identifier: Apache-2.0
"""A panic of Rust code that ended the process."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, failure_and_frames
from gdb_epi.errors import UnreadableMemory
from gdb_epi.fault.account import ABORTED
from gdb_epi.fault.fault_site import ILLEGAL, TRAPPED
from gdb_epi.fault.mapping_checks import permits
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import split_into_words
from gdb_epi.target.api import NativeFrame, Target

# Parts of names, mangled either way: library/std/src/panicking.rs, library/core/src/panicking.rs.
_MARKS = ("panicking", "rust_panic", "rust_begin_unwind", "rust_start_panic")
_LOCATION = struct.Struct("<QQII")  # core::panic::Location: file (pointer, length), line, column
_SOURCE = b".rs"
_LIBRARY = "/rustc/"  # the standard library's own sources
MAX_FRAMES = 32
MAX_STACK = 64 << 10
MAX_PATH, MAX_LINE, MAX_COLUMN = 512, 1 << 20, 1 << 12


@detector("rust_panic", needs="crash", supports=SupportedLabel("software", "failed-check"))
def rust_panic(state: ProcessState) -> Iterator[Finding]:
    """Find the frames of a panic on the stack, and the line of the source that panicked.

    The line is read from the constant that the compiler passes (core::panic::Location).
    Innocent causes: this is itself the ordinary explanation. Absent without native frames.
    Reference: Rust 1.80 library/core/src/panic/location.rs, library/std/src/panicking.rs.
    """
    failure = failure_and_frames(state, ABORTED, ILLEGAL, TRAPPED)
    if failure is None:
        return
    account, frames = failure
    names = [frame.function or "" for frame in frames[:MAX_FRAMES]]
    inside = [n for n, name in enumerate(names) if any(mark in name for mark in _MARKS)]
    if not inside:
        return
    caller = frames[inside[-1] + 1] if inside[-1] + 1 < len(frames) else None
    place = _panic_source_line(state.target, frames, caller)
    file = caller.module_name if caller is not None else ""
    where = f" at {place}" if place else f", below code of {file}" if file else ""
    facts = {"place": place, "module": file or None}
    summary = f"Rust code panicked{where}; its message is on standard error"
    yield Finding("rust_panic", f"thread {account.fault.tid}", facts, summary)


def _panic_source_line(
    target: Target, frames: Sequence[NativeFrame], caller: NativeFrame | None
) -> str | None:
    """Return "src/lib.rs:42" of the first location that the panic's own frames point to."""
    start = frames[0].sp
    end = start + MAX_STACK if caller is None else min(caller.sp + 256, start + MAX_STACK)
    region = target.region_at(start)
    if region is None:
        return None
    size = min(end, region.end, region.start + region.dumped) - start
    stack = try_read(target, start, max(size, 0) & ~7)
    places = [
        place for word in split_into_words(stack) if (place := _panic_source_line_at(target, word))
    ]
    return next((place for place in places if _LIBRARY not in place), next(iter(places), None))


def _panic_source_line_at(target: Target, address: int) -> str | None:
    region = target.region_at(address)
    if region is None or region.path is None or address % 8 or permits(region, "x"):
        return None
    try:
        at, length, line, column = _LOCATION.unpack(target.read(address, _LOCATION.size))
        if not (3 < length <= MAX_PATH and 0 < line < MAX_LINE and 0 < column < MAX_COLUMN):
            return None
        text = target.read(at, length)
    except UnreadableMemory:
        return None
    named = text.endswith(_SOURCE) and text.isascii() and text.decode("ascii").isprintable()
    return f"{text.decode('ascii')}:{line}" if named else None
