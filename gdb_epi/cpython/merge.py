# SPDX-License-Identifier: Apache-2.0
"""Merge a native stack with the Python frames that it runs.

Each native call of the eval loop runs one or more Python frames, the last of which is marked
`is_entry`; so the n-th eval frame from the inside takes the n-th group of Python frames.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gdb_epi.cpython.types import MergedStack, PyFrame, StackFrame, ThreadState
from gdb_epi.errors import Absent
from gdb_epi.target.api import NativeFrame

# The function that runs bytecode (Python/ceval.c, 3.8 to 3.15); compilers split parts off as
# .cold, LTO renames it, and 3.14's tail-call interpreter has one function for each opcode.
_EVAL = re.compile(
    r"_PyEval_EvalFrameDefault(?:\.[a-z_.0-9]+)?\Z|_TAIL_CALL_\w+(?:\.[a-z_.0-9]+)?\Z"
)


def is_eval_frame(frame: NativeFrame) -> bool:
    """Tell whether a native frame is a call of the bytecode interpreter."""
    return frame.function is not None and not frame.inlined and bool(_EVAL.match(frame.function))


def group_by_entry(frames: Sequence[PyFrame]) -> list[list[PyFrame]]:
    """Split Python frames (innermost first) into what one eval call runs each."""
    groups: list[list[PyFrame]] = []
    current: list[PyFrame] = []
    for frame in frames:
        current.append(frame)
        if frame.is_entry:
            groups.append(current)
            current = []
    return [*groups, current] if current else groups


def merge_stack(
    tid: int | None, thread: ThreadState | None, native: Sequence[NativeFrame] | Absent
) -> MergedStack:
    """Return the merged stack of one thread, innermost first.

    Where the counts of eval frames and groups differ (a smashed stack, a damaged link, no symbol
    for the eval loop) the groups are matched from the outside. What is left over is put where the
    eval loop begins, behind the native frames that it called; nothing is dropped.
    """
    python = thread.frames if thread is not None else ()
    if isinstance(native, Absent):
        return MergedStack(tid, tuple(StackFrame(None, frame) for frame in python), native)
    gap = next((i for i, frame in enumerate(native) if frame.kind == "sentinel"), None)
    groups = group_by_entry(python)
    merged = _merge(native, groups) if gap is None else _merge_cut(native, gap, groups)
    return MergedStack(tid, tuple(merged), None)


def _merge_cut(
    native: Sequence[NativeFrame], gap: int, groups: list[list[PyFrame]]
) -> list[StackFrame]:
    """Merge a native stack whose middle was left out: its inner part takes the innermost groups,
    its outer part the outermost, and the gap what lies between."""
    inner, outer = native[:gap], native[gap + 1 :]
    first = min(sum(map(is_eval_frame, inner)), len(groups))
    last = max(len(groups) - sum(map(is_eval_frame, outer)), first)
    between = [StackFrame(None, frame) for group in groups[first:last] for frame in group]
    return [
        *_merge(inner, groups[:first]),
        StackFrame(native[gap], None),
        *between,
        *_merge(outer, groups[last:]),
    ]


def _merge(native: Sequence[NativeFrame], groups: list[list[PyFrame]]) -> list[StackFrame]:
    evals = [index for index, frame in enumerate(native) if is_eval_frame(frame)]
    surplus = max(len(groups) - len(evals), 0)
    by_index = dict(zip(reversed(evals), reversed(groups), strict=False))
    first = evals[0] if evals else len(native)
    left_over = [StackFrame(None, frame) for group in groups[:surplus] for frame in group]
    merged: list[StackFrame] = []
    for index, frame in enumerate(native):
        if index == first:
            merged += left_over
        merged.append(StackFrame(frame, None))
        merged += [StackFrame(None, p) for p in by_index.get(index, [])]
    return merged + left_over if first == len(native) else merged
