# SPDX-License-Identifier: Apache-2.0
"""Python frames of a thread that is gone, from the memory of its native stack.

fork() copies every stack, and nothing frees those of threads that it did not copy. What lies there
points at the thread's PyThreadState (freed, but free() overwrites only its first words) and at its
frames (never freed: CPython deletes the other thread states without clearing their frames).
Reference: CPython Python/pystate.c (_PyThreadState_DeleteExcept, _PyThreadState_DeleteList), 3.8 to
3.15.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.frames.frame_chain import (
    FrameChain,
    FrameReader,
    RawFrame,
    frame_reader,
    python_frame,
    walk_chain,
)
from gdb_epi.cpython.frames.stack_walk import StackWalker
from gdb_epi.cpython.frames.unlinked_frames import executing_flag
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.paged_reader import PagedReader
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u64, try_read
from gdb_epi.sizes import PAGE, USER_TOP, words_in
from gdb_epi.target.api import Target

# How far below the outermost frame is looked, in steps: thread_run() holds the thread state within
# the first kilobyte; the last step is for frames alone.
STEPS = (1024, 16384, 131072)
DESCRIPTOR = 4096  # bytes from a pthread_t on that may be its own struct pthread
MAX_SCANNED = 16 << 20  # bytes of stacks that one analysis scans
MAX_CANDIDATES = 4096  # words of one stack that are examined as frames
SCAN = "stack scan"  # PyFrame.provenance


class StackScanner:
    """Scans the stacks of one process for thread states and frames."""

    def __init__(self, target: Target, python: PythonState) -> None:
        self.target = target
        self.reader = PagedReader(target, python.layout)
        self.objects = NamespaceReader(self.reader)
        self.codes = CodeReader(self.reader)
        self.frames: FrameReader = frame_reader(self.reader, self.codes)
        self.walker = StackWalker(self.reader, self.frames, self.objects)
        self.left = MAX_SCANNED
        self._ident_at = python.layout.require("PyThreadState", "thread_id")
        self._executing = executing_flag(self.reader)
        self._code_types = {
            self.codes.at(frame.code).type_address
            for thread in python.threads()
            for frame in thread.frames[:1]
            if frame.code
        }

    def thread_state(self, start: int, end: int, ident: int) -> int | None:
        """Return the PyThreadState of a thread, freed or not, that its stack [start, end) names."""
        done = end
        for step in STEPS[:2]:
            low = max(start, end - step)
            for word in self._words(low, done):
                if start <= word < ident + DESCRIPTOR or word & 7:
                    continue  # the stack itself, or the descriptor, which holds its own address
                if read_u64(self.target, word + self._ident_at) == ident:
                    return word
            done = low
        return None

    def walk(self, tstate: int) -> tuple[PyFrame, ...]:
        """Return the Python frames of a thread state; empty when they do not form a stack."""
        try:
            frames = self.walker.walk(tstate).frames
        except (UnreadableMemory, LayoutError):
            return ()
        return frames if frames and all(frame.hole is None for frame in frames) else ()

    def scan(self, start: int, end: int) -> tuple[PyFrame, ...]:
        """Return the longest whole chain of frames that a stack [start, end) points into.

        Deeper frames than the running ones may be stale up to 3.15; the outer ones are exact.
        """
        best: list[RawFrame] = []
        seen_heads: set[int] = set()
        for word in self._candidates(start, end):
            if word in seen_heads:
                continue
            chain = self._chain(word)
            seen_heads |= {frame.address for frame in chain.frames}
            shown = [frame for frame in chain.frames if not frame.internal]
            if not chain.broken and len(shown) > len(best):
                best = shown
        return tuple(python_frame(frame_, self.codes, self.objects, SCAN) for frame_ in best)

    def _chain(self, head: int) -> FrameChain:
        chain = walk_chain(self.frames, head, set(), {})
        # 3.15 ends the chain with a frame inside the thread state, which may be wiped: after
        # the shim of the outermost C call no Python frame is missing.
        tail = chain.frames[-2:]
        if len(tail) == 2 and tail[0].internal and tail[1].problem:
            chain = FrameChain(chain.frames[:-1], "")
        whole = all(f.internal or (f.complete and not f.problem) for f in chain.frames)
        return chain if whole else FrameChain([], "holes")

    def _candidates(self, start: int, end: int) -> Iterator[int]:
        words = self._words(max(start, end - STEPS[-1]), end)
        aligned = (word for word in words if word & 7 == 0)
        return filter(self._is_frame, islice(aligned, MAX_CANDIDATES))

    def _is_frame(self, address: int) -> bool:
        region = self.target.region_at(address)
        if region is None or "w" not in region.perms:
            return False
        frame = self.frames.read(address)
        if frame.internal or frame.problem or not frame.complete:
            return False
        if self._code_types and self.codes.at(frame.code).type_address not in self._code_types:
            return False
        return self._executing is None or self._is_executing(address)

    def _is_executing(self, address: int) -> bool:
        """Up to 3.10 a frame object says whether it is executing."""
        assert self._executing is not None
        at, wanted = self._executing
        try:
            return self.reader.u8(address + at) == wanted
        except UnreadableMemory:
            return False

    def _words(self, low: int, high: int) -> Iterator[int]:
        """Yield the words of a range that may be pointers to the heap, the highest first."""
        size = high - low
        if size <= 0 or self.left < size:
            return
        self.left -= size
        words = words_in(try_read(self.target, low, size & -8))
        yield from dict.fromkeys(word for word in reversed(words) if PAGE < word < USER_TOP)
