# SPDX-License-Identifier: Apache-2.0
"""Words for where it failed: in the handler of a signal, or deep in a recursion.

In: a record and the folded calls of the thread that crashed. Out: a phrase for a sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from gdb_epi.fault.find_fault import KERNEL
from gdb_epi.record.record_parts import (
    get_group,
    get_groups,
    hypothesis_probabilities,
    unpadded_address,
)
from gdb_epi.render.frame_lines import (
    ABORTING,
    HANDLER,
    NATIVE,
    StackCall,
    call_words,
    innermost_own_python_call,
    short_name,
    words_for_unnamed_call,
)
from gdb_epi.typing_lite import Any

Json = Mapping[str, Any]
MIN_REPEATED = 16  # calls of a function that filled a stack


_BY_ABORT = "os.abort()"
# Functions of Python by which a program ends itself, as CPython calls them in C.
_ENDS_ITSELF = {
    "os_abort": _BY_ABORT, "posix_abort": _BY_ABORT, "os_kill": "os.kill()",
    "posix_kill": "os.kill()", "os_killpg": "os.killpg()", "posix_killpg": "os.killpg()",
    "signal_raise_signal": "signal.raise_signal()",
    "signal_pthread_kill": "signal.pthread_kill()",
}  # fmt: skip


def leading_hypothesis(record: Json) -> str:
    """Return the likeliest cause by its name (judgement/hypothesis_words.py), "" without any."""
    return next(iter(hypothesis_probabilities(record)), "")


def failed_address(record: Json) -> str:
    """Return the address that the first signal named, "" for none."""
    signal = get_group(record, "signal")
    failed = signal.get("fault_address") or get_group(signal, "behind_handler").get("fault_address")
    return unpadded_address(failed)


def ended_itself_words(record: Json, category: str, calls: Sequence[StackCall]) -> str:
    """Return "ended itself by os.kill() with SIGSEGV"; "" where no call of Python did that.

    A program that gives up when it gets no more memory died of that.

    The handler of faulthandler may have met the signal and raised it again. Other C code between
    would be what ended the process, in a handler of the program for one.
    """
    if category != "abort-other" and category.partition(":")[0] != "raised":
        return ""
    names = (
        call.name for call in calls
        if call.name != HANDLER and call.aside != ABORTING
        and not call.name.startswith("faulthandler_") and not call.name.endswith("_impl")
    )  # fmt: skip
    by = _ENDS_ITSELF.get(next(names, ""), "")
    signal = get_group(record, "signal").get("name")
    raised = str(get_group(record, "exception").get("type")).endswith("MemoryError")
    why = "got no more memory (MemoryError) and " if raised else ""
    return f"{why}ended itself by {by}{'' if by == _BY_ABORT else f' with {signal}'}" if by else ""


def failed_in_signal_handler(record: Json, calls: Sequence[StackCall]) -> bool:
    """Tell whether the failure is in the code of a signal handler, not in the code it interrupted.

    A handler that raises the signal again, or ends the process, came after the failure.
    """
    signal = get_group(record, "signal")
    python = innermost_own_python_call(calls)
    inner = calls[: calls.index(python)] if python is not None else calls
    return (
        any(call.name == HANDLER for call in inner)
        and str(signal.get("sender")) == KERNEL
        and not get_group(signal, "behind_handler")
    )


def failure_in_handler_words(record: Json, calls: Sequence[StackCall]) -> str:
    """Return "in a function of libffi, in a signal handler that ran in wait (shop.py:3)"."""
    at = next(number for number, call in enumerate(calls) if call.name == HANDLER)
    native = next((call for call in calls[:at] if call.language == NATIVE), None)
    inside = (
        (short_name(native) if native.name else words_for_unnamed_call(native))
        if native
        else "code of no file"
    )
    python = innermost_own_python_call(calls[at:])
    earlier = earlier_crash_words(record)
    if earlier:
        return f"in {inside}, in the handler of an earlier crash: {earlier}"
    return f"in {inside}, in a signal handler" + (
        f" that ran in {call_words(python)}" if python else ""
    )


def earlier_crash_words(record: Json) -> str:
    """Return "SIGSEGV at 0x0 in read, called from load (shop.py:3)" of a crash before; or ""."""
    findings = (f for f in get_groups(record, "findings") if f.get("detector") == "earlier_crash")
    return str(get_group(next(findings, {}), "facts").get("what") or "")


def words_for_call_that_filled_stack(calls: Sequence[StackCall], python: StackCall | None) -> str:
    """Return what filled the stack: a Python function, or the C function that it called."""
    if python is None:
        return ""
    repeated = _c_recursion_outside_python(calls, python)
    if repeated:
        return repeated
    inner = calls[: calls.index(python)]
    native = Counter(call.name for call in inner if call.language == NATIVE and call.name)
    name, count = next(iter(native.most_common(1)), ("", 0))
    again = sum(call.name == python.name for call in calls)
    at = call_words(python)
    return f"deep in {name}, called from {at}" if count > 2 * again else f"deep in calls of {at}"


def _c_recursion_outside_python(calls: Sequence[StackCall], python: StackCall) -> str:
    """Return the C function that filled the stack, if its calls lie outside all Python calls.

    Then `python`, the innermost Python function, was called by the last of them and is not itself
    recursive. "" where they do not.
    """
    names = Counter(call.name for call in calls if call.language == NATIVE and call.name)
    name, count = next(iter(names.most_common(1)), ("", 0))
    if count < MIN_REPEATED or any(c.name == python.name for c in calls if c is not python):
        return ""
    last = max(number for number, call in enumerate(calls) if call.name == name)
    if last < calls.index(python):
        return ""
    outer = innermost_own_python_call(calls[last:])
    plain = name.removeprefix("cy:")
    return f"deep in {plain}" + (f", called from {call_words(outer)}" if outer is not None else "")
