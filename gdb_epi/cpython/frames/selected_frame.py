# SPDX-License-Identifier: Apache-2.0
"""Which Python frame a native frame stands for: the one that a debugger's user has selected.

It is the innermost Python frame that the native frame runs, by the places that merged_stack.py
gives; a native frame that runs none stands for the next caller that has one. Where merged_stack.py
could not tell the place of a Python frame, its eval call's address on the C stack tells on which
side of the selected frame it is; without that address there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.cpython.frames.eval_calls import EvalCall
from gdb_epi.cpython.frames.merged_stack import LEFT_OUT
from gdb_epi.cpython.types import MergedFrame, MergedStack, PyFrame
from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent
from gdb_epi.target.api import NativeFrame
from gdb_epi.typing_lite import NamedTuple


class SelectedFrame(NamedTuple):
    """A native frame, 0 innermost; `sp` is that of the physical frame which it is part of.

    0 means that the stack pointer is not known.
    """

    level: int
    pc: int
    sp: int


def find_python_frame(
    stack: MergedStack, calls: Sequence[EvalCall], selected: SelectedFrame
) -> PyFrame | Absent:
    """Return the Python frame that a native frame stands for, or why there is none."""
    if stack.native is not None:
        return Absent(
            NOT_AVAILABLE, f"its place among the Python frames is not known: {stack.native.detail}"
        )
    places = {f.address: call.on_stack for call in calls for f in call.frames if f.address}
    position = _position(stack.frames, selected)
    if position is None:
        return Absent(NOT_AVAILABLE, "it was not unwound")
    start = stack.frames[position].native
    in_gap = start is not None and start.kind == "sentinel"
    for frame in stack.frames[position + 1 :]:
        if frame.python is None:
            continue
        if frame.evidence and not (in_gap and frame.evidence == LEFT_OUT):
            return frame.python
        place = places.get(frame.python.address)
        if not place or not selected.sp:
            return Absent(NOT_AVAILABLE, "its place among the Python frames is not known")
        if place >= selected.sp:
            return frame.python
    return Absent(NOT_APPLICABLE, "neither it nor a caller of it runs Python")


def frames_with_levels(stack: MergedStack) -> Iterator[tuple[int, MergedFrame]]:
    """Yield each frame with the level of its native frame, 0 innermost.

    A Python frame has that of the next native frame inwards, the call of the eval loop that runs
    it, where merged_stack.py knows its place.
    """
    level, following = 0, 0
    for frame in stack.frames:
        if frame.native is not None:
            level, following = following, following + max(1, frame.native.left_out)
        yield level, frame


def find_native_level(stack: MergedStack, python: PyFrame) -> int | None:
    """Return the level of the native frame that runs a Python frame; None where it is not known."""
    if stack.native is not None:
        return None
    for level, frame in frames_with_levels(stack):
        if frame.python is python:
            return level if frame.evidence not in ("", LEFT_OUT) else None
    return None


def _position(frames: Sequence[MergedFrame], selected: SelectedFrame) -> int | None:
    """Return where a native frame stands in the stack; the gap's place if it was left out."""
    native = list(_native(frames))
    gap = next((i for i, (_, f) in enumerate(native) if f.kind == "sentinel"), len(native))
    if selected.level < gap:
        return native[selected.level][0]
    outer = native[gap:]
    same = (i for i, f in outer if f.kind != "sentinel" and (f.pc, f.sp) == selected[1:])
    return next(same, outer[0][0] if outer else None)


def _native(frames: Sequence[MergedFrame]) -> Iterator[tuple[int, NativeFrame]]:
    for index, frame in enumerate(frames):
        if frame.native is not None:
            yield index, frame.native
