# SPDX-License-Identifier: Apache-2.0
"""R10: what a Python frame says of its function differs by one bit from what the function says."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import MEMORY, Evidence, Skipped, word_evidence
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import UnreadableMemory
from gdb_epi.lean import NamedTuple

MAX_FRAMES = 512  # of the default run
MAX_SWEPT = 1_000_000
TAG = 3  # 3.14 (gh-117139): the low bits of a _PyStackRef


class _Places(NamedTuple):
    """Offsets of the frame's words, and of the function's copies of them."""

    function: int
    pairs: tuple[tuple[str, int, int], ...]  # (what, in the frame, in the function)
    code: int


@check("R10-copies", needs="python")
def frame_copies(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare code, globals and builtins of a frame with its function's, and the function itself.

    A frame is made of its function (Python/ceval.c, _PyFrame_Initialize), so these words exist
    twice. Innocent causes: a function whose __code__ was replaced while it ran, frames of exec()
    and of modules (their function object is made for the call), overwritten frames: all differ in
    many bits. Up to 3.10 frames hold no function: f_builtins is compared with the other frames'.
    """
    python = context.state.python
    if not isinstance(python, PythonState):
        return
    reader = Reader(context.target, python.layout)
    places = _places(reader)
    threads = sorted(python.threads(), key=lambda thread: not thread.crashed)
    frames = [frame for thread in threads for frame in thread.frames if frame.address]
    frames = frames[: MAX_SWEPT if context.sweep else MAX_FRAMES]
    if places is None:
        yield from _builtins_agree(reader, frames)
        return
    kind = _usual_type(reader, frames, places.function)
    if kind is None:
        yield Skipped("R10-copies", "no frame names its function")
        return
    for frame in frames:
        try:
            yield from _compare(reader, frame, places, kind)
        except UnreadableMemory:
            continue


def _places(reader: Reader) -> _Places | None:
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
    return _Places(at, (*pairs, code_pair), code)


def _usual_type(reader: Reader, frames: list[PyFrame], at: int) -> int | None:
    """Return the type of most frames' functions; None when they do not agree."""
    kinds: dict[int, int] = {}
    for frame in frames[:64]:
        try:
            kind = reader.type_of(reader.u64(frame.address + at) & ~TAG)
        except UnreadableMemory:
            continue
        kinds[kind] = kinds.get(kind, 0) + 1
    best = max(kinds, key=lambda kind: kinds[kind], default=None)
    return best if best is not None and 2 * kinds[best] >= len(frames[:64]) else None


def _compare(reader: Reader, frame: PyFrame, places: _Places, kind: int) -> Iterator[Evidence]:
    function = reader.u64(frame.address + places.function)
    if not _is(reader, function & ~TAG, kind):
        yield from _function_itself(reader, frame, places, kind, function)
        return
    for what, in_frame, in_function in places.pairs:
        ours = reader.u64(frame.address + in_frame)
        theirs = reader.u64((function & ~TAG) + in_function)
        tag = ours & TAG if what == "code" else 0
        if ((ours & ~tag) ^ theirs).bit_count() != 1:
            continue
        if _typed(reader, theirs) and not _typed(reader, ours & ~tag):
            where, found, right = frame.address + in_frame, ours, theirs | tag
        elif _typed(reader, ours & ~tag) and not _typed(reader, theirs):
            where, found, right = (function & ~TAG) + in_function, theirs, ours & ~tag
        else:
            continue
        yield word_evidence(
            "R10",
            where,
            found,
            right,
            MEMORY,
            f"the {what} of the frame at {frame.address:#x} and of its function at "
            f"{function & ~TAG:#x} differ in one bit; only {right:#x} is an object",
        )


def _function_itself(
    reader: Reader, frame: PyFrame, places: _Places, kind: int, function: int
) -> Iterator[Evidence]:
    """Find the bit that makes the frame's function one that has the frame's code."""
    code = reader.u64(frame.address + places.code) & ~TAG
    in_function = places.pairs[-1][2]
    for bit in range(64):
        right = function ^ 1 << bit
        if not _is(reader, right & ~TAG, kind):
            continue
        if reader.u64((right & ~TAG) + in_function) == code:
            yield word_evidence(
                "R10",
                frame.address + places.function,
                function,
                right,
                MEMORY,
                f"the function of the frame at {frame.address:#x} is no function; one bit away is "
                "one that has the frame's code",
            )


def _builtins_agree(reader: Reader, frames: list[PyFrame]) -> Iterator[Evidence]:
    at = reader.layout.offset("PyFrameObject", "f_builtins")
    if at is None:
        return
    words: dict[int, int] = {}
    for frame in frames:
        try:
            words[frame.address] = reader.u64(frame.address + at)
        except UnreadableMemory:
            continue
    counts = list(words.values())
    usual = max(set(counts), key=counts.count, default=0)
    for address, word in words.items():
        if (word ^ usual).bit_count() == 1 and _typed(reader, usual) and not _typed(reader, word):
            yield word_evidence(
                "R10",
                address + at,
                word,
                usual,
                MEMORY,
                f"the builtins of the frame at {address:#x} differ in one bit from those of "
                "the other frames",
            )


def _is(reader: Reader, address: int, kind: int) -> bool:
    try:
        return not address & 7 and reader.type_of(address) == kind
    except UnreadableMemory:
        return False


def _typed(reader: Reader, address: int) -> bool:
    """Whether this is an object whose type is a type whose type is one."""
    try:
        if address & 7:
            return False
        kind = reader.type_of(reader.type_of(address))
        return reader.type_of(reader.type_of(kind)) == reader.type_of(kind)
    except UnreadableMemory:
        return False
