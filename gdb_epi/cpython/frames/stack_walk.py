# SPDX-License-Identifier: Apache-2.0
"""One thread's Python stack from its two witnesses: the frame chain and the data stack.

A damaged link loses one frame, not the stack: the data stack says which frame comes next. Where
the witnesses disagree, a note says so; a hole is kept as a hole.

The data stack (3.11 and later) holds a thread's frames back to back in chunks; a walk over them
needs no frame link and no C stack. Frames of generators and coroutines are not in it. Reference:
Python/pystate.c (push_chunk), Include/cpython/pystate.h (_PyStackChunk), 3.11 to 3.15.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import is_

from gdb_epi.cpython.frames.frame_chain import (
    MAX_FRAMES,
    FrameChain,
    FrameObjectReader,
    FrameReader,
    InterpreterFrameReader,
    RawFrame,
    make_python_frame,
    walk_chain,
)
from gdb_epi.cpython.frames.frame_chain import make_frame_hole as make_hole
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import CHAIN, DATASTACK, NATIVE, PyFrame
from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import PAGE
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MAX_CHUNKS = 100_000
MAX_CHUNK_BYTES = 1 << 30
MAX_CHUNK_PAGES = 4096  # of a chunk with missing pages
# How far a damaged frame may reach before the walk gives its chunk up.
MAX_RESYNC_WORDS = 1 << 16
MIN_LASTI = -16  # 3.11 and 3.12: the instruction before the first
# After this many repairs the chain is garbage and only the data stack is believed.
MAX_REPAIRS = 64


class DataStack(NamedTuple):
    """The frames of a data stack, innermost first, and what was wrong with it."""

    frames: list[RawFrame]
    problems: list[str]


class _DataStackChunk(NamedTuple):
    start: int
    end: int


def walk_datastack(reader: MemoryReader, frames: InterpreterFrameReader, tstate: int) -> DataStack:
    """Return every frame in a thread's data stack."""
    chunks, problems = _used_parts_of_chunks(reader, tstate)
    newest_first: list[RawFrame] = []
    for chunk in chunks:
        in_chunk = _frames_in_chunk(reader, frames, chunk, problems)
        newest_first += reversed(in_chunk)
        if len(newest_first) > MAX_FRAMES:
            problems.append(f"stopped after {MAX_FRAMES} frames")
            break
    return DataStack(newest_first, problems)


def _used_parts_of_chunks(
    reader: MemoryReader, tstate: int
) -> tuple[list[_DataStackChunk], list[str]]:
    """Return the used part of each chunk, newest first."""
    layout = reader.layout
    data_at = layout.require("_PyStackChunk", "data")
    previous_at = layout.require("_PyStackChunk", "previous")
    top_at = layout.require("_PyStackChunk", "top")
    size_at = layout.require("_PyStackChunk", "size")
    chunks: list[_DataStackChunk] = []
    problems: list[str] = []
    seen: set[int] = set()
    address = 0
    try:
        address = reader.field(tstate, "PyThreadState", "datastack_chunk")
        top = reader.field(tstate, "PyThreadState", "datastack_top")
        while address and address not in seen and len(chunks) < MAX_CHUNKS:
            seen.add(address)
            start = address + data_at
            size = min(reader.u64(address + size_at), MAX_CHUNK_BYTES)
            end = top if not chunks else start + 8 * reader.u64(address + top_at)
            previous = reader.u64(address + previous_at)
            if not previous:
                start += 8  # push_chunk() leaves the first word of the oldest chunk out
            if not start <= end <= address + size:
                problems.append(f"chunk {address:#x}: its top {end:#x} lies outside of it")
                end = min(max(end, start), address + size)
            chunks.append(_DataStackChunk(start, end))
            address = previous
        if address in seen:
            problems.append(f"chunk list: {address:#x} comes twice")
    except UnreadableMemory as error:
        problems.append(f"data stack chunk: {error}")
    return chunks, problems


def _frames_in_chunk(
    reader: MemoryReader,
    frames: InterpreterFrameReader,
    chunk: _DataStackChunk,
    problems: list[str],
) -> list[RawFrame]:
    """Return the frames of one chunk in memory order (oldest first)."""
    try:
        memory = reader.read(chunk.start, chunk.end - chunk.start)
    except UnreadableMemory as error:
        problems.append(f"data stack: {error}")
        # A chunk with zeros for the pages that are missing; b"" when all are. A frame over a
        # missing page is not believed, and the walk goes on after it.
        parts: list[bytes] = []
        kept = 0
        start = chunk.start
        while start < chunk.end and len(parts) < MAX_CHUNK_PAGES:
            end = min(chunk.end, (start & -PAGE) + PAGE)
            try:
                parts.append(reader.read(start, end - start))
                kept = len(parts)
            except UnreadableMemory:
                parts.append(bytes(end - start))
            start = end
        memory = b"".join(parts[:kept])
    in_chunk: list[RawFrame] = []
    position = 0
    last = len(memory) - frames.size
    parse, code_at = frames.parse, frames.codes.code_at
    while position <= last and len(in_chunk) <= MAX_FRAMES:
        frame = parse(chunk.start + position, memory, position)
        words = code_at(frame.code).framesize if not frame.problem else 0
        if words and not frame.internal:
            in_chunk.append(frame)
            position += 8 * words
            continue
        skipped = _next_believable_frame(frames, chunk.start, memory, position)
        problems.append(
            f"data stack at {chunk.start + position:#x}: {frame.problem or 'no thread-owned frame'}"
        )
        if skipped is None:
            break
        position = skipped
    return in_chunk


def _next_believable_frame(
    frames: InterpreterFrameReader, base: int, memory: bytes, position: int
) -> int | None:
    """Return where the next believable frame starts after a damaged one.

    Believable: its code object decodes, its instruction lies in that code, and its link names a
    damaged frame, or leaves the chunk. A local variable that holds a code object looks like a frame
    too, but for the instruction.
    """
    last = min(len(memory) - frames.size, position + 8 * MAX_RESYNC_WORDS)
    for start in range(position + 8, last + 1, 8):
        word = int.from_bytes(memory[start + frames.code_at : start + frames.code_at + 8], "little")
        if word < PAGE or frames.codes.reader.target.region_at(word & ~3) is None:
            continue
        frame = frames.parse(base + start, memory, start)
        if frame.problem or frame.internal or not frames.codes.code_at(frame.code).framesize:
            continue
        if not MIN_LASTI <= frame.lasti < frames.codes.bytecode_size(frame.code):
            continue
        # Several frames in a row may be damaged: then it links to one of them.
        if base + position <= frame.previous < base + start:
            return start
        # A frame that C code called links to where no data stack is.
        if not base <= frame.previous < base + len(memory):
            return start
    return None


class _WalkStep(NamedTuple):
    """One step of the joined walk: a frame, or a hole that stands for an unknown number."""

    frame: RawFrame | None
    provenance: str
    hole: str = ""


class WalkedStack(NamedTuple):
    """The frames of one thread, innermost first, and what was wrong on the way."""

    frames: tuple[PyFrame, ...]
    problems: tuple[str, ...]


def innermost_frame(reader: MemoryReader, tstate: int) -> int:
    """Return the innermost frame: tstate->frame, cframe->current_frame or current_frame.

    0 when the thread runs none. Raises UnreadableMemory.
    """
    layout = reader.layout
    direct = layout.offset("PyThreadState", "current_frame", "frame")
    if direct is not None:
        return reader.u64(tstate + direct)
    # 3.11 and 3.12: one hop through a struct on the C stack (bpo-44032; gone in 3.13).
    hop = reader.field(tstate, "PyThreadState", "cframe")
    return reader.field(hop, "_PyCFrame", "current_frame")


class StackWalker:
    """Walk the Python stacks of one process."""

    def __init__(self, reader: MemoryReader, frames: FrameReader, objects: NamespaceReader) -> None:
        self._reader = reader
        self._frames = frames
        self._objects = objects

    def walk(self, tstate: int) -> WalkedStack:
        """Return the stack of one PyThreadState."""
        problems: list[str] = []
        try:
            head = innermost_frame(self._reader, tstate)
        except UnreadableMemory as error:
            problems.append(f"innermost frame: {error}")
            head = 0
        stack = DataStack([], [])
        if isinstance(self._frames, InterpreterFrameReader):
            stack = walk_datastack(self._reader, self._frames, tstate)
        decoded = {frame.address: frame for frame in stack.frames}
        seen: set[int] = set()
        chain = walk_chain(self._frames, head, seen, decoded) if head else FrameChain([], "")
        if chain.broken:
            problems.append("frame chain: " + chain.broken)
        problems += stack.problems
        items = _ChainAndDataStackJoiner(
            self._frames, stack, decoded, seen, problems
        ).frames_innermost_first(chain)
        # A chain of frame objects that lost a link; a thread may well run none at all.
        is_cut = head and (chain.broken or any(frame.problem for frame in chain.frames[-1:]))
        if isinstance(self._frames, FrameObjectReader) and is_cut:
            items += self._frames_still_on_c_stack(tstate, chain, seen, problems)
        return WalkedStack(tuple(self._make_python_frames(items)), tuple(problems))

    def _frames_still_on_c_stack(
        self, tstate: int, chain: FrameChain, seen: set[int], problems: list[str]
    ) -> list[_WalkStep]:
        """Return the older frames after a lost link, which the eval loop's calls still hold."""
        from gdb_epi.cpython.frames.unlinked_frames import find_frame_type, find_frames_on_stack

        whole = [frame.address for frame in chain.frames if not frame.problem]
        items: list[_WalkStep] = []
        for address in find_frames_on_stack(
            self._reader, tstate, find_frame_type(self._reader, whole)
        ):
            if address in seen:
                continue
            older = walk_chain(self._frames, address, seen, {})
            items += [_WalkStep(frame, NATIVE) for frame in older.frames]
        if items:
            count = counted(len(items), "frame")
            problems.append(f"by the C stack, behind a damaged link: {count}")
        return items

    def _make_python_frames(self, items: list[_WalkStep]) -> list[PyFrame]:
        """Turn the walk into PyFrames: drop internal and incomplete frames, mark entries."""
        finished: list[PyFrame] = []
        for frame, provenance, why in items:
            if frame is None:
                finished.append(make_hole(0, provenance, why))
            elif frame.internal:
                # A shim closes the C call that the frames before it belong to.
                if finished and finished[-1].hole is None:
                    finished[-1] = finished[-1]._replace(is_entry=True)
            elif frame.problem or frame.complete:
                entry = bool(frame.is_entry)
                codes = self._frames.codes
                finished.append(
                    make_python_frame(frame, codes, self._objects, provenance, is_entry=entry)
                )
        if finished and finished[-1].hole is None and not finished[-1].is_entry:
            finished[-1] = finished[-1]._replace(is_entry=True)
        return finished


class _ChainAndDataStackJoiner:
    """Join a chain with a data stack; repair broken links from the latter."""

    def __init__(
        self,
        frames: FrameReader,
        stack: DataStack,
        decoded: dict[int, RawFrame],
        seen: set[int],
        problems: list[str],
    ) -> None:
        self._frames = frames
        self._known = decoded
        self._stack = stack.frames
        self._seen = seen
        self._problems = problems
        # (its address, the frame that links to it): how far a frame with a damaged code object
        # reaches is not known, and its unused stack holds frames of earlier calls.
        self._unsized: list[tuple[int, int]] = []
        self._next = 0  # the first data stack frame that is not in the result yet

    @cached_property
    def _data_stack_positions(self) -> dict[int, int]:
        """Each frame's place in the data stack."""
        return {frame.address: n for n, frame in enumerate(self._stack)}

    def frames_innermost_first(self, chain: FrameChain) -> list[_WalkStep]:
        """Return all frames, innermost first."""
        items: list[_WalkStep] = []
        if not chain.frames and self._stack:
            items.append(_WalkStep(None, CHAIN, chain.broken or "no innermost frame"))
        for _ in range(MAX_REPAIRS):
            self._append_chain(chain, items)
            if self._next >= len(self._stack):
                break
            chain = self._continue_after_hole(chain, items)
        else:
            items += [_WalkStep(frame, DATASTACK) for frame in self._stack[self._next :]]
            return items
        if chain.broken:
            items.append(_WalkStep(None, CHAIN, chain.broken))
        return items

    def _append_chain(self, chain: FrameChain, items: list[_WalkStep]) -> None:
        """Append a chain; where it jumps over data stack frames, put those in."""
        if not items and not self._next and self._chain_equals_data_stack(chain):
            items += [_WalkStep(frame, CHAIN) for frame in chain.frames]
            self._next = len(self._stack)
            return
        inner = 0 if items else 1 << 64
        for position, frame in enumerate(chain.frames):
            number = self._data_stack_positions.get(frame.address)
            if number is not None:
                if number > self._next and (items or position):
                    self._insert_frames_skipped_by_chain(number, items, chain.frames[:position])
                self._next = max(self._next, number + 1)
            elif frame.problem:
                self._unsized.append((frame.address, inner))
            if number is not None or frame.problem:
                inner = frame.address
            items.append(_WalkStep(frame, CHAIN))

    def _chain_equals_data_stack(self, chain: FrameChain) -> bool:
        """Tell whether the two witnesses hold the same frames in the same order.

        Shims are in the chain only. The usual case, and five times as fast as looking for jumps.
        """
        plain = [frame for frame in chain.frames if not frame.internal]
        return len(plain) == len(self._stack) and all(map(is_, plain, self._stack))

    def _insert_frames_skipped_by_chain(
        self, number: int, items: list[_WalkStep], inner: Sequence[RawFrame]
    ) -> None:
        within = {frame.address for frame in inner}
        for frame in self._stack[self._next : number]:
            if any(low < frame.address < high for low, high in self._unsized):
                self._seen.add(frame.address)  # left from an earlier call
            elif frame.previous in within:
                # Called by a frame that comes before: it is taken from the chain first, then
                # cleared, and from the data stack last (gh-99729, 3.11.2).
                self._seen.add(frame.address)
            elif frame.address not in self._seen and frame.complete:
                self._problems.append(
                    f"frame {frame.address:#x} is in the data stack but not in the frame chain"
                )
                items.append(_WalkStep(frame, DATASTACK))
                self._seen.add(frame.address)

    def _continue_after_hole(self, chain: FrameChain, items: list[_WalkStep]) -> FrameChain:
        """Go on at the next older data stack frame, after a hole."""
        frame = self._stack[self._next]
        if items and items[-1].frame is not None:
            at = items[-1].frame.address
            why = chain.broken or "its link is NULL, but older frames are in the data stack"
            items.append(_WalkStep(None, CHAIN, f"after frame {at:#x}: {why}"))
            if not chain.broken:
                self._problems.append(f"frame {at:#x}: {why}")
        if frame.address in self._seen:
            self._next += 1
            return FrameChain([], chain.broken)
        self._seen.add(frame.address)
        items.append(_WalkStep(frame, DATASTACK))
        self._next += 1
        return walk_chain(self._frames, frame.previous, self._seen, self._known)
