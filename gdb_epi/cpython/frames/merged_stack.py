# SPDX-License-Identifier: Apache-2.0
"""Merge a native stack with the Python frames that it runs; name the trampolines of `-X perf`.

Each native call of the eval loop runs one or more Python frames, the last of which is marked
`is_entry`. Which native frame that is, is proven by a structure of that call which lies in it
(eval_calls.py); else told by the symbol of the eval loop, the n-th such frame from the outside
taking the n-th group. Where neither is at hand the frames are not placed, and the stack says so.

With `-X perf` (3.12 and later) code without a file lies between calls of the eval loop: each code
object gets a copy of one small function, so that profilers see an address for it. The copies say
nothing that the Python frames beside them do not say.
Reference: CPython 3.12 Objects/asm_trampoline.S, Python/perf_trampoline.c.

Which Python frame a native frame stands for: the one that a debugger's user has selected.

It is the innermost Python frame that the native frame runs, by the places that merged_stack.py
gives; a native frame that runs none stands for the next caller that has one. Where merged_stack.py
could not tell the place of a Python frame, its eval call's address on the C stack tells on which
side of the selected frame it is; without that address there is no answer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gdb_epi.cpython.frames.eval_calls import EvalCall, assume_eval_calls, named_eval_frame_indices
from gdb_epi.cpython.types import MergedFrame, MergedStack, PyFrame, ThreadState
from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent
from gdb_epi.target.api import NativeFrame, Target, try_read
from gdb_epi.typing_lite import NamedTuple

SYMBOL = "symbol"  # beside the evidence that eval_calls.py names
LEFT_OUT = "left-out"  # in the middle of a very deep stack, whose native frames are left out

# Native frames of the eval loop take 0.2 to 4 KiB; a much larger one means that the unwinder
# jumped over frames.
MAX_EVAL_FRAME = 64 << 10
START, END = "_Py_trampoline_func_start", "_Py_trampoline_func_end"
MAX_SIZE = 64  # bytes; 11 to 15 in 3.12 to 3.15


def merge_stack(
    tid: int | None,
    thread: ThreadState | None,
    native: Sequence[NativeFrame] | Absent,
    calls: Sequence[EvalCall] | None = None,
    notes: Sequence[str] = (),
) -> MergedStack:
    """Return the merged stack of one thread, innermost first; nothing is dropped.

    `calls` are the eval calls of the thread with their places on the C stack; without them the
    symbol of the eval loop decides. A call whose native frame is unknown is put where the next
    outer eval frame begins, after the native frames that it called.
    """
    if calls is None:
        calls = assume_eval_calls(thread.frames if thread is not None else ())
    if isinstance(native, Absent):
        frames = tuple(MergedFrame(None, frame) for call in calls for frame in call.frames)
        return MergedStack(tid, frames, native, tuple(notes))
    plan = _EvalCallPlacement(native, calls)
    return MergedStack(tid, tuple(plan.frames()), None, (*notes, *plan.notes()))


class _EvalCallPlacement:
    """Where each eval call goes."""

    def __init__(self, native: Sequence[NativeFrame], calls: Sequence[EvalCall]) -> None:
        self._native = native
        self._calls = calls
        self._gap = next((i for i, f in enumerate(native) if f.kind == "sentinel"), None)
        self._named = named_eval_frame_indices(native)
        self._at: dict[int, list[EvalCall]] = {}  # after this native frame
        self._evidence: dict[int, str] = {}
        self._unplaced: dict[int, list[EvalCall]] = {}  # before this native frame
        # Place the proven calls, then each run of others between two proven ones
        where = self._proven_native_frames()
        run: list[EvalCall] = []
        low = -1
        for position, call in enumerate(self._calls):
            index = where.get(position)
            if index is None:
                run.append(call)
                continue
            self._match_calls_to_named_eval_frames(run, low, index)
            self._place_call(index, call, LEFT_OUT if index == self._gap else call.evidence)
            run, low = [], index
        self._match_calls_to_named_eval_frames(run, low, len(self._native))

    def frames(self) -> list[MergedFrame]:
        """Return the stack."""
        merged: list[MergedFrame] = []
        for index, frame in enumerate(self._native):
            merged += _merged_python_frames(self._unplaced.get(index, ()), "")
            evidence = self._evidence.get(index, "")
            merged.append(MergedFrame(frame, None, evidence if index != self._gap else ""))
            merged += _merged_python_frames(self._at.get(index, ()), evidence)
        return merged + _merged_python_frames(self._unplaced.get(len(self._native), ()), "")

    def notes(self) -> list[str]:
        """Return what could not be placed, and why."""
        lost = [call for calls in self._unplaced.values() for call in calls]
        count = sum(len(call.frames) for call in lost)
        if not count:
            return []
        reasons = dict.fromkeys(self._why_not_placed(call) for call in lost)
        which = "1 Python frame is" if count == 1 else f"{count} Python frames are"
        return [f"{which} not at the native frame that ran them: {'; '.join(reasons)}"]

    def _why_not_placed(self, call: EvalCall) -> str:
        if not call.on_stack:
            return f"no eval frame with a symbol is left for them, and {call.why_not}"
        outermost = max((f.sp for f in self._native), default=0)
        if call.on_stack >= outermost:
            return "the native stack ends before it reaches them"
        return "their place on the C stack is in no unwound frame"

    def _proven_native_frames(self) -> dict[int, int]:
        """Return the native frame of each call that has one, by position.

        A call placed inside an inner one is a sign of damage: then it is not placed.
        """
        ranges = _StackRanges(self._native, self._gap)
        places: dict[int, int] = {}
        innermost = 0
        for position, call in enumerate(self._calls):
            index = ranges.frame_holding(call.on_stack) if call.on_stack else None
            if index is not None and index >= innermost:
                places[position] = innermost = index
        return places

    def _place_call(self, index: int, call: EvalCall, evidence: str) -> None:
        self._at.setdefault(index, []).append(call)
        self._evidence[index] = evidence

    def _match_calls_to_named_eval_frames(
        self, run: Sequence[EvalCall], low: int, high: int
    ) -> None:
        """Give the named eval frames between two native frames to calls, from the outside."""
        if not run:
            return
        named = [index for index in self._named if low < index < high]
        if self._gap is not None and low < self._gap < high:
            run = self._place_around_gap(run, named, self._gap)
            named = [index for index in named if index < self._gap]
        for index, call in zip(reversed(named), reversed(run), strict=False):
            self._place_call(index, call, SYMBOL)
        left = run[: max(len(run) - len(named), 0)]
        if left:
            self._unplaced.setdefault(named[0] if named else high, []).extend(left)

    def _place_around_gap(
        self, run: Sequence[EvalCall], named: Sequence[int], gap: int
    ) -> Sequence[EvalCall]:
        """Place the calls that belong into and outside the gap; return the calls left over."""
        outer = [index for index in named if index > gap]
        first = min(len(named) - len(outer), len(run))
        last = max(len(run) - len(outer), first)
        for call in run[first:last]:
            self._place_call(gap, call, LEFT_OUT)
        for index, call in zip(reversed(outer), reversed(run[last:]), strict=False):
            self._place_call(index, call, SYMBOL)
        return run[:first]


def _merged_python_frames(calls: Sequence[EvalCall], evidence: str) -> list[MergedFrame]:
    return [MergedFrame(None, frame, evidence) for call in calls for frame in call.frames]


class _StackRanges:
    """Which native frame's own part of the stack an address lies in.

    A frame owns what is between its stack pointer and that of its caller. Stacks of signal
    handlers may lie anywhere (sigaltstack), so the frames are sorted.
    """

    def __init__(self, native: Sequence[NativeFrame], gap: int | None) -> None:
        ranges: list[tuple[int, int, int]] = []
        physical = [(i, f) for i, f in enumerate(native) if not f.inlined]
        for (index, frame), (_, caller) in pairwise(physical):
            if frame.kind == "normal" and 0 < caller.sp - frame.sp <= MAX_EVAL_FRAME and frame.sp:
                ranges.append((frame.sp, caller.sp, index))
        if gap is not None and 0 < gap < len(native) - 1:
            ranges.append((native[gap - 1].sp, native[gap + 1].sp, gap))
        ranges.sort()
        self._found = ranges
        self._starts = [low for low, _, _ in ranges]

    def frame_holding(self, address: int) -> int | None:
        """Return the index of the native frame that holds an address, or None."""
        position = bisect_right(self._starts, address) - 1
        if position < 0:
            return None
        _, high, index = self._found[position]
        return index if address < high else None


def name_trampolines(target: Target, native: Sequence[NativeFrame]) -> Sequence[NativeFrame]:
    """Return the frames, those in copies of the trampoline with its name."""
    if all(frame.function or frame.module for frame in native):
        return native
    start, end = target.symbol(START), target.symbol(END)
    if start is None or end is None or not 0 < end - start <= MAX_SIZE:
        return native
    code = try_read(target, start, end - start)
    if not code:
        return native
    return [
        frame._replace(function=START)
        if not (frame.function or frame.module) and _lies_in_trampoline_copy(target, frame.pc, code)
        else frame
        for frame in native
    ]


def _lies_in_trampoline_copy(target: Target, pc: int, code: bytes) -> bool:
    """Tell whether a copy begins less than its own size before an address, or at it."""
    start = pc - len(code)
    region = target.region_at(pc)
    if region is None:
        return False
    start = max(start, region.start)
    return code in try_read(target, start, min(pc + len(code), region.end) - start)


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
    position = _index_in_stack(stack.frames, selected)
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


def _index_in_stack(frames: Sequence[MergedFrame], selected: SelectedFrame) -> int | None:
    """Return where a native frame stands in the stack; the gap's place if it was left out."""
    native = list(_native_frames_with_index(frames))
    gap = next((i for i, (_, f) in enumerate(native) if f.kind == "sentinel"), len(native))
    if selected.level < gap:
        return native[selected.level][0]
    outer = native[gap:]
    same = (i for i, f in outer if f.kind != "sentinel" and (f.pc, f.sp) == selected[1:])
    return next(same, outer[0][0] if outer else None)


def _native_frames_with_index(frames: Sequence[MergedFrame]) -> Iterator[tuple[int, NativeFrame]]:
    for index, frame in enumerate(frames):
        if frame.native is not None:
            yield index, frame.native
