# SPDX-License-Identifier: Apache-2.0
"""The data stack (3.11 and later): a second witness of a thread's frames.

Each thread keeps its frames back to back in chunks; a walk over them needs no frame link and no
C stack. Frames of generators and coroutines are not in it. Reference: Python/pystate.c
(push_chunk), Include/cpython/pystate.h (_PyStackChunk), 3.11 to 3.15.
"""

from __future__ import annotations

from gdb_epi.cpython.frames import MAX_FRAMES, InterpreterFrames, RawFrame
from gdb_epi.cpython.reader import Reader
from gdb_epi.errors import UnreadableMemory
from gdb_epi.lean import NamedTuple

MAX_CHUNKS = 100_000
MAX_CHUNK_BYTES = 1 << 30
PAGE = 4096
MAX_CHUNK_PAGES = 4096  # of a chunk with missing pages
# How far a damaged frame may reach before the walk gives its chunk up.
MAX_RESYNC_WORDS = 1 << 16
MIN_LASTI = -16  # 3.11 and 3.12: the instruction before the first


class DataStack(NamedTuple):
    """The frames of a data stack, innermost first, and what was wrong with it."""

    frames: list[RawFrame]
    problems: list[str]


class _Chunk(NamedTuple):
    start: int
    end: int


def walk_datastack(reader: Reader, frames: InterpreterFrames, tstate: int) -> DataStack:
    """Return every frame in a thread's data stack."""
    chunks, problems = _chunks(reader, tstate)
    newest_first: list[RawFrame] = []
    for chunk in chunks:
        in_chunk = _frames_in(reader, frames, chunk, problems)
        newest_first += reversed(in_chunk)
        if len(newest_first) > MAX_FRAMES:
            problems.append(f"stopped after {MAX_FRAMES} frames")
            break
    return DataStack(newest_first, problems)


def _chunks(reader: Reader, tstate: int) -> tuple[list[_Chunk], list[str]]:
    """Return the used part of each chunk, newest first."""
    layout = reader.layout
    data_at = layout.require("_PyStackChunk", "data")
    previous_at = layout.require("_PyStackChunk", "previous")
    top_at = layout.require("_PyStackChunk", "top")
    size_at = layout.require("_PyStackChunk", "size")
    chunks: list[_Chunk] = []
    problems: list[str] = []
    seen: set[int] = set()
    address = 0
    try:
        address = reader.u64(tstate + layout.require("PyThreadState", "datastack_chunk"))
        top = reader.u64(tstate + layout.require("PyThreadState", "datastack_top"))
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
            chunks.append(_Chunk(start, end))
            address = previous
        if address in seen:
            problems.append(f"chunk list: {address:#x} comes twice")
    except UnreadableMemory as error:
        problems.append(f"data stack chunk: {error}")
    return chunks, problems


def _frames_in(
    reader: Reader, frames: InterpreterFrames, chunk: _Chunk, problems: list[str]
) -> list[RawFrame]:
    """Return the frames of one chunk in memory order (oldest first)."""
    try:
        data = reader.read(chunk.start, chunk.end - chunk.start)
    except UnreadableMemory as error:
        problems.append(f"data stack: {error}")
        data = _kept_pages(reader, chunk)
    found: list[RawFrame] = []
    position = 0
    last = len(data) - frames.size
    parse, code_at = frames.parse, frames.codes.at
    while position <= last and len(found) <= MAX_FRAMES:
        frame = parse(chunk.start + position, data, position)
        words = code_at(frame.code).framesize if not frame.problem else 0
        if words and not frame.internal:
            found.append(frame)
            position += 8 * words
            continue
        skipped = _resync(frames, chunk.start, data, position)
        problems.append(
            f"data stack at {chunk.start + position:#x}: {frame.problem or 'no thread-owned frame'}"
        )
        if skipped is None:
            break
        position = skipped
    return found


def _kept_pages(reader: Reader, chunk: _Chunk) -> bytes:
    """Return a chunk with zeros for the pages that are missing; b"" when all are.

    A frame over a missing page is not believed, and the walk goes on behind it.
    """
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
    return b"".join(parts[:kept])


def _resync(frames: InterpreterFrames, base: int, data: bytes, position: int) -> int | None:
    """Return where the next believable frame starts behind a damaged one.

    Believable: its code object decodes, its instruction lies in that code, and its link names a
    damaged frame, or leaves the chunk. A local variable that holds a code object looks like a frame
    too, but for the instruction.
    """
    last = min(len(data) - frames.size, position + 8 * MAX_RESYNC_WORDS)
    for start in range(position + 8, last + 1, 8):
        word = int.from_bytes(data[start + frames.code_at : start + frames.code_at + 8], "little")
        if word < 4096 or frames.codes.reader.target.region_at(word & ~3) is None:
            continue
        frame = frames.parse(base + start, data, start)
        if frame.problem or frame.internal or not frames.codes.at(frame.code).framesize:
            continue
        if not MIN_LASTI <= frame.lasti < frames.codes.length(frame.code):
            continue
        # Several frames in a row may be damaged: then it links to one of them.
        if base + position <= frame.previous < base + start:
            return start
        # A frame that C code called links to where no data stack is.
        if not base <= frame.previous < base + len(data):
            return start
    return None
