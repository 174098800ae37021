# SPDX-License-Identifier: Apache-2.0
"""Which Python frames one call of the eval loop runs, and where that call is on the C stack.

The eval loop keeps a structure of its own in its native frame, and the Python frames lead to it.
Its address lies between the stack pointers of two native frames: that proves which native frame
runs the Python frames, with no symbol and whatever the compiler made of the loop.

- 3.12 and later: the entry frame (_PyInterpreterFrame entry_frame, 3.15 _PyEntryFrame) of
  _PyEval_EvalFrameDefault, which the outermost Python frame of the call links to (gh-98831).
- 3.10 and 3.11: its CFrame (_PyCFrame cframe), chained from tstate->cframe (bpo-43760).
- 3.8 and 3.9: none. The n-th native frame of the loop runs the n-th Python frame: where the
  debugger names those frames that is all there is to it. Where it does not, or where several
  interpreters share the thread, the frames of the loop's function are known by its symbol or the
  unwind tables, and each must hold the pointer to its Python frame.

Source: Python/ceval.c of each version.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PyFrame, ThreadState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import split_into_words
from gdb_epi.target.api import NativeFrame, Target
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.typing_lite import NamedTuple

EVAL_LOOP = "_PyEval_EvalFrameDefault"
# The function that runs bytecode (Python/ceval.c, 3.8 to 3.15); compilers split parts off as
# .cold, LTO renames it.
_EVAL = re.compile(r"_PyEval_EvalFrameDefault(?:\.[a-z_.0-9]+)?\Z")
# 3.14's tail-call interpreter has one function for each opcode, which the eval loop calls.
_TAIL_CALL = re.compile(r"_TAIL_CALL_\w+(?:\.[a-z_.0-9]+)?\Z")

MAX_STACK_BYTES = 16 << 20  # that are searched for pointers; the usual limit of a stack is 8 MiB

Group = Sequence[PyFrame]
ENTRY_FRAME = "entry-frame"
CFRAME = "cframe"
FRAME_POINTERS = "frame-pointers"
# Eval calls of one thread that are looked for: the C stack of a runaway recursion holds some
# 50,000, and no more native frames than that are unwound.
MAX_CALLS = 50_000


def is_eval_frame(frame: NativeFrame) -> bool:
    """Tell whether a native frame is named as a call of the bytecode interpreter."""
    return frame.function is not None and not frame.inlined and bool(_EVAL.match(frame.function))


def named_eval_frame_indices(native: Sequence[NativeFrame]) -> list[int]:
    """Return the indices of the native frames that are named as the eval loop.

    An opcode's function of the tail-call interpreter stands for the loop only where the loop's
    own frame is not after it (it was left by a jump).
    """
    indices = []
    for index, frame in enumerate(native):
        if is_eval_frame(frame) or (
            _is_opcode_handler(frame) and not _is_called_by_eval_loop(native, index)
        ):
            indices.append(index)
    return indices


def _is_opcode_handler(frame: NativeFrame) -> bool:
    return (
        frame.function is not None and not frame.inlined and bool(_TAIL_CALL.match(frame.function))
    )


def _is_called_by_eval_loop(native: Sequence[NativeFrame], index: int) -> bool:
    """Tell whether the next outer physical frame is the eval loop, or another opcode of it."""
    for frame in native[index + 1 :]:
        if not frame.inlined:
            return is_eval_frame(frame) or _is_opcode_handler(frame)
    return False


def eval_frame_indices(
    target: Target,
    functions: FunctionBounds,
    native: Sequence[NativeFrame],
    runs_frames: frozenset[int] = frozenset(),
) -> list[int]:
    """Return the indices of the eval loop's frames: by name, else by where its function lies.

    A stripped build exports the loop's symbol; a debugger that lacks the file, or that was given
    another build, does not name it. Where nobody has the symbol either, `runs_frames` are the
    functions that the interpreters run frames with (PyInterpreterState.eval_frame, PEP 523).
    """
    named = named_eval_frame_indices(native)
    if named:
        return named
    start = target.symbol(EVAL_LOOP)
    starts = runs_frames if start is None else frozenset((start,))
    indices = []
    for index, frame in enumerate(native if starts else ()):
        function = (
            functions.function_returned_to(frame.pc) if not frame.inlined and frame.pc else None
        )
        if function is not None and function.start in starts:
            indices.append(index)
    return indices


def match_eval_frames_by_pointers(
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
    held = _stack_words_by_eval_frame(target, native, loops)
    if held is None:
        return None
    taken = [0] * len(threads)
    matches: list[tuple[int, Group]] = []
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
        matches.append((index, threads[number][taken[number]]))
        taken[number] += 1
    return matches


def _stack_words_by_eval_frame(
    target: Target, native: Sequence[NativeFrame], loops: Sequence[int]
) -> list[frozenset[int]] | None:
    """Return the words of the stack from each loop frame's next inner one up to its caller."""
    words_of_frames = []
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
            words_of_frames.append(frozenset(split_into_words(target.read(low, (high - low) & -8))))
        except UnreadableMemory:
            return None
        low = high
    return words_of_frames


class EvalCall(NamedTuple):
    """The Python frames that one call of the eval loop runs, innermost first.

    `is_on_stack` is the address of a structure in its native frame, 0 when there is none;
    `evidence` says which structure, or "" and then `why_not` what is missing.
    """

    frames: tuple[PyFrame, ...]
    on_stack: int = 0
    evidence: str = ""
    why_not: str = ""


def group_frames_by_eval_call(frames: Sequence[PyFrame]) -> list[tuple[PyFrame, ...]]:
    """Split Python frames (innermost first) into what one eval call runs each."""
    groups: list[tuple[PyFrame, ...]] = []
    start = 0
    for position, frame in enumerate(frames, 1):
        if frame.is_entry:
            groups.append(tuple(frames[start:position]))
            start = position
    return [*groups, tuple(frames[start:])] if start < len(frames) else groups


def assume_eval_calls(frames: Sequence[PyFrame]) -> list[EvalCall]:
    """Return the eval calls of a stack when nothing but the frames is known."""
    return [
        EvalCall(group, why_not="not looked for") for group in group_frames_by_eval_call(frames)
    ]


class EvalCallReader:
    """Find the eval calls of the threads of one process."""

    def __init__(self, target: Target, layout: Layout) -> None:
        self._target = target
        self._functions = FunctionBounds(target)
        self._reader = MemoryReader(target, layout)
        frame = "_PyInterpreterFrame"
        self._previous = layout.offset(frame, "previous")
        self._owner = layout.offset(frame, "owner")
        self._has_shims = self._previous is not None and layout.offset(frame, "is_entry") is None
        names = ("FRAME_OWNED_BY_CSTACK", "FRAME_OWNED_BY_INTERPRETER")
        self._shim_owners = {layout.constant(name) for name in names} - {None}
        self._tstate_size = layout.size("PyThreadState") or 0
        self._cframe = layout.offset("PyThreadState", "cframe")
        self._cframe_previous = layout.offset("_PyCFrame", "previous")
        self._cframe_current = layout.offset("_PyCFrame", "current_frame")

    def calls_of_lwp(
        self, threads: Sequence[ThreadState], native: Sequence[NativeFrame] | Absent
    ) -> tuple[list[EvalCall], str]:
        """Return the eval calls of the thread states of one LWP, innermost first, and a note.

        Several interpreters may run in one thread; their calls are ordered by their place on the
        C stack, which grows downward. Where that cannot be told, the first thread state alone is
        used, and the note says so.
        """
        calls_by_thread = [self.calls_of(thread) for thread in threads if thread.frames]
        every = [call for calls in calls_by_thread for call in calls]
        if not isinstance(native, Absent) and not any(call.on_stack for call in every):
            placed = self._match_by_pointers(calls_by_thread, native, threads)
            if placed is not None:
                return placed, ""
        if len(calls_by_thread) < 2:
            return every, ""
        if all(call.on_stack for call in every):
            return sorted(every, key=lambda call: call.on_stack), ""
        note = "frames of another interpreter on this thread are left out: their place is unknown"
        return calls_by_thread[0], note

    def _match_by_pointers(
        self,
        calls_by_thread: Sequence[Sequence[EvalCall]],
        native: Sequence[NativeFrame],
        states: Sequence[ThreadState],
    ) -> list[EvalCall] | None:
        """Where symbols tell all there is, leave it to them: reading the stack takes longer."""
        count = sum(len(calls) for calls in calls_by_thread)
        if len(calls_by_thread) < 2 and len(named_eval_frame_indices(native)) == count:
            return None
        runs_frames = frozenset(map(self._frame_evaluator, states)) - {0}
        loops = eval_frame_indices(self._target, self._functions, native, runs_frames)
        threads = [[call.frames for call in calls] for calls in calls_by_thread]
        matched = match_eval_frames_by_pointers(self._target, native, loops, threads)
        if matched is None:
            return None
        return [EvalCall(tuple(group), native[i].sp, FRAME_POINTERS) for i, group in matched]

    def _frame_evaluator(self, thread: ThreadState) -> int:
        """Return the function that the interpreter of a thread state runs frames with, or 0."""
        read = self._reader
        try:
            interpreter = read.field(thread.address, "PyThreadState", "interp")
            return read.field(interpreter, "PyInterpreterState", "eval_frame")
        except (UnreadableMemory, LayoutError):
            return 0

    def calls_of(self, thread: ThreadState) -> list[EvalCall]:
        """Return the eval calls of one thread state, innermost first."""
        groups = group_frames_by_eval_call(thread.frames)
        if self._has_shims:
            return [self._match_by_shim(group) for group in groups]
        if self._cframe is None or self._cframe_previous is None:
            why = "the eval loop of this version keeps no structure of its own on the C stack"
            return [EvalCall(group, why_not=why) for group in groups]
        return self._match_by_cframe(thread, groups)

    def _match_by_shim(self, group: tuple[PyFrame, ...]) -> EvalCall:
        """The outermost frame of the call links to the entry frame."""
        last = group[-1]
        if last.hole is not None or self._previous is None or self._owner is None:
            return EvalCall(group, why_not="its outermost frame could not be decoded")
        try:
            shim = self._reader.u64(last.address + self._previous)
            owner = self._reader.u8(shim + self._owner) if shim else None
        except UnreadableMemory as error:
            return EvalCall(group, why_not=f"entry frame: {error}")
        if owner is None or owner not in self._shim_owners:
            return EvalCall(group, why_not="its outermost frame links to no entry frame")
        return EvalCall(group, shim, ENTRY_FRAME)

    def _match_by_cframe(
        self, thread: ThreadState, groups: list[tuple[PyFrame, ...]]
    ) -> list[EvalCall]:
        """The n-th CFrame belongs to the n-th call; 3.11's also names the innermost frame."""
        cframes, whole = self._cframes(thread.address)
        if self._cframe_current is None:
            return _pair_frames_with_cframes(groups, cframes, whole=whole)
        by_frame = {frame: address for address, frame in cframes if frame}
        calls = []
        for group in groups:
            place = by_frame.get(group[0].address, 0) if group[0].address else 0
            why = "" if place else "no CFrame names its innermost frame"
            calls.append(EvalCall(group, place, CFRAME if place else "", why))
        return calls

    def _cframes(self, tstate: int) -> tuple[list[tuple[int, int]], bool]:
        """Return (address, current_frame) of a thread's CFrames, innermost first.

        The outermost one (root_cframe) lies in the thread state itself and belongs to no call;
        3.10 leaves its link uninitialized. The flag tells whether the chain ends there.
        """
        cframes: list[tuple[int, int]] = []
        if self._cframe is None or self._cframe_previous is None:
            return cframes, False
        seen: set[int] = set()
        current = 0
        try:
            address = self._reader.u64(tstate + self._cframe)
            while address not in seen and len(seen) < MAX_CALLS:
                if tstate <= address < tstate + self._tstate_size:
                    return cframes, True
                seen.add(address)
                previous = self._reader.u64(address + self._cframe_previous)
                if self._cframe_current is not None:
                    current = self._reader.u64(address + self._cframe_current)
                cframes.append((address, current))
                address = previous
        except UnreadableMemory:
            pass  # the calls that are not reached stay without evidence
        return cframes, False


def _pair_frames_with_cframes(
    groups: list[tuple[PyFrame, ...]], cframes: list[tuple[int, int]], *, whole: bool
) -> list[EvalCall]:
    """3.10: one CFrame for each call and one call for each frame, or the chain is damaged."""
    if not whole or len(groups) != len(cframes):
        why = f"{len(cframes)} CFrames for {len(groups)} calls"
        why = why if whole else "the chain of CFrames does not end in the thread state"
        return [EvalCall(group, why_not=why) for group in groups]
    return [
        EvalCall(group, address, CFRAME)
        for group, (address, _) in zip(groups, cframes, strict=True)
    ]
