# SPDX-License-Identifier: Apache-2.0
"""R10, R18-code, R20: Python frames and thread states against what else names or holds the same.

R10 and R18-code: frames against their functions, each other, data stack and code. R20: a thread
state names another interpreter than the one in whose list it is. S:left-calls: the thread's calls
of the interpreter are those of functions that the C stack has left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import (
    Evidence,
    NotChecked,
    plain_evidence,
    require,
    word_evidence,
)
from gdb_epi.corruption.heap.cpython_fields import is_in_data_stack
from gdb_epi.corruption.heap.object_references import can_software_have_written_word
from gdb_epi.corruption.heap.object_walk import TAG, ObjectWalk, object_walk
from gdb_epi.corruption.heap.popped_frames import FrameOffsets, find_frame_end, frame_offsets
from gdb_epi.corruption.registry import check
from gdb_epi.cpython.frames.stack_walk import innermost_frame
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PyFrame, ThreadState
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.sizes import ADDRESS_BITS
from gdb_epi.typing_lite import NamedTuple

MAX_FRAMES = 512  # of the default run
MAX_SWEPT = 1_000_000
STACKREF_TAG = 3  # 3.14 (gh-117139): the low bits of a _PyStackRef
MAX_THREADS = 1024
UNIT = 2  # bytes of a _Py_CODEUNIT
MAX_UNITS = 1 << 24
MAX_CALLS = 4096  # of the interpreter's loop, by one thread


class _FrameOffsets(NamedTuple):
    """Offsets of the frame's words, and of the function's copies of them."""

    function: int
    pairs: tuple[tuple[str, int, int], ...]  # (what, in the frame, in the function)
    code: int


@check("R10-copies", needs="python")
def frame_against_function(context: Context) -> Iterator[Evidence]:
    """Compare code, globals and builtins of a frame with its function's, and the function itself.

    A frame is made of its function (Python/ceval.c, _PyFrame_Initialize), so these words exist
    twice.

    Innocent causes: a function whose __code__ was replaced while it ran, frames of exec() and of
    modules (their function object is made for the call), overwritten frames: all differ in many
    bits. Up to 3.10 frames hold no function: f_builtins is compared with the other frames'.
    """
    python = require(context.state.python)
    reader = MemoryReader(context.target, python.layout)
    places = _find_frame_offsets(reader)
    threads = sorted(python.threads(), key=lambda thread: not thread.crashed)
    frames = [frame for thread in threads for frame in thread.frames if frame.address]
    frames = frames[: MAX_SWEPT if context.sweep else MAX_FRAMES]
    if places is None:
        yield from _compare_builtins(reader, frames)
        return
    kind = _usual_function_type(reader, frames, places.function)
    if kind is None:
        raise NotChecked("no frame names its function")
    for frame in frames:
        with suppress(UnreadableMemory):
            yield from _compare_frame_with_function(reader, frame, places, kind)


def _find_frame_offsets(reader: MemoryReader) -> _FrameOffsets | None:
    layout = reader.layout
    frame, function = "_PyInterpreterFrame", "PyFunctionObject"
    at = layout.offset(frame, "f_funcobj.bits", "f_funcobj", "f_func")  # f_func: 3.11
    if at is None or layout.offset(function, "func_builtins") is None:
        return None
    code = layout.require(frame, "f_executable.bits", "f_executable", "f_code")
    pairs = tuple(
        (name, layout.require(frame, f"f_{name}"), layout.require(function, f"func_{name}"))
        for name in ("globals", "builtins")
    )
    code_pair = ("code", code, layout.require(function, "func_code"))
    return _FrameOffsets(at, (*pairs, code_pair), code)


def _usual_function_type(reader: MemoryReader, frames: list[PyFrame], at: int) -> int | None:
    """Return the type of most frames' functions; None when they do not agree."""
    kinds: Counter[int] = Counter()
    for frame in frames[:64]:
        with suppress(UnreadableMemory):
            kinds[reader.type_of(reader.u64(frame.address + at) & ~STACKREF_TAG)] += 1
    best = [kind for kind, times in kinds.most_common(1) if 2 * times >= len(frames[:64])]
    return best[0] if best else None


def _compare_frame_with_function(
    reader: MemoryReader, frame: PyFrame, places: _FrameOffsets, kind: int
) -> Iterator[Evidence]:
    function = reader.u64(frame.address + places.function)
    if not _is_instance_of(reader, function & ~STACKREF_TAG, kind):
        yield from _check_function_of_frame(reader, frame, places, kind, function)
        return
    for what, in_frame, in_function in places.pairs:
        ours = reader.u64(frame.address + in_frame)
        theirs = reader.u64((function & ~STACKREF_TAG) + in_function)
        tag = ours & STACKREF_TAG if what == "code" else 0
        if ((ours & ~tag) ^ theirs).bit_count() != 1:
            continue
        if _has_type(reader, theirs) and not _has_type(reader, ours & ~tag):
            where, held, right = frame.address + in_frame, ours, theirs | tag
        elif _has_type(reader, ours & ~tag) and not _has_type(reader, theirs):
            where, held, right = (function & ~STACKREF_TAG) + in_function, theirs, ours & ~tag
        else:
            continue
        summary = (
            f"the {what} of the frame at {frame.address:#x} and of its function at "
            f"{function & ~STACKREF_TAG:#x} differ in one bit; only {right:#x} is an object"
        )
        yield word_evidence("R10", where, held, right, summary)


def _check_function_of_frame(
    reader: MemoryReader, frame: PyFrame, places: _FrameOffsets, kind: int, function: int
) -> Iterator[Evidence]:
    """Find the bit that makes the frame's function one that has the frame's code."""
    code = reader.u64(frame.address + places.code) & ~STACKREF_TAG
    in_function = places.pairs[-1][2]
    for bit in range(64):
        right = function ^ 1 << bit
        if not _is_instance_of(reader, right & ~STACKREF_TAG, kind):
            continue
        if reader.u64((right & ~STACKREF_TAG) + in_function) == code:
            summary = (
                f"the function of the frame at {frame.address:#x} is no function; one bit away is "
                "one that has the frame's code"
            )
            yield word_evidence("R10", frame.address + places.function, function, right, summary)


def _compare_builtins(reader: MemoryReader, frames: list[PyFrame]) -> Iterator[Evidence]:
    at = reader.layout.offset("PyFrameObject", "f_builtins")
    if at is None:
        return
    words: dict[int, int] = {}
    for frame in frames:
        with suppress(UnreadableMemory):
            words[frame.address] = reader.u64(frame.address + at)
    counts = list(words.values())
    usual = max(set(counts), key=counts.count, default=0)
    for address, word in words.items():
        if (
            (word ^ usual).bit_count() == 1
            and _has_type(reader, usual)
            and not _has_type(reader, word)
        ):
            summary = (
                f"the builtins of the frame at {address:#x} differ in one bit from those of "
                "the other frames"
            )
            yield word_evidence("R10", address + at, word, usual, summary)


def _is_instance_of(reader: MemoryReader, address: int, kind: int) -> bool:
    try:
        return not address & 7 and reader.type_of(address) == kind
    except UnreadableMemory:
        return False


def _has_type(reader: MemoryReader, address: int) -> bool:
    """Whether this is an object whose type is a type whose type is one."""
    try:
        if address & 7:
            return False
        kind = reader.type_of(reader.type_of(address))
        return reader.type_of(reader.type_of(kind)) == reader.type_of(kind)
    except UnreadableMemory:
        return False


@check("R10", needs="python")
def frame_chain(context: Context) -> Iterator[Evidence]:
    """Take over one-bit findings of the detector frame_link_disagrees.

    Innocent causes: those that the detector lists; a link that differs in several bits is an
    overrun or an old frame, and is no evidence.
    """
    for finding in context.findings:
        if finding.detector == "frame_link_disagrees" and len(finding.facts["bits"]) == 1:
            words = (finding.facts[name] for name in ("where", "found", "corrected"))
            where, held, corrected = (int(word, 16) for word in words)
            yield word_evidence("R10", where, held, corrected, finding.summary)


@check("R10-top", costly=True, needs="python", order=57)
def frame_at_top_of_data_stack(context: Context) -> Iterator[Evidence]:
    """Compare the running frame of each thread with the top of its data stack (3.11 and later).

    A frame is its header, its variables and its stack of values, and the next one begins where it
    ends (_PyThreadState_PushFrame, Python/pystate.c). The thread state is asked for it: at a wrong
    address there is no frame that the decoder could give.

    Innocent causes: a crash while a frame is made or left, frames of generators and overwritten
    frames: then no word one bit away is a frame that ends exactly there.
    """
    walk, python = require(object_walk(context)), require(context.state.python)
    places = frame_offsets(walk)
    if places is None:
        return
    for thread in python.threads()[:MAX_THREADS]:
        with suppress(UnreadableMemory):
            frame = innermost_frame(walk.reader, thread.address)
            if frame:
                yield from _check_top_frame(context, walk, thread, frame, places)


def _check_top_frame(
    context: Context, walk: ObjectWalk, thread: ThreadState, frame: int, places: FrameOffsets
) -> Iterator[Evidence]:
    top = walk.reader.word(thread.address + places.top)
    if not top or find_frame_end(walk, frame, places) == top or not is_in_data_stack(context, top):
        return
    flips = [frame ^ 1 << bit for bit in range(ADDRESS_BITS)]
    right = [flip for flip in flips if flip < top and find_frame_end(walk, flip, places) == top]
    if len(right) != 1:
        return
    left = top + places.previous  # of the frame that was left last: it began at the top
    where: int | str = left if walk.reader.word(left) == frame else "current frame"
    summary = (
        f"the running frame of the thread at {thread.address:#018x} is {frame:#018x}; only the "
        f"one at {right[0]:#018x}, one bit away, ends where the data stack does, at {top:#018x}"
    )
    yield word_evidence("R10", where, frame, right[0], summary)


@check("R18-code", costly=True, needs="python", order=57)
def instruction_pointers(context: Context) -> Iterator[Evidence]:
    """Compare the instruction pointer of each frame with the range of its code (3.11 and later).

    The interpreter may have run some of what lies at the wrong place: then the pointer is that of
    a later instruction, and one bit still brings it back.

    Innocent causes: overwritten frames, and frames whose code object is none (many bits, or nothing
    to compare with).
    """
    walk = require(object_walk(context))
    layout = walk.reader.layout
    places = frame_offsets(walk)
    at = layout.offset("_PyInterpreterFrame", "instr_ptr", "prev_instr")
    first = layout.offset("PyCodeObject", "co_code_adaptive")
    size_at = layout.require("PyVarObject", "ob_size")
    if places is None or at is None or first is None:
        return
    for frame in _frames_to_check(walk, places):
        code = walk.reader.word(frame + places.code) & ~TAG
        if walk.type_name_at(code) != "code":
            continue
        value, count = walk.reader.word(frame + at), walk.reader.word(code + size_at)
        start, end = code + first, code + first + UNIT * min(count, MAX_UNITS)
        right = [value ^ 1 << bit for bit in range(1, 64) if start <= value ^ 1 << bit < end]
        if not value or value & 1 or start - UNIT <= value <= end or len(right) != 1:
            continue
        summary = (
            f"the instruction pointer {value:#018x} of the frame at {frame:#018x} is outside of "
            f"its code, {start:#018x} to {end:#018x}; one bit brings it back"
        )
        yield word_evidence("R18", frame + at, value, right[0], summary)


def _frames_to_check(walk: ObjectWalk, places: FrameOffsets) -> Iterator[int]:
    """Yield the frames, and those right after them: one that seems not to have begun is dropped.

    Such frames are ordinary between two steps of a call; their pointer is then right.
    """
    seen: set[int] = set()
    for walked in walk.frames:
        for frame in (walked.address, walk.reader.word(walked.address + places.previous)):
            for place in (frame, find_frame_end(walk, frame, places)):
                if place and place not in seen:
                    seen.add(place)
                    yield place


@check("R20", needs="python")
def interpreter_of_thread_state(context: Context) -> Iterator[Evidence]:
    """Compare PyThreadState.interp with the interpreter in whose list the thread state is.

    The word is written once, when the state is made (Python/pystate.c, init_threadstate).

    Innocent causes: a state that was freed or overwritten differs in many bits; a count that is
    raised through a wild pointer makes the word a little larger, which is left out.
    """
    python = require(context.state.python)
    at = python.layout.require("PyThreadState", "interp")
    for interpreter in python.interpreters:
        for thread in interpreter.threads[:MAX_THREADS]:
            place, right = thread.address + at, interpreter.address
            held = read_word(context.target, place)
            if held is None or (held ^ right).bit_count() != 1:
                continue
            if not can_software_have_written_word(context, place, held, right):
                summary = (
                    f"interp of the thread state at {thread.address:#018x} is {held:#018x}; the "
                    f"interpreter in whose list it is lies one bit away, at {right:#018x}"
                )
                yield word_evidence("R20", place, held, right, summary)


@check("S:left-calls", needs="crash", order=16)
def interpreter_calls_left_unwound(context: Context) -> Iterator[Evidence]:
    """Tell a thread whose list of calls of the interpreter has one that no longer runs.

    Each call of _PyEval_EvalFrameDefault() keeps a CFrame (3.10 to 3.12) or an entry frame (3.13)
    in its own C frame, puts it first in the thread's list, and takes it off before it returns
    (Python/ceval.c). One below the stack pointer is of a call that was left without a return.

    Innocent causes: this is one: longjmp() or a C++ exception that went over calls of Python. Not
    said where the list leads to what no call can have left there: then the link may be damaged. Nor
    of a thread that runs on another stack than the one it names.
    """
    python, fault = context.state.python, context.fault
    if isinstance(python, Absent) or isinstance(fault, Absent):
        return
    layout, stack = python.layout, context.target.region_at(fault.sp)
    reader = MemoryReader(context.target, layout)
    first = layout.offset("PyThreadState", "cframe", "current_frame")
    has_cframes = layout.offset("PyThreadState", "cframe") is not None
    next_ = layout.offset("_PyCFrame" if has_cframes else "_PyInterpreterFrame", "previous")
    if first is None or next_ is None or stack is None:
        return
    for thread in python.threads():
        state = range(thread.address, thread.address + (layout.size("PyThreadState") or 0))
        place, seen = thread.address + first, set[int]()
        with suppress(UnreadableMemory):
            while thread.crashed and len(seen) < MAX_CALLS:
                at = reader.u64(place)
                if not at or at in state or at in seen:
                    break  # root_cframe; 3.10 leaves its link uninitialized
                if stack.start <= at < fault.sp:
                    if _looks_like_interpreter_call(
                        context, reader, at, (range(at, stack.end), state)
                    ):
                        summary = (
                            f"the thread's list of calls of the interpreter leads to {at:#x}, "
                            "below the stack pointer: native code left calls of Python by "
                            "longjmp() or a C++ exception"
                        )
                        yield plain_evidence("S:left-calls", place, summary)
                    break
                seen.add(at)
                place = at + next_


def _looks_like_interpreter_call(
    context: Context, reader: MemoryReader, at: int, callers: tuple[range, range]
) -> bool:
    """Whether what a call keeps lies at a place: its frame, or its owner, and the next link.

    After longjmp() the next call at the same place leads to itself.
    """
    layout = reader.layout
    if layout.offset("PyThreadState", "cframe") is not None:
        current = layout.offset("_PyCFrame", "current_frame")
        onward = reader.field(at, "_PyCFrame", "previous")
        runs = current is None or is_in_data_stack(context, reader.u64(at + current))
        return runs and any(onward in place for place in callers)
    names = ("FRAME_OWNED_BY_CSTACK", "FRAME_OWNED_BY_INTERPRETER")
    owners = [owner for owner in map(layout.constant, names) if owner is not None]
    owner_at = layout.require("_PyInterpreterFrame", "owner")
    if reader.u8(at + owner_at) not in owners:
        return False
    onward = reader.field(at, "_PyInterpreterFrame", "previous")
    # From 3.15 on a base frame in the thread state is the last.
    is_last = not onward or reader.u8(onward + owner_at) in owners
    return is_last or is_in_data_stack(context, onward)
