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
_FOREIGN = "freed what is no block of malloc's, or the words before that block were overwritten"
_AGAIN = "freed a block that was freed before"
_MEANINGS = (
    ("free(): invalid pointer", _FOREIGN),
    ("munmap_chunk(): invalid pointer", _FOREIGN),
    ("realloc(): invalid pointer", _FOREIGN),
    ("free(): double free", _AGAIN),
    ("double free or corruption (fasttop)", _AGAIN),
    # _int_free: "check whether the block is already the top block", "is actually not marked used".
    (
        "double free or corruption (top)",
        "freed a block that is free already: most often, freed before",
    ),
    (
        "double free or corruption (!prev)",
        "freed a block that is free by the next one: freed before, or that word was overwritten",
    ),
)
# Those by which malloc knows for sure that the caller frees a block again.
_FREED_BEFORE = tuple(text for text, did in _MEANINGS if did == _AGAIN)


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
        did = next((did for start, did in _MEANINGS if message.text.startswith(start)), None)
        damaged = "malloc found its own data damaged" + (
            f" when {caller} called it" if caller else ""
        )
        did = f"{caller or 'some code'} {did}" if did else damaged
        return f"{did} (malloc said {message.text!r})"
    if message.kind == "assert":
        where = f" in {message.function}" if message.function else ""
        return f"an assertion failed{where}: {message.text}"
    if "stack smashing" in message.klass:
        which = caller or "a function"
        return f"{which} found its stack canary changed: a buffer on its stack was overrun"
    if message.text.startswith(OVERRUNS):
        who = caller or "some code"
        return f"{who} made a call that would have overrun a buffer (the C library: {message.text})"
    return f"the C library stopped a call ({message.text}){by}"


def _caller(frames: Sequence[NativeFrame]) -> str | None:
    """Return the innermost function outside of the C library, with its file."""
    named = (frame for frame in frames[:MAX_FRAMES] if frame.module_name)
    outside = (frame for frame in named if not frame.module_name.startswith(_LIBC))
    return next((function_and_file(frame) for frame in outside), None)
