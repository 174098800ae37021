# SPDX-License-Identifier: Apache-2.0
"""The threads that a fork left behind, as lines; `epi fork` and `epi bt --all` share them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdb_epi.locks.types import VanishedThread, VanishedThreads
from gdb_epi.render.stack import python_text
from gdb_epi.util import counted

# Where Python frames of a vanished thread come from, and how far that is to be trusted.
_TRUST = {
    "thread state": "its thread state is still there: exact",
    "freed thread state": "its thread state was freed, its frames were not: exact",
    "frames on its stack": "frames that its stack points into: outer ones exact, "
    "inner ones may be stale",
}


def vanished_title(thread: VanishedThread) -> str:
    """Return the heading of one vanished thread."""
    name = f' "{thread.name}"' if thread.name else ""
    main = " (the parent's main thread)" if thread.is_main else ""
    number = thread.tid if thread.tid is not None else "?"
    return f"vanished thread{name}, number {number} in the parent{main}"


def vanished_summary(vanished: VanishedThreads) -> str:
    """Return how many threads vanished, as far as that can be told."""
    count = len(vanished.threads)
    if not count:
        more = ": stacks of vanished threads may have been reused or unmapped"
        return f"No vanished thread was found{more if vanished.at_least else ''}."
    least = "At least " if vanished.at_least else ""
    noun = "thread" if count == 1 else "threads"
    return f"{least}{count} {noun} of the parent vanished in the fork."


def vanished_lines(
    vanished: VanishedThreads,
    *,
    limit: int,
    below: Callable[[VanishedThread], Sequence[str]] | None = None,
) -> list[str]:
    """Return every vanished thread with its Python frames at the fork, innermost first.

    `below` gives more lines for each thread, e.g. its heuristic native stack.
    """
    lines: list[str] = []
    for thread in vanished.threads:
        lines.append(vanished_title(thread))
        if thread.frames:
            lines.append(f"  ({_TRUST.get(thread.how, thread.how)})")
        else:
            lines.append(f"  (no Python frames: {thread.missing})")
        for number, frame in enumerate(thread.frames[:limit]):
            text = python_text(frame._replace(provenance="chain"))
            lines.append(f"  #{number:<3} {text}")
        if len(thread.frames) > limit:
            lines.append(f"  ... {counted(len(thread.frames) - limit, 'more frame')} (--limit N)")
        lines += below(thread) if below is not None else ()
        lines.append("")
    return lines
