# SPDX-License-Identifier: Apache-2.0
"""Locks that a library asks for again and again, as those that a server keeps are taken.

Who has such a lock is in no core, but for one case: a caller is inside a `with` block of it, which
ends only when the call has returned.
"""

from __future__ import annotations

from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.idleness import library_frames_called
from gdb_epi.hangs.library_calls import requested_function_name
from gdb_epi.hangs.types import (
    HANG,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    wait_diagnosis,
)
from gdb_epi.locks.python.call_sites import CLOCKS
from gdb_epi.locks.types import INFO

_TAKES_LOCK = frozenset(("acquire", "__enter__", "lock"))
_LIMITS = ("timeout", "deadline", "time_limit")


def diagnose_lock_polled_by_library(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """Return the answer where a library asks for a lock again and again, and sleeps meanwhile.

    Locks that a server keeps, as Redis does, are taken so. One that is given twice to the same
    holder would not have to be asked for again.
    """
    inner = library_frames_called(context, activity)
    frame = next((each for each in inner if context.acquire_calls.is_running_in_loop(each)), None)
    if frame is None or requested_function_name(inner) not in _TAKES_LOCK or not activity.frames:
        return None
    view = context.view
    limits = [
        word for name, word in view.variable_addresses(frame)
        if any(part in name for part in _LIMITS)
    ]  # fmt: skip
    if any(view.type_name(word) != "NoneType" for word in limits):
        return None
    if not limits and context.names_called_in_loop(frame) & CLOCKS:
        return None
    lock = view.variable(frame, "self") or 0
    texts = _text_attributes(context, lock)
    name = f" ({next(iter(texts.values()))})" if texts else ""
    function = f"{frame.module}.{frame.qualname or frame.name}()"
    sentence = (
        f"{activity.waits()} for a lock{name}: {function} sleeps and asks for it again, without a "
        "time limit"
    )
    for caller, manager in view.slots.entered_with_blocks(activity.frames):
        alike = view.type_name(manager) == view.type_name(lock)
        if manager == lock or (alike and texts and _text_attributes(context, manager) == texts):
            return wait_diagnosis(
                HANG, "lock of its own",
                f"{sentence}; its caller {function_and_line(caller)} is inside `with` of that very "
                "lock, and gives it back only when this call has returned", activity,
                evidence=(f"{function_and_line(caller)} has entered a lock of that name",),
                ruled_out=("a timeout",),
                doubts=("whether that lock had a time limit of its own, and somebody else has it",),
            )  # fmt: skip
    return wait_diagnosis(
        HANG, "lock of another process", f"{sentence}; who has it is not in this core", activity,
        INFO, doubts=("whether its holder still lives",),
    )  # fmt: skip


def _text_attributes(context: HangContext, word: int) -> dict[str, str]:
    """Return the attributes of an object that are texts: what tells one lock from others."""
    names = [name for name, _ in context.view.attributes(word)] if word else []
    texts = ((name, context.view.text_attribute(word, name)) for name in names)
    return {name: text for name, text in texts if text}
