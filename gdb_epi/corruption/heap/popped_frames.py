# SPDX-License-Identifier: Apache-2.0
"""Frames of a data stack (3.11 and later): where they end, and what a popped one held.

A frame that is being left hands its link to the thread state, and gives up its code (3.14 and
later clear the word first): where a wrong one of these stood is known by the place of the frame.
Reference: _PyThreadState_PopFrame, Python/pystate.c; clear_thread_frame(), Python/ceval.c.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.object_walk import TAG, ObjectWalk, object_walk
from gdb_epi.cpython.types import ThreadState
from gdb_epi.errors import Absent
from gdb_epi.sizes import HALF_MASK
from gdb_epi.typing_lite import NamedTuple

MAX_THREADS = 1024
CLEARED = (0, 1)  # NULL; PyStackRef_NULL from 3.14 on


class FrameOffsets(NamedTuple):
    """Offsets: the top in a thread state, members of frames, what code objects say about sizes."""

    top: int
    code: int
    previous: int
    variables: int
    slots: int
    depth: int


def frame_offsets(walk: ObjectWalk) -> FrameOffsets | None:
    """Return where to look; None for Pythons without data stacks."""
    layout, frame = walk.reader.layout, "_PyInterpreterFrame"
    offsets = (
        layout.offset("PyThreadState", "datastack_top"),
        layout.offset(frame, "f_executable.bits", "f_executable", "f_code"),
        layout.offset(frame, "previous"),
        layout.offset(frame, "localsplus"),
        layout.offset("PyCodeObject", "co_nlocalsplus"),
        layout.offset("PyCodeObject", "co_stacksize"),
    )
    present = [offset for offset in offsets if offset is not None]
    return FrameOffsets(*present) if len(present) == len(offsets) else None


def find_frame_end(walk: ObjectWalk, frame: int, places: FrameOffsets) -> int:
    """Return where a frame ends; 0 if there is no frame."""
    return end_of_frame_of_code(walk, frame, walk.reader.word(frame + places.code) & ~TAG, places)


def end_of_frame_of_code(walk: ObjectWalk, frame: int, code: int, places: FrameOffsets) -> int:
    """Return where a frame of a code object ends; 0 for anything but a code object."""
    if walk.type_name_at(code) != "code":
        return 0
    word = walk.reader.word
    count, depth = (word(code + at & ~7) >> 8 * (at & 4) for at in (places.slots, places.depth))
    return frame + places.variables + 8 * ((count & HALF_MASK) + (depth & HALF_MASK))


def popped_frame_link_slot(context: Context, value: int) -> int | None:
    """Return the place of the link of a frame that was just left, if it holds `value`.

    The thread state and registers have it from there.
    """
    for walk, places, thread in _threads_with_data_stacks(context):
        place = walk.reader.word(thread.address + places.top) + places.previous
        if value and walk.reader.word(place) == value:
            return place
    return None


def popped_frame_code_slot(context: Context, code: int) -> int | None:
    """Return the place of the code of a frame that is being left, if it can have been `code`.

    It begins where the frame ends that is to run on, has given up its code, and with `code` it
    ends where the data stack does.
    """
    for walk, places, thread in _threads_with_data_stacks(context):
        below = thread.frames[0].address if thread.frames else 0
        left = find_frame_end(walk, below, places) if below else 0
        if left and walk.reader.word(left + places.code) in CLEARED:
            top = walk.reader.word(thread.address + places.top)
            if end_of_frame_of_code(walk, left, code, places) == top:
                return left + places.code
    return None


def _threads_with_data_stacks(
    context: Context,
) -> Iterator[tuple[ObjectWalk, FrameOffsets, ThreadState]]:
    """Yield the threads with what is needed to read their data stacks; none before 3.11."""
    walk, python = object_walk(context), context.state.python
    places = None if isinstance(walk, Absent) else frame_offsets(walk)
    if isinstance(walk, Absent) or places is None or isinstance(python, Absent):
        return
    for thread in python.threads()[:MAX_THREADS]:
        yield walk, places, thread
