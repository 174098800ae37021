# SPDX-License-Identifier: Apache-2.0
"""The program or its libraries decided to end: assert, fortify, malloc's own checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.detectors.registry import Finding, detector
from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import OVERRUNS, AbortMessage
from gdb_epi.fault.account import message_of_own_abort
from gdb_epi.fault.own_native_code import VICTIM, function_and_file
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import NativeFrame

_LIBC = ("libc.so.", "libc-2.")
MAX_FRAMES = 16
# What malloc's messages say about the call, by their beginnings (malloc/malloc.c).
_FOREIGN = "; what was freed is no block of malloc's, or the words before it were overwritten"
_MEANINGS = (
    ("free(): invalid pointer", _FOREIGN),
    ("munmap_chunk(): invalid pointer", _FOREIGN),
    ("realloc(): invalid pointer", _FOREIGN),
    ("free(): double free", "; the block was freed before"),
    ("double free or corruption (fasttop)", "; the block was freed before"),
    # _int_free: "check whether the block is already the top block", "is actually not marked used".
    ("double free or corruption (top)", "; the block is free already: most often freed before"),
    (
        "double free or corruption (!prev)",
        "; the next block says that it is free: freed before, or that word was overwritten",
    ),
)
# Those by which malloc knows for sure that the caller frees a block again.
_FREED_BEFORE = tuple(text for text, why in _MEANINGS if why == "; the block was freed before")


@detector("deliberate_abort", needs="crash")
def deliberate_abort(state: ProcessState) -> Iterator[Finding]:
    """Find the message that glibc left in __abort_msg before abort().

    Innocent causes: a message of an earlier abort that a handler survived would still be there, so
    the signal must be a SIGABRT that the process sent itself. "malloc" and "fortify" say that
    memory was found damaged, not by whom.
    Reference: glibc assert/assert.c, sysdeps/posix/libc_fatal.c.
    """
    account = state.account
    if isinstance(account, Absent):
        return
    fault, message = account.fault, message_of_own_abort(state.target, account)
    if not isinstance(message, AbortMessage) or message.kind == "other":
        return
    frames = state.target.native_frames(fault.tid)
    caller = None if isinstance(frames, Absent) else _caller(frames)
    facts: dict[str, object] = {
        "kind": message.kind, "class": message.klass, "function": message.function,
        "text": message.text, "caller": caller,
    }  # fmt: skip
    if message.kind == "malloc":
        facts[VICTIM] = not message.text.startswith(_FREED_BEFORE)
    if message.kind == "fortify":
        facts["overrun"] = message.text.startswith(OVERRUNS)
    yield Finding("deliberate_abort", f"thread {fault.tid}", facts, _summary(message, caller))


def _summary(message: AbortMessage, caller: str | None) -> str:
    by = f"; {caller} had called it" if caller else ""
    if message.kind == "malloc":
        meaning = next((why for start, why in _MEANINGS if message.text.startswith(start)), "")
        return f"malloc gave up ({message.text!r}){by}{meaning}"
    if message.kind == "assert":
        where = f" in {message.function}" if message.function else ""
        return f"an assertion failed{where}: {message.text}"
    if "stack smashing" in message.klass:
        which = caller or "a function"
        return f"{which} found its stack canary changed: a buffer on its stack was overrun"
    return f"the C library stopped a call ({message.text}){by}"


def _caller(frames: Sequence[NativeFrame]) -> str | None:
    """Return the innermost function outside of the C library, with its file."""
    named = (frame for frame in frames[:MAX_FRAMES] if frame.module_name)
    outside = (frame for frame in named if not frame.module_name.startswith(_LIBC))
    return next((function_and_file(frame) for frame in outside), None)
