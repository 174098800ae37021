# SPDX-License-Identifier: Apache-2.0
"""Read parts of a record of any origin: a part of an unexpected shape counts as absent."""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.hangs.types import MAIN_THREAD
from gdb_epi.typing_lite import Any
from gdb_epi.util import quoted_name

READ_IN_PART = "(--prefix)"  # in the soft error that says that only the head was read
# How soft errors begin that refuse what a sidecar says.
NOT_USED, MISFIT = "not used", "the file name does not fit"


def get_group(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a group of a record, or a map within a group; an empty one when it is not there."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def get_groups(record: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the maps of a list in a record; an empty list when it is not there."""
    value = record.get(name)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def get_number(record: Mapping[str, Any], name: str) -> float:
    """Return a number of a record; 0 when it is not there."""
    value = record.get(name)
    return float(value) if isinstance(value, (int, float)) else 0.0


def get_texts(record: Mapping[str, Any], name: str) -> list[str]:
    """Return the texts of a list in a record; an empty list when it is not there."""
    value = record.get(name)
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []


def verdict_label(record: Mapping[str, Any]) -> str:
    """Return the label of a record's verdict; "cannot-tell" where there is none."""
    return str(get_group(record, "verdict").get("label") or "cannot-tell")


def explaining_stack(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the stack that explains the death: of the signed thread, else the crashed one."""
    threads = get_group(record, "threads")
    stack = get_group(threads, "crashed")
    signed = get_group(get_group(record, "signature"), "thread").get("tid")
    if signed is None or signed == stack.get("tid"):
        return stack
    listed = (stack for stack in python_stacks(record) if stack.get("tid") == signed)
    return get_group(threads, "signed") or next(listed, stack)


def python_stacks(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the stacks of the threads that run Python."""
    return get_groups(get_group(record, "threads"), "stacks")


def all_frames(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the frames of all stacks of a record."""
    threads = get_group(record, "threads")
    stacks = [get_group(threads, "crashed"), get_group(threads, "signed"), *python_stacks(record)]
    return [
        frame
        for stack in stacks
        for name in ("frames", "outer_frames")
        for frame in get_groups(stack, name)
    ]


def thread_names(record: Mapping[str, Any]) -> dict[Any, Any]:
    """Return tid -> name of the threads that run Python, for sentences; None for no name."""
    main = {get_number(get_group(record, "process"), "pid"): MAIN_THREAD}
    tids = (
        (stack.get("tid"), _thread_name_of_stack(record, stack)) for stack in python_stacks(record)
    )
    return {tid: name or main.get(tid) for tid, name in tids if isinstance(tid, int)}


def explaining_thread_name(record: Mapping[str, Any]) -> str:
    """Return the name of the thread whose stack explains the death; "" without one."""
    stack = explaining_stack(record)
    named = thread_names(record).get(int(get_number(stack, "tid")))
    return _thread_name_of_stack(record, stack) or str(named or "")


def _thread_name_of_stack(record: Mapping[str, Any], stack: Mapping[str, Any]) -> str:
    """Return the name of a stack's thread.

    Not of a forked child's main thread: it kept that of the parent's thread which called fork().
    """
    name, process = str(stack.get("name") or ""), get_group(record, "process")
    forked = get_group(record, "fork").get("forked") and stack.get("tid") == process.get("pid")
    return MAIN_THREAD if forked and name not in ("", "MainThread") else quoted_name(name)


def hypothesis_probabilities(record: Mapping[str, Any]) -> dict[str, float]:
    """Return {hypothesis: probability} of a verdict, the likeliest first."""
    shares = {
        str(cause.get("hypothesis")): float(cause["probability"])
        for cause in get_groups(get_group(record, "verdict"), "cause")
        if isinstance(cause.get("probability"), (int, float))
    }
    return dict(sorted(shares.items(), key=lambda share: -share[1]))


def unpadded_address(word: object) -> str:
    """Return 0x7f12 for 0x0000000000007f12; "" for a redacted address or anything else."""
    try:
        return f"{int(str(word), 16):#x}"
    except ValueError:
        return ""


def deadlocked_threads(record: Mapping[str, Any]) -> list[int]:
    """Return the threads that wait for each other, oldest first, when that is the verdict."""
    if verdict_label(record) != "deadlock":
        return []
    waits = get_groups(record, "waits")
    circle = [w.get("tid") for w in waits if w.get("verdict") in ("cycle", "self-deadlock")]
    return sorted({tid for tid in circle if isinstance(tid, int)})


def threads_of_deadlock(record: Mapping[str, Any]) -> list[int]:
    """Return the threads of a deadlock, even one in which not all wait for something held."""
    circle = deadlocked_threads(record)
    if circle or verdict_label(record) != "deadlock":
        return circle
    findings = get_groups(record, "findings")
    answer = next((f for f in findings if f.get("detector") == "stuck_deadlock"), {})
    members = [member.get("tid") for member in get_groups(get_group(answer, "facts"), "members")]
    return list(dict.fromkeys(tid for tid in members if isinstance(tid, int)))


def grouping_key_line(signature: Mapping[str, Any]) -> str:
    """Return the line of the key that groups a crash (SPEC.md 1.3); "" without one."""
    name = str(get_group(signature, "group").get("key") or "stable")
    return str(get_group(signature, "text").get(name) or "")
