# SPDX-License-Identifier: Apache-2.0
"""What a function printed right before it called abort(): libstdc++'s assertions and their like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, frames_of_failure
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.account import ABORTED
from gdb_epi.fault.errno import ENOMEM, errno_of
from gdb_epi.fault.instructions import (
    ARGUMENTS,
    call_before,
    constant_arguments,
    constant_text,
    instructions_before,
)
from gdb_epi.fault.own_native_code import function_source_name
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import NativeFrame, Target, get_architecture
from gdb_epi.x86.instruction import CALL, NEXT

_LIBC = ("libc.so.", "libc-2.", "ld-musl", "libc.musl")
_CHECKERS = ("assert", "fail", "panic", "check", "terminate")  # in names of functions that give up
CHECK, NOTHING_SAID = "check", "info"  # kinds of the finding
MAX_FRAMES = 16
MAX_CALLS = 2  # before that of abort()
MIN_LENGTH, MAX_LENGTH = 8, 240  # characters of a message
# What printf() fills in (C17, 7.21.6.1): width and precision, which may be arguments, size, kind.
CONVERSION = r"%([-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d*))?)(?:hh|h|ll|l|q|j|z|t)?([%A-Za-z])"
_FLOATS = "aAeEfFgG"  # these are passed in registers of their own


@detector(
    "printed_before_abort",
    needs="crash",
    supports=SupportedLabel("software", "failed-check", counted_by="kind"),
)
def printed_before_abort(state: ProcessState) -> Iterator[Finding]:
    """Find the constant text that the caller of abort() passed to the call before that.

    Such a function prints why it gives up, and the C library keeps no copy. Only constants of the
    program and its libraries are told; what was to be filled in and is no constant is a "?".
    Innocent causes: this is itself the ordinary explanation; a text of another purpose would be
    told too, so it is said that it was printed, not that it is the cause. Where errno is ENOMEM it
    speaks for nothing: what was printed is mostly that (failed_allocation). Absent without native
    frames, and where glibc or CPython left a message of their own.
    Reference: __replacement_assert in libstdc++'s c++config (GCC 6 to 12), __glibcxx_assert_fail
    (GCC 13 and later).
    """
    failure = frames_of_failure(state, ABORTED)
    if failure is None:
        return
    account, frames = failure
    if isinstance(account.message, AbortMessage) and account.message.kind != "other":
        return
    text, function = _abort_text(state.target, frames[:MAX_FRAMES])
    if text:
        by = function or "the code that called abort()"
        kind = NOTHING_SAID if errno_of(state.target, account.fault) == ENOMEM else CHECK
        facts = {"kind": kind, "text": text, "function": function}
        summary = f"{by} gave up with the text: {text}"
        yield Finding("printed_before_abort", f"thread {account.fault.tid}", facts, summary)


def _abort_text(target: Target, frames: Sequence[NativeFrame]) -> tuple[str, str | None]:
    """Return the text, and the function that gave up; "" without one."""
    outside = [frame for frame in frames if not frame.module_name.startswith(_LIBC)]
    for frame, caller in pairwise(outside):
        # A checker of a library has the text from its caller.
        if not any(word in (frame.function or "").lower() for word in _CHECKERS):
            break
        text = read_printed_message(target, caller.pc)
        if text:
            return text, function_source_name(caller)
    if not outside or not get_architecture(target).decodes:
        return "", None
    aborting = call_before(target, outside[0].pc)
    if aborting is None:
        return "", None
    given_up_at = outside[0].pc - aborting.length
    text = read_printed_message(target, given_up_at) or _printed_earlier(target, given_up_at)
    return text, function_source_name(outside[0])


def _printed_earlier(target: Target, address: int) -> str:
    """Return the sentence of a call a little before: of raise() an argument is set, or it flushes.

    Of these only texts of several words count: a name may be the argument of anything.
    """
    calls = 0
    for step in reversed(instructions_before(target, address) or ()):
        if step.instruction.flow == CALL:
            calls += 1
            text = read_printed_message(target, step.address + step.instruction.length)
            if " " in text:
                return text
        if step.instruction.flow not in (CALL, NEXT) or calls == MAX_CALLS:
            break
    return ""


def read_printed_message(target: Target, return_address: int) -> str:
    """Return the constant texts of the call before an address, as printf() would put them."""
    import re  # not at the start: every triage imports this file

    constants = constant_arguments(target, return_address)
    values = [constants.get(name) for name in ARGUMENTS]
    texts = [constant_text(target, value) if value else None for value in values]
    first = next((place for place, text in enumerate(texts[:2]) if text), None)
    if first is None:
        return ""
    form = texts[first] or ""
    place = first

    def filled(conversion: re.Match[str]) -> str:
        nonlocal place
        kind = conversion[2]
        if kind == "%":
            return "%"
        if kind in _FLOATS:
            return "?"
        place += 1 + conversion[1].count("*")
        if place >= len(values) or kind not in "sdui":
            return "?"
        value = values[place]
        given = texts[place] if kind == "s" else None if value is None else str(value)
        return given or "?"

    written = re.sub(CONVERSION, filled, form)
    if "%" not in form:  # a checker's arguments: file, function and condition
        others = [text for text in texts if text and len(text) > 1]
        written = "; ".join(dict.fromkeys(reversed(others)))  # the condition comes last
    written = " ".join(written.split())
    return written[:MAX_LENGTH] if len(written) >= MIN_LENGTH else ""
