# SPDX-License-Identifier: Apache-2.0
"""Waits and holders as sentences, a tree, a Graphviz graph and JSON."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.locks.types import CERTAIN, GIL, JOINS, LockOwner, LockReport, LockWait, lock_phrase
from gdb_epi.locks.waits.wait_graph import DEADLOCK_WORDS, MAX_SHOWN, deadlock_kind
from gdb_epi.process_state import ProcessState
from gdb_epi.render.python_stacks import thread_words
from gdb_epi.render.triage_wait_lines import HOLDERS, OF_THE_PARENT
from gdb_epi.typing_lite import Any
from gdb_epi.util import quoted_name

MAX_LINES = 20_000
MAX_TOGETHER = 6  # threads named for one wait


def wait_lines(state: ProcessState, *, evidence: bool = False) -> list[str]:
    """Return who waits for which lock and who holds it; equal waits stand together.

    Locks that are held but not waited for follow. `evidence` adds what each wait rests on.
    """
    report = state.locks
    names = thread_names(state)
    groups: dict[tuple[object, ...], list[LockWait]] = {}
    for wait in report.waits:
        same = (wait.address, wait.kind, wait.name, wait.owner, wait.verdict, wait.confidence)
        groups.setdefault(same, []).append(wait)
    lines = _circle_lines(report, names)
    for waits in groups.values():
        first = waits[0]
        who = [thread_words(names.get(wait.tid), wait.tid) for wait in waits[:MAX_TOGETHER]]
        if len(waits) > MAX_TOGETHER:
            who.append(f"{len(waits) - MAX_TOGETHER} more")
        several = len(waits) > 1
        subject = f"{', '.join(who[:-1])} and {who[-1]}" if several else who[0]
        waits_for = "wait for" if several else "waits for"
        if first.kind in JOINS and first.verdict not in HOLDERS:
            lines.append(f"{subject} {waits_for} {_awaited_end_words(first)}")
        else:
            lines += [f"{subject} {waits_for} {_lock_words(first)}", f"  {holder_words(first)}"]
        for wait in waits if evidence else ():
            lines += [f"  thread {wait.tid}: {text}" for text in wait.evidence]
    for held in report.held:
        if not held.waiters:
            by = f"held by {owner_text(held.owner)}" if held.owner.state != "unknown" else "held"
            what = f"{held.name or 'a lock without a name'} ({held.kind}, at {held.address:#x})"
            lines.append(f"Nobody waits for {what}, {by}: {held.where}")
    return lines


def _lock_words(wait: LockWait) -> str:
    where = f"at {wait.address:#x}" if wait.address else "no address"
    if not wait.name:
        return f"{lock_phrase(wait.kind, None)} ({where})"
    return f"{lock_phrase(wait.kind, wait.name)} ({wait.kind}, {where})"


def _awaited_end_words(wait: LockWait) -> str:
    """Return whose end is waited for, as with a join: nobody holds that."""
    who = owner_text(wait.owner) if wait.owner.tid or wait.owner.ident else wait.name or "a thread"
    return f"the end of {who} ({wait.kind}, at {wait.address:#x}{_doubt_words(wait, ', {}')})"


def _doubt_words(wait: LockWait, form: str) -> str:
    """Return how sure the holder of a lock is, "" where that is certain or none is named."""
    sure = wait.verdict == "unknown" or wait.confidence == CERTAIN
    return "" if sure else form.format(wait.confidence)


def wait_column_text(wait: LockWait) -> str:
    """Return what a thread waits for, and who holds that where it is known, for a column."""
    if wait.kind in JOINS:
        return f"waits for the end of {wait.name or owner_text(wait.owner)}"
    name = lock_phrase(wait.kind, wait.name)
    held = wait.owner.tid is not None and wait.owner.state not in ("none", "unknown")
    by = f", {'perhaps ' if wait.doubt else ''}held by {owner_text(wait.owner)}"
    return f"waits for {name}{by if held else ''}"


def holder_words(wait: LockWait) -> str:
    """Return who holds the lock of a wait, and how sure that is."""
    owner = wait.owner
    words = HOLDERS.get(wait.verdict, "")
    if owner.state == "none":
        # All other waits without an owner are for something to come: events, queue items, results.
        free = "nobody holds it" if wait.kind == GIL else "another thread has to wake it"
        words = words or free
    elif owner.state == "unknown":
        words = words or "holder not known"
    elif not words:
        words = f"held by {owner_text(owner)}"
    elif owner.state == "vanished" and OF_THE_PARENT in words:
        words = words.replace(OF_THE_PARENT, owner_text(owner))
    return f"{words}{_doubt_words(wait, ' ({})')}"


def lines_of_threads_not_waiting(state: ProcessState, *, every: bool) -> list[str]:
    """Say what the threads that wait for no lock are doing: one line for all, or one each."""
    waiting = {wait.tid for wait in state.locks.waits}
    others = [thread for thread in state.locks.activities if thread.tid not in waiting]
    if every:
        names = thread_names(state)
        return [
            f"{_thread_label(o.tid, names)}: {o.call or o.state} ({o.evidence})" for o in others
        ]
    counts: dict[str, int] = {}
    for thread in others:
        what = f"in {thread.call}" if thread.call else thread.state
        counts[what] = counts.get(what, 0) + 1
    doing = ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))
    if not waiting:
        return [f"No thread waits for a lock: {doing}" if doing else "No thread waits for a lock"]
    return [f"Threads that wait for no lock: {doing}"] if doing else []


def thread_names(state: ProcessState) -> dict[int, str]:
    """Return the names of threads: Python's where there is one, else the kernel's."""
    names = {t.tid: t.name or "" for t in state.target.threads()}
    names.update({t.tid: t.name for t in state.python_threads() if t.alive and t.tid and t.name})
    return names


# What follows the number of a thread that holds a lock, by the state of a LockOwner.
_NUMBER_OF = {
    "vanished": " of the parent",
    "forker-old-tid": " before fork()",
    "other-process": " of another process",
}


def owner_text(owner: LockOwner) -> str:
    """Return one owner in words."""
    if owner.state == "none":
        return "nobody"
    if owner.tid is None and owner.ident is None:
        whose = {"unknown": "whom is not known", "other-process": "whom is not known"}
        return owner.thread_name or whose.get(owner.state, "a thread that is not known")
    number = f"thread {owner.tid}" if owner.tid is not None else f"pthread {owner.ident:#x}"
    number += _NUMBER_OF.get(owner.state, "")
    return f"{quoted_name(owner.thread_name)} ({number})" if owner.thread_name else number


def _circle_lines(report: LockReport, names: dict[int, str]) -> list[str]:
    lines = []
    for cycle in report.cycles:
        shown = [_thread_label(tid, names) for tid in cycle.tids[:MAX_SHOWN]]
        if len(cycle.tids) > MAX_SHOWN:
            shown.append(f"... {len(cycle.tids) - MAX_SHOWN} more")
        ring = " -> ".join((*shown, _thread_label(cycle.tids[0], names)))
        sort = DEADLOCK_WORDS[deadlock_kind(cycle)]
        sure = "" if cycle.confidence == CERTAIN else f"; who holds what is {cycle.confidence}"
        lines.append(f"Circle of waits ({sort}{sure}): {ring}")
    return lines


def wait_tree_lines(state: ProcessState) -> list[str]:
    """Return who waits for whom: holders first, their waiters below; cycles are named before."""
    report, names = state.locks, thread_names(state)
    lines = _circle_lines(report, names)
    for line in _wait_forest_lines(report, names):
        if len(lines) >= MAX_LINES:
            return [*lines, f"... more than {MAX_LINES} lines"]
        lines.append(line)
    return lines or ["No thread waits for a lock"]


def _wait_forest_lines(report: LockReport, names: dict[int, str]) -> Iterator[str]:
    """Yield each thread that is waited for, and its waiters below; depth first, no recursion."""
    waiters: dict[str, list[LockWait]] = {}
    for wait in report.waits:
        waiters.setdefault(_holder_label(wait, names), []).append(wait)
    around = {_thread_label(cycle.tids[0], names) for cycle in report.cycles}
    waiting = {_thread_label(wait.tid, names) for wait in report.waits}
    roots = [holder for holder in waiters if holder not in waiting or holder in around]
    roots += [_thread_label(wait.tid, names) for wait in report.waits if wait.owner.tid == wait.tid]
    shown: set[str] = set()
    for root in roots:
        if root in shown:
            continue
        yield root
        shown.add(root)
        left = [(wait, "") for wait in reversed(waiters.get(root, []))]
        while left:
            wait, lead = left.pop()
            label = _thread_label(wait.tid, names)
            mark = "  (shown above)" if label in shown else ""
            awaited = wait.name or owner_text(wait.owner)
            joins = wait.kind in JOINS
            what = f"the end of {awaited}" if joins else f"{wait.kind} {wait.name or ''}".strip()
            yield f"{lead}    <- {label} waits for {what}{mark}"
            if label not in shown and label in waiters:
                shown.add(label)
                left += [(waiter, lead + "    ") for waiter in reversed(waiters[label])]


def _holder_label(wait: LockWait, names: dict[int, str]) -> str:
    if wait.owner.tid is not None and wait.owner.state == "live":
        return _thread_label(wait.owner.tid, names)
    if wait.owner.state in ("unknown", "none"):
        why = "nobody holds it" if wait.owner.state == "none" else "holder unknown"
        return f"[{wait.kind} {wait.name or hex(wait.address)}: {why}]"
    return f"[{owner_text(wait.owner)}]"


def _thread_label(tid: int, names: dict[int, str]) -> str:
    return thread_words(names.get(tid), tid)


def graphviz_lines(state: ProcessState) -> list[str]:
    """Return the wait-for graph in Graphviz's language; threads of a cycle are red."""
    report, names = state.locks, thread_names(state)
    cyclic = {tid for cycle in report.cycles for tid in cycle.tids}
    lines = ["digraph locks {", "  rankdir=LR;", "  node [fontname=monospace];"]
    for tid in sorted({w.tid for w in report.waits} | {w.owner.tid or 0 for w in report.waits}):
        if tid:
            colour = ", color=red" if tid in cyclic else ""
            lines.append(
                f"  t{tid} [shape=box, "
                f"label={_quote_for_graphviz(_thread_label(tid, names))}{colour}];"
            )
    for number, wait in enumerate(report.waits[:MAX_LINES]):
        text = f"{wait.kind} {wait.name or hex(wait.address)}"
        lines.append(f"  l{number} [label={_quote_for_graphviz(text)}];")
        lines.append(f"  t{wait.tid} -> l{number};")
        if wait.owner.tid:
            style = "" if wait.confidence == "certain" else " [style=dashed]"
            lines.append(f"  l{number} -> t{wait.owner.tid}{style};")
    return [*lines, "}"]


def _quote_for_graphviz(text: str) -> str:
    """Return a Graphviz string; what is not printable ASCII becomes a question mark."""
    clean = "".join(c if " " <= c <= "~" else "?" for c in text)
    return '"' + clean.replace("\\", "\\\\").replace('"', '\\"') + '"'


def locks_json(state: ProcessState) -> dict[str, Any]:
    """Return waits, held locks, cycles and what the other threads do, as JSON values."""
    report = state.locks
    return {
        "waits": [
            {
                "tid": wait.tid,
                "address": f"{wait.address:#018x}",
                "kind": wait.kind,
                "name": wait.name,
                "object": None if wait.object is None else f"{wait.object:#018x}",
                "owner": _owner_json(wait.owner),
                "verdict": wait.verdict,
                "confidence": wait.confidence,
                "timed": wait.timed,
                "evidence": list(wait.evidence),
            }
            for wait in report.waits
        ],
        "held": [
            {
                "address": f"{held.address:#018x}",
                "kind": held.kind,
                "name": held.name,
                "owner": _owner_json(held.owner),
                "waiters": list(held.waiters),
                "where": held.where,
            }
            for held in report.held
        ],
        "cycles": [{**cycle._asdict(), "sort": deadlock_kind(cycle)} for cycle in report.cycles],
        "activities": [activity._asdict() for activity in report.activities],
    }


def _owner_json(owner: LockOwner) -> dict[str, Any]:
    ident = None if owner.ident is None else f"{owner.ident:#018x}"
    return {**owner._asdict(), "ident": ident}
