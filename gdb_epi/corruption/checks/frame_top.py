# SPDX-License-Identifier: Apache-2.0
"""R10, R18: which frame runs, and what it runs, held against the data stack and the code."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.left_frames import FramePlaces, end_of, frame_places
from gdb_epi.corruption.own_fields import in_data_stack
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.typed_walk import TAG, Walk, walk_of
from gdb_epi.corruption.types import MEMORY, Evidence, Skipped, word_evidence
from gdb_epi.cpython.types import ThreadState
from gdb_epi.errors import Absent

MAX_THREADS = 1024
LOWEST_BIT = 3
UNIT = 2  # bytes of a _Py_CODEUNIT
MAX_UNITS = 1 << 24


@check("R10-top", needs="python", order=57)
def frame_top(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare the running frame of each thread with the top of its data stack (3.11 and later).

    A frame is its header, its variables and its stack of values, and the next one begins where it
    ends (_PyThreadState_PushFrame, Python/pystate.c). Innocent causes: a crash while a frame is
    made or left, frames of generators and overwritten frames: then no word one bit away is a frame
    that ends exactly there.
    """
    walk, python = walk_of(context), context.state.python
    if isinstance(walk, Absent) or isinstance(python, Absent):
        yield Skipped("R10-top", "no Python, or its layout is not known")
        return
    places = frame_places(walk)
    if places is None:
        return
    for thread in python.threads()[:MAX_THREADS]:
        if thread.frames and thread.frames[0].address:
            yield from _of_thread(context, walk, thread, places)


def _of_thread(
    context: Context, walk: Walk, thread: ThreadState, places: FramePlaces
) -> Iterator[Evidence]:
    top = walk.reader.word(thread.address + places.top)
    frame = thread.frames[0].address
    if not top or end_of(walk, frame, places) == top or not in_data_stack(context, top):
        return
    flips = [frame ^ 1 << bit for bit in range(LOWEST_BIT, 47)]
    right = [one for one in flips if one < top and end_of(walk, one, places) == top]
    if len(right) != 1:
        return
    left = top + places.previous  # of the frame that was left last: it began at the top
    where: int | str = left if walk.reader.word(left) == frame else "current frame"
    yield word_evidence(
        "R10",
        where,
        frame,
        right[0],
        MEMORY,
        f"the running frame of the thread at {thread.address:#018x} is {frame:#018x}; only the "
        f"one at {right[0]:#018x}, one bit away, ends where the data stack does, at {top:#018x}",
    )


@check("R18-code", needs="python", order=57)
def instruction(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare the instruction pointer of each frame with the range of its code (3.11 and later).

    The interpreter may have run some of what lies at the wrong place: then the pointer is that of
    a later instruction, and one bit still brings it back. Innocent causes: overwritten frames, and
    frames whose code object is none (many bits, or nothing to compare with).
    """
    walk = walk_of(context)
    if isinstance(walk, Absent):
        yield Skipped("R18-code", walk.detail)
        return
    layout = walk.reader.layout
    places = frame_places(walk)
    at = layout.offset("_PyInterpreterFrame", "instr_ptr", "prev_instr")
    first = layout.offset("PyCodeObject", "co_code_adaptive")
    size_at = layout.offset("PyVarObject", "ob_size")
    if places is None or at is None or first is None or size_at is None:
        return
    for frame in _with_dropped(walk, places):
        code = walk.reader.word(frame + places.code) & ~TAG
        if walk.type_at(code) != "code":
            continue
        value, count = walk.reader.word(frame + at), walk.reader.word(code + size_at)
        start, end = code + first, code + first + UNIT * min(count, MAX_UNITS)
        right = [value ^ 1 << bit for bit in range(1, 64) if start <= value ^ 1 << bit < end]
        if not value or value & 1 or start - UNIT <= value <= end or len(right) != 1:
            continue
        yield word_evidence(
            "R18",
            frame + at,
            value,
            right[0],
            MEMORY,
            f"the instruction pointer {value:#018x} of the frame at {frame:#018x} is outside of "
            f"its code, {start:#018x} to {end:#018x}; one bit brings it back",
        )


def _with_dropped(walk: Walk, places: FramePlaces) -> Iterator[int]:
    """Yield the frames, and those right behind them: one that seems not to have begun is dropped.

    Such frames are ordinary between two steps of a call; their pointer is then right.
    """
    seen: set[int] = set()
    for one in walk.frames:
        for frame in (one.address, walk.reader.word(one.address + places.previous)):
            for place in (frame, end_of(walk, frame, places)):
                if place and place not in seen:
                    seen.add(place)
                    yield place
