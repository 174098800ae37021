# SPDX-License-Identifier: Apache-2.0
"""Cache lines of zeros in which a block of an allocator ends and another one begins.

Programs clear blocks, or parts of them, and too much at that: such zeros begin where a block does,
or where its program thinks a member does. Neither knows of cache lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.corruption.checks.malloc_chunks import Gone
from gdb_epi.corruption.context import Context

LINE, WORD = 64, 8
BEFORE = 2  # words before the line that are given
HEADER = 16  # bytes of a malloc chunk before its block


def blocks_across(context: Context, start: int, words: Sequence[int]) -> str:
    """Return what a line of zeros at `start` runs across; "" for nothing that tells.

    `words` are those of the line, with two before and two behind. One of the line may have been
    written since. The zeros must end with the line on one side, and begin inside of a block.
    """
    line = words[BEFORE:-BEFORE]
    written = sum(word != 0 for word in line)
    ends = bool(words[BEFORE - 1] or line[0]), bool(words[-BEFORE] or line[-1])
    if written > 1 or not any(ends) or (written == 1 and (line[0] or line[-1]) and not all(ends)):
        return ""
    first = next(n for n, word in enumerate(words) if n >= BEFORE - 1 and not word)
    return _chunks(context, start, start + (first - BEFORE) * WORD) or _pool(
        context, start, start + (first - BEFORE) * WORD
    )


def _chunks(context: Context, start: int, first: int) -> str:
    """Tell of malloc's chunks; `first` is the first zero."""
    gone: list[Gone] = context.kept.get("chunks gone", [])
    for one in gone:
        if start <= one.header + WORD < start + LINE and first > one.before + HEADER:
            return (
                f"the header of the malloc chunk at {one.header:#018x} is gone with it, inside of "
                f"the one at {one.before:#018x} the zeros begin, and chunks follow behind"
            )
    return ""


def _pool(context: Context, start: int, first: int) -> str:
    """Tell of blocks of pymalloc's that are in use."""
    things = context.things
    within, place = things.place_in_block(start), things.place_in_block(start + LINE - WORD)
    if within is None or place is None or not WORD <= place < LINE - WORD:
        return ""
    before, behind = start - within, start + LINE - WORD - place
    if things.in_free_block(start) or things.in_free_block(behind) or first <= before:
        return ""
    return (
        f"in it the block of pymalloc's at {before:#018x} ends, inside of which the zeros begin, "
        f"and the one at {behind:#018x} begins"
    )
