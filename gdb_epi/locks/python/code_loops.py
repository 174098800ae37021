# SPDX-License-Identifier: Apache-2.0
"""Which stretches of code are loops, by their jumps back.

Since 3.12 the compiler puts handlers of exceptions after all other code (gh-92228, see
push_cold_blocks_to_end in Python/flowgraph.c), so their way out jumps back too: the end of a `with`
block looks like a loop around all that follows it. Such a jump belongs to a loop only when the code
that it leads to can raise into that handler again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from gdb_epi.cpython.frames.frame_slots import ExceptionTableEntry
from gdb_epi.typing_lite import NamedTuple

MAX_JUMPS = 4096  # of one code object that are examined
MAX_ENTRIES = 4096
MAX_CHAIN = 16  # jumps that lead to jumps


class BackwardJump(NamedTuple):
    """A jump back from `at` to `to`; a quiet one (no check for signals) never closes a loop itself.

    Quiet ones are those of an `await` and, since 3.13, those out of handlers.
    """

    at: int
    to: int
    quiet: bool = False


def loops_of(
    jumps: Sequence[BackwardJump], entries: Sequence[ExceptionTableEntry]
) -> tuple[tuple[int, int], ...]:
    """Return the loops as (first, last) byte.

    `entries` are the exception table of code whose handlers stand last; else leave them empty.
    """
    by_target: dict[int, list[ExceptionTableEntry]] = {}
    for entry in entries[:MAX_ENTRIES]:
        by_target.setdefault(entry.target, []).append(entry)
    handlers = sorted(by_target)
    by_place = {jump.at: jump for jump in jumps}
    loops: list[tuple[int, int]] = []
    for jump in jumps[:MAX_JUMPS]:
        handler = _last_before(handlers, jump.at)
        if handler <= jump.to:
            if not jump.quiet:
                loops.append((jump.to, jump.at))
            continue
        first = jump.to
        for _ in range(MAX_CHAIN):
            if first not in by_place or by_place[first].to >= handler:
                break
            first = by_place[first].to
        if raising := list(_raising(first, handler, by_target, handlers)):
            loops += [*raising, (handler, jump.at)]
    return tuple(dict.fromkeys(loops))


def _raising(
    first: int,
    handler: int,
    by_target: Mapping[int, list[ExceptionTableEntry]],
    handlers: Sequence[int],
) -> Iterator[tuple[int, int]]:
    """Yield the stretches from `first` on that lead into a handler, through others too.

    The code of those others is yielded as well: a handler whose own cleanup stands after it leads
    on to a jump after that, so the turn goes through it.
    """
    todo, through = [handler], {handler: (handler, 0, 0)}  # by handler: the next one, its own code
    guarded: list[tuple[int, int]] = []  # who handles what is raised up to which byte
    while todo:
        inside = todo.pop()
        for entry in by_target[inside]:
            if entry.end <= first:
                continue
            within = _last_before(handlers, entry.start)
            if within <= first:
                guarded.append((inside, entry.end))
            elif within not in through:
                through[within] = (inside, within, entry.end)
                todo.append(within)
            elif through[within][0] != inside:  # more of its own code, as `except E as name` has
                following, start, end = through[within]
                through[within] = following, start, max(end, entry.end)
    for following, end in guarded:
        yield first, end
        while following != handler:
            following, start, end = through[following]
            yield start, end


def _last_before(handlers: Sequence[int], at: int) -> int:
    """Return the last handler that begins at a byte or before it; -1 when none does."""
    number = bisect_right(handlers, at)
    return handlers[number - 1] if number else -1
