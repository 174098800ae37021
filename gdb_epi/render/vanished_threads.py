# SPDX-License-Identifier: Apache-2.0
"""The threads that a fork left behind, as lines; `epi fork` and `epi bt --all` share them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdb_epi.locks.types import VanishedThread, VanishedThreads
from gdb_epi.render.frame_lines import fold_calls, row_lines
from gdb_epi.render.python_stacks import python_call
from gdb_epi.util import counted, quoted_name

# Where Python frames of a vanished thread come from, and how far they can be trusted.
_TRUST = {
    "thread state": "as it was at fork()",
    "freed thread state": "as it was at fork(); its thread state was freed since, its frames not",
    "frames on its stack": "frames that its stack points into: the outer ones are right, "
    "inner ones may be older",
}


def vanished_title(thread: VanishedThread) -> str:
    """Return the heading of one vanished thread."""
    number = "number not known" if thread.tid is None else f"thread {thread.tid}"
    main = ", its main thread" if thread.is_main else ""
    return f"{quoted_name(thread.name) or 'a thread without a name'} ({number} of the parent{main})"


def vanished_summary(vanished: VanishedThreads) -> str:
    """Return how many threads vanished, as far as this is known."""
    count = len(vanished.threads)
    if not count:
        more = ", but their stacks may have been reused or unmapped" if vanished.at_least else ""
        return f"No thread of the parent was left behind, as far as can be seen{more}."
    least = "At least " if vanished.at_least else ""
    were = "threads of the parent were" if count > 1 else "thread of the parent was"
    return f"{least}{count} {were} not copied by fork():"


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
        lines += row_lines(fold_calls([python_call(frame) for frame in thread.frames[:limit]]))
        if len(thread.frames) > limit:
            lines.append(f"  ... {counted(len(thread.frames) - limit, 'more frame')} (--limit N)")
        lines += below(thread) if below is not None else ()
        lines.append("")
    return lines
