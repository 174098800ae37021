# SPDX-License-Identifier: Apache-2.0
"""Native frames of the eval loop, told by symbol or by unwind table; which frame each one runs.

For versions whose eval loop keeps no structure of its own on the C stack (3.8 and 3.9) the n-th
native frame of the loop runs the n-th Python frame. Where the debugger names those frames that is
all there is to it. Where it does not, or where several interpreters share the thread, the frames
of the loop's function are counted, and each must hold the pointer to its Python frame.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

from gdb_epi.errors import UnreadableMemory
from gdb_epi.lean import TYPE_CHECKING
from gdb_epi.target.api import NativeFrame, Target
from gdb_epi.target.functions import Functions

if TYPE_CHECKING:
    from gdb_epi.cpython.types import PyFrame

EVAL_LOOP = "_PyEval_EvalFrameDefault"
# The function that runs bytecode (Python/ceval.c, 3.8 to 3.15); compilers split parts off as
# .cold, LTO renames it.
_EVAL = re.compile(r"_PyEval_EvalFrameDefault(?:\.[a-z_.0-9]+)?\Z")
# 3.14's tail-call interpreter has one function for each opcode, which the eval loop calls.
_TAIL_CALL = re.compile(r"_TAIL_CALL_\w+(?:\.[a-z_.0-9]+)?\Z")

MAX_STACK_BYTES = 16 << 20  # that are searched for pointers; the usual limit of a stack is 8 MiB

Group = Sequence["PyFrame"]


def is_eval_frame(frame: NativeFrame) -> bool:
    """Tell whether a native frame is named as a call of the bytecode interpreter."""
    return frame.function is not None and not frame.inlined and bool(_EVAL.match(frame.function))


def named_eval_frames(native: Sequence[NativeFrame]) -> list[int]:
    """Return the indices of the native frames that are named as the eval loop.

    An opcode's function of the tail-call interpreter stands for the loop only where the loop's
    own frame is not behind it (it was left by a jump).
    """
    found = []
    for index, frame in enumerate(native):
        if is_eval_frame(frame) or (_is_tail_call(frame) and not _leads_to_eval(native, index)):
            found.append(index)
    return found


def _is_tail_call(frame: NativeFrame) -> bool:
    return (
        frame.function is not None and not frame.inlined and bool(_TAIL_CALL.match(frame.function))
    )


def _leads_to_eval(native: Sequence[NativeFrame], index: int) -> bool:
    """Whether the next outer physical frame is the eval loop, or another opcode of it."""
    for frame in native[index + 1 :]:
        if not frame.inlined:
            return is_eval_frame(frame) or _is_tail_call(frame)
    return False


def frames_of_loop(
    target: Target,
    functions: Functions,
    native: Sequence[NativeFrame],
    runs_frames: frozenset[int] = frozenset(),
) -> list[int]:
    """Return the indices of the eval loop's frames: by name, else by where its function lies.

    A stripped build exports the loop's symbol; a debugger that lacks the file, or that was given
    another build, does not name it. Where nobody has the symbol either, `runs_frames` are the
    functions that the interpreters run frames with (PyInterpreterState.eval_frame, PEP 523).
    """
    named = named_eval_frames(native)
    if named:
        return named
    start = target.symbol(EVAL_LOOP)
    starts = runs_frames if start is None else frozenset((start,))
    found = []
    for index, frame in enumerate(native if starts else ()):
        function = functions.at_return(frame.pc) if not frame.inlined and frame.pc else None
        if function is not None and function.start in starts:
            found.append(index)
    return found


def match_by_pointers(
    target: Target,
    native: Sequence[NativeFrame],
    loops: Sequence[int],
    threads: Sequence[Sequence[Group]],
) -> list[tuple[int, Group]] | None:
    """Return (index of the native frame, Python frames) for every group, innermost first.

    `threads` are the groups of each thread state of one LWP. A pointer to the Python frame must
    lie between the loop's next inner frame and its caller: in its own slots, or in a register
    that a function it calls has saved. None when the counts differ, when a pointer is not there,
    or when it could belong to several thread states.
    """
    if not loops or len(loops) != sum(len(groups) for groups in threads):
        return None
    held = _pointers(target, native, loops)
    if held is None:
        return None
    taken = [0] * len(threads)
    found: list[tuple[int, Group]] = []
    for index, pointers in zip(loops, held, strict=True):
        fitting = [
            number
            for number, groups in enumerate(threads)
            if taken[number] < len(groups)
            and any(frame.address in pointers for frame in groups[taken[number]])
        ]
        if len(fitting) != 1:
            return None
        number = fitting[0]
        found.append((index, threads[number][taken[number]]))
        taken[number] += 1
    return found


def _pointers(
    target: Target, native: Sequence[NativeFrame], loops: Sequence[int]
) -> list[frozenset[int]] | None:
    """Return the words of the stack from each loop frame's next inner one up to its caller."""
    found = []
    low, inner = native[0].sp, 0
    total = 0
    for index in loops:
        signals = [i for i in range(inner, index) if native[i].kind == "signal"]
        if signals:  # what it interrupted may be on another stack
            low = native[signals[-1] + 1].sp
        inner = index
        high = next((f.sp for f in native[index + 1 :] if f.sp > native[index].sp), 0)
        total += max(high - low, 0)
        if not low or low & 7 or high <= low or total > MAX_STACK_BYTES:
            return None
        try:
            count = (high - low) // 8
            words = struct.unpack(f"<{count}Q", target.read(low, 8 * count))
        except UnreadableMemory:
            return None
        found.append(frozenset(words))
        low = high
    return found
