# SPDX-License-Identifier: Apache-2.0
"""Two cores of processes that did not crash: the same hang, or one process that moved or did not.

In: two records. Out: the answer as a sentence, and where each thread that has moved stood. Threads
of one process are told by their ids; a thread has moved when its calls or their lines differ, or
where it runs native code. Of most threads a record has no native calls: one that computes within a
line may seem to stand.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.judgement.labels import DEADLOCK, FORK_INHERITED_LOCK, HANG, KILLED, NO_FAULT
from gdb_epi.record.record_parts import (
    get_group,
    get_groups,
    get_number,
    listed_stacks,
    verdict_label,
)
from gdb_epi.render.frame_lines import PYTHON, call_words, calls_of_record
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import counted

Record = Mapping[str, Any]
_STUCK = frozenset((HANG, DEADLOCK, FORK_INHERITED_LOCK))
_DID_NOT_FAIL = _STUCK | {NO_FAULT, KILLED}
_FROM_OUTSIDE = frozenset(("snapshot", "killed-external"))


class _Stand(NamedTuple):
    """Where a thread stands: its calls with their lines, and words for the innermost.

    `addresses` are those of its native calls; none where they are not in the record.
    """

    name: str
    calls: tuple[tuple[str, int | None], ...]
    place: str
    addresses: tuple[object, ...] = ()

    def has_moved(self, later: _Stand) -> bool:
        """Tell whether the same thread stands elsewhere later."""
        native = bool(self.addresses and later.addresses) and self.addresses != later.addresses
        return native or self.calls != later.calls

    def moves_words(self, later: _Stand) -> str:
        """Return the two places of a thread that has moved."""
        if self.place == later.place and self.calls[0] == later.calls[0]:
            return f"{self.name}: {self.place}, called or computing otherwise"
        return f"{self.name}: {self.place} | {later.place}"


def did_not_crash(record: Record) -> bool:
    """Tell whether a process was ended from outside, or looked at as it ran."""
    label = verdict_label(record)
    category = get_group(record, "signature").get("category")
    return label in _DID_NOT_FAIL or (label == "cannot-tell" and category in _FROM_OUTSIDE)


def compare_copies(first: Record, second: Record, *, alike: bool) -> tuple[str, list[str]]:
    """Return the answer for two processes that did not crash, and where threads that moved stood.

    `alike`: their keys are equal. No thread of two different processes has moved.
    """
    if not is_same_process(first, second):
        if all(verdict_label(record) in _STUCK for record in (first, second)):
            return ("The same hang." if alike else "Not the same hang."), []
        place = "the same place" if alike else "different places"
        return f"Neither crashed by itself. They stand at {place}.", []
    # The time between two copies in seconds, by the dates of their files.
    times = [get_number(get_group(record, "time"), "crash_ts") for record in (first, second)]
    apart = round(abs(times[0] - times[1])) if all(times) else 0
    start = f"One process, looked at twice{f' (files {apart:,} s apart)' if apart else ''}: "
    moved, stayed = _compare_threads(first, second)
    if not moved and not stayed:
        return f"{start}no Python thread of it can be compared.", []
    threads = counted(len(moved) + len(stayed), "thread")
    if moved:
        places = [before.moves_words(after) for before, after in moved]
        return f"{start}{len(moved)} of its {threads} moved. What moves is not blocked.", places
    beside = " Its tasks were not compared." if get_group(first, "tasks") else ""
    which = "its one thread has not moved" if len(stayed) == 1 else f"none of its {threads} moved"
    return f"{start}{which}. It hangs, waits for work, or computes within these lines.{beside}", []


def is_same_process(first: Record, second: Record) -> bool:
    """Tell whether two records are of one process: its pid, program, host and a thread are equal.

    Python's number of a thread is an address, which another process with that pid hardly has.
    """
    processes = [get_group(record, "process") for record in (first, second)]
    hosts = {get_group(record, "host").get("hostname") for record in (first, second)} - {None}
    numbers = [
        {(stack.get("tid"), stack.get("ident")) for stack in listed_stacks(record)}
        for record in (first, second)
    ]
    return (
        processes[0].get("pid") is not None and len(hosts) < 2
        and all(processes[0].get(k) == processes[1].get(k) for k in ("pid", "exec_id", "script"))
        and not numbers[0].isdisjoint(numbers[1])
    )  # fmt: skip


def _compare_threads(
    first: Record, second: Record
) -> tuple[list[tuple[_Stand, _Stand]], list[_Stand]]:
    """Return the threads of both copies that moved, and those that stand where they stood."""
    before, after = _stands(first), _stands(second)
    both = [(before[tid], after[tid]) for tid in before if tid in after]
    moved = [(a, b) for a, b in both if a.has_moved(b)]
    return moved, [a for a, b in both if not a.has_moved(b)]


def _stands(record: Record) -> dict[Any, _Stand]:
    """Return where each thread that runs Python stands, by its id."""
    crashed = get_group(get_group(record, "threads"), "crashed")
    stands = {}
    for stack in listed_stacks(record):
        tid = stack.get("tid")
        whole = stack if stack.get("frames") or tid != crashed.get("tid") else crashed
        frames = get_groups(whole, "frames")
        calls = [c for c in calls_of_record(frames) if c.language == PYTHON]
        if calls:
            names = tuple((call.name, call.lineno) for call in calls)
            addresses = tuple(frame["pc"] for frame in frames if frame.get("pc"))
            name = str(stack.get("name") or tid)
            stands[tid] = _Stand(name, names, call_words(calls[0]), addresses)
    return stands
