# SPDX-License-Identifier: Apache-2.0
"""Aborts that were meant: by the program or its libraries, and by the C library for itself.

Assertions, fortify and malloc's own checks leave glibc's message; what a function printed right
before it called abort() is found too: libstdc++'s assertions and their like.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from gdb_epi.detectors.registry import (
    DOUBT,
    IN_MEMORY,
    LENT_BUFFER,
    NOTHING_SAID,
    Finding,
    SupportedLabel,
    detector,
    failure_and_frames,
    hex_word,
)
from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import FATAL, OF_STATE, OVERRUNS, AbortMessage
from gdb_epi.fault.account import ABORTED, own_abort_message
from gdb_epi.fault.instructions import (
    ARGUMENTS,
    call_before,
    constant_arguments,
    constant_text,
    instructions_before,
)
from gdb_epi.fault.out_of_memory import is_out_of_memory
from gdb_epi.fault.own_native_code import (
    CALLERS,
    MAX_NAMED,
    VICTIM,
    function_and_file,
    function_source_name,
    own_library_names_of_frames,
)
from gdb_epi.fault.stack_address_receivers import (
    code_given_stack_address,
    files_of_code_that_ran_below_frame,
)
from gdb_epi.fault.stack_canary import find_overwritten_canary
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import NativeFrame, Target, get_architecture
from gdb_epi.x86.instruction import CALL, NEXT

_LIBC = ("libc.so.", "libc-2.")
# A condition in C that follows a pointer: p->x, p[n], *p, s.x; no product and no number.
_READS_MEMORY = r"->|\w\s*\[|(?:^|[(!=<>&|,+-]\s*)\*+\s*[A-Za-z_(]|\b[A-Za-z_]\w*\.[A-Za-z_]"
_SMASHED = "stack smashing"
MAX_FRAMES = 16
# What malloc's messages say about the call, by their beginnings (malloc/malloc.c).
_FOREIGN = "freed what is no block of malloc's, or the words before that block were overwritten"
_AGAIN = "freed a block that was freed before"
_MEANINGS = (
    ("free(): invalid pointer", _FOREIGN),
    ("munmap_chunk(): invalid pointer", _FOREIGN),
    ("realloc(): invalid pointer", _FOREIGN),
    # _int_free: the size is none, or leads beyond the heap's end.
    ("free(): invalid size", _FOREIGN),
    ("double free or corruption (out)", _FOREIGN),
    ("free(): double free", _AGAIN),
    ("double free or corruption (fasttop)", _AGAIN),
    # _int_free: "check whether the block is already the top block", "is actually not marked used".
    (
        "double free or corruption (top)",
        "freed a block that is free already: most often, freed before",
    ),
    (
        "double free or corruption (!prev)",
        "freed a block that is free already: freed before, or the word behind it is damaged",
    ),
)
# Those by which malloc knows for sure that the caller frees a block again.
_FREED_BEFORE = tuple(text for text, did in _MEANINGS if did == _AGAIN)
MAX_FRAMES_OF_LIBRARY = 32
_ANY_LIBC = ("libc.so.", "libc-2.", "ld-musl", "libc.musl")
_CHECKERS = ("assert", "fail", "panic", "check", "terminate")  # in names of functions that give up
CHECK = "check"  # a kind of the finding
MAX_CALLS = 2  # before that of abort()
MIN_LENGTH, MAX_LENGTH = 8, 240  # characters of a message
# What printf() fills in (C17, 7.21.6.1): width and precision, which may be arguments, size, kind.
CONVERSION = r"%([-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d*))?)(?:hh|h|ll|l|q|j|z|t)?([%A-Za-z])"
_FLOATS = "aAeEfFgG"  # these are passed in registers of their own


@detector("deliberate_abort", needs="crash")
def deliberate_abort(state: ProcessState) -> Iterator[Finding]:
    """Find the message that glibc left in __abort_msg before abort().

    Innocent causes: a message of an earlier abort that a handler survived would still be there, so
    the signal must be a SIGABRT that the process sent itself. "malloc" and "fortify" say that
    memory was found damaged, not by whom.
    Reference: glibc assert/assert.c, sysdeps/posix/libc_fatal.c.
    """
    account = state.fault_account
    if isinstance(account, Absent):
        return
    fault, message = account.fault, own_abort_message(state.target, account)
    if not isinstance(message, AbortMessage) or message.kind == "other":
        return
    frames = state.target.native_frames(fault.tid)
    by = None if isinstance(frames, Absent) else _innermost_outside_libc(frames)
    caller = None if by is None else function_and_file(by)
    facts: dict[str, object] = {
        "kind": message.kind, "class": message.klass, "function": message.function,
        "text": message.text, "caller": caller,
    }  # fmt: skip
    if message.kind == "malloc":
        facts[VICTIM] = not message.text.startswith(_FREED_BEFORE)
    if message.kind == "fortify":
        facts["overrun"] = message.text.startswith(OVERRUNS)
    summary = _describe_abort_message(message, caller)
    if message.kind == "assert" and is_assertion_about_stored_value(message.text):
        facts[DOUBT] = IN_MEMORY
    if by is not None and _SMASHED in message.klass and not isinstance(frames, Absent):
        canary = find_overwritten_canary(state.target, fault, by.pc)
        if canary is not None:
            facts["overwritten_at"] = hex_word(canary)
        lent = _library_given_stack_addresses(state.target, by, frames[0].sp)
        if lent:
            summary += f", by itself or by {lent}, to which it had given a pointer to it"
            facts |= {"lent_to": lent, DOUBT: LENT_BUFFER}
    yield Finding("deliberate_abort", f"thread {fault.tid}", facts, summary)


def is_assertion_about_stored_value(assertion: str) -> bool:
    """Whether an assertion ("file.c:12: condition") is about a value that others may write."""
    import re  # not at the start: every triage imports this file

    place, separator, condition = assertion.partition(": ")
    return re.search(_READS_MEMORY, condition if separator else place) is not None


def _library_given_stack_addresses(target: Target, frame: NativeFrame, innermost: int) -> str:
    """Return whose code a function gives pointers into its frame; "" where it is its own library's.

    A function that was given as a pointer may be of the same library: that is ruled out where
    no other library, and no callback in Python, has left a return address on the stack below.
    """
    names = []
    for borrower in code_given_stack_address(target, frame.pc):
        if borrower.file:
            names.append(f"{borrower.function or 'code'} in {borrower.file}")
            continue
        ran = files_of_code_that_ran_below_frame(target, innermost, frame.sp)
        others = [file for file in ran if file != frame.module_name]
        in_python = any(file.startswith(CALLERS) for file in others)
        libraries = [file for file in others if not file.startswith(CALLERS)]
        where = " or ".join(["Python", *libraries[:1]] if in_python else libraries[:MAX_NAMED])
        if others or not ran:
            names.append("a callback" + (f" in {where}" if where else ""))
    return " or ".join(dict.fromkeys(names[:MAX_NAMED]))


def _describe_abort_message(message: AbortMessage, caller: str | None) -> str:
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
    if _SMASHED in message.klass:
        which = caller or "a function"
        return f"{which} found its stack canary changed: a buffer on its stack was overrun"
    if message.text.startswith(OVERRUNS):
        who = caller or "some code"
        return f"{who} made a call that would have overrun a buffer (the C library: {message.text})"
    return f"the C library stopped a call ({message.text}){by}"


def _innermost_outside_libc(frames: Sequence[NativeFrame]) -> NativeFrame | None:
    """Return the innermost function outside of the C library."""
    named = (frame for frame in frames[:MAX_FRAMES] if frame.module_name)
    return next((frame for frame in named if not frame.module_name.startswith(_LIBC)), None)


@detector(
    "c_library_gave_up",
    needs="crash",
    supports=SupportedLabel(
        "software", "failed-check", damage_fact="of_state", max_probability=0.79
    ),
)
def c_library_gave_up(state: ProcessState) -> Iterator[Finding]:
    """Find the constant message of __libc_fatal() in __abort_msg, and say what it means.

    Innocent causes: this is itself the ordinary explanation. A message that is not known may hold
    data of the program and is not told.
    Reference: glibc sysdeps/posix/libc_fatal.c, nptl/unwind.c.
    """
    account = state.fault_account
    if isinstance(account, Absent):
        return
    message = own_abort_message(state.target, account)
    if not isinstance(message, AbortMessage) or message.kind != "other" or not message.text:
        return
    tid = account.fault.tid
    frames = state.target.native_frames(tid)
    kept = () if isinstance(frames, Absent) else frames[:MAX_FRAMES_OF_LIBRARY]
    own = own_library_names_of_frames(kept)
    by = next((f for f in kept if own and (f.module or "").endswith(f"/{own[0]}")), None)
    place = function_and_file(by) if by is not None else None
    of_state = message.text.startswith(OF_STATE)
    facts = {"text": message.text, "function": place, "of_state": of_state, VICTIM: of_state}
    where = f" in {place}" if place else ""
    summary = f'the C library said "{message.text}"{where}: {FATAL[message.text]}'
    yield Finding("c_library_gave_up", f"thread {tid}", facts, summary)


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
    told too, so it is said that it was printed, not that it is the cause. Where memory ran out it
    speaks for nothing: what was printed is mostly that (failed_allocation). Absent without native
    frames, and where glibc or CPython left a message of their own.
    Reference: __replacement_assert in libstdc++'s c++config (GCC 6 to 12), __glibcxx_assert_fail
    (GCC 13 and later).
    """
    failure = failure_and_frames(state, ABORTED)
    if failure is None:
        return
    account, frames = failure
    if isinstance(account.message, AbortMessage) and account.message.kind != "other":
        return
    text, function = _abort_text_and_caller(state.target, frames[:MAX_FRAMES])
    if text:
        by = function or "the code that called abort()"
        kind = NOTHING_SAID if is_out_of_memory(state.target, account) else CHECK
        facts = {"kind": kind, "text": text, "function": function}
        summary = f"{by} gave up with the text: {text}"
        yield Finding("printed_before_abort", f"thread {account.fault.tid}", facts, summary)


def _abort_text_and_caller(target: Target, frames: Sequence[NativeFrame]) -> tuple[str, str | None]:
    """Return the text, and the function that gave up; "" without one."""
    outside = [frame for frame in frames if not frame.module_name.startswith(_ANY_LIBC)]
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
    text = read_printed_message(target, given_up_at) or _text_printed_earlier(target, given_up_at)
    return text, function_source_name(outside[0])


def _text_printed_earlier(target: Target, address: int) -> str:
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

    def fill_conversion(conversion: re.Match[str]) -> str:
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

    written = re.sub(CONVERSION, fill_conversion, form)
    if "%" not in form:  # a checker's arguments: file, function and condition
        others = [text for text in texts if text and len(text) > 1]
        written = "; ".join(dict.fromkeys(reversed(others)))  # the condition comes last
    written = " ".join(written.split())
    return written[:MAX_LENGTH] if len(written) >= MIN_LENGTH else ""
