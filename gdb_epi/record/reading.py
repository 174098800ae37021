# SPDX-License-Identifier: Apache-2.0
"""Read parts of a record that anybody may have made: what has another shape counts as absent."""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.typing_lite import Any


def group_in(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a group of a record, or a map within a group; an empty one when it is not there."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def telling_stack(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the stack of the thread that tells what happened: the signed one, else the crashed."""
    threads = group_in(record, "threads")
    stack = group_in(threads, "crashed")
    signed = group_in(group_in(record, "signature"), "thread").get("tid")
    if signed is None or signed == stack.get("tid"):
        return stack
    listed = (s for s in threads.get("stacks") or () if s.get("tid") == signed)
    return group_in(threads, "signed") or next(listed, stack)


def thread_names(record: Mapping[str, Any]) -> dict[Any, Any]:
    """Return tid -> name of the threads that run Python; None for those without a name."""
    stacks = group_in(record, "threads").get("stacks") or ()
    return {stack.get("tid"): stack.get("name") for stack in stacks}


def deadlocked_threads(record: Mapping[str, Any]) -> list[int]:
    """Return the threads that wait for each other, when that is the verdict."""
    if group_in(record, "verdict").get("label") != "deadlock":
        return []
    waits = [wait for wait in record.get("waits") or () if isinstance(wait, dict)]
    circle = [w.get("tid") for w in waits if w.get("verdict") in ("cycle", "self-deadlock")]
    return [tid for tid in dict.fromkeys(circle) if isinstance(tid, int)]


def grouping_line(signature: Mapping[str, Any]) -> str:
    """Return the line of the key that groups a crash (SPEC.md 1.3); "" without one."""
    name = group_in(signature, "group").get("key") or "stable"
    return str(group_in(signature, "text").get(name) or "")
