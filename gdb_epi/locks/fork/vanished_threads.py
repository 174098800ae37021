# SPDX-License-Identifier: Apache-2.0
"""The threads that a fork left behind: who they were and what Python code they ran.

A thread counts when glibc's own lists prove that it never ran thread exit (F2, F3), when CPython
still has its thread state although no LWP is there (F10), or when the fork came from a thread and
the parent therefore had a main thread besides. A thread that had ended before the fork has the
EXITING bit in its descriptor and is not counted.

fork() copies every stack, and nothing frees those of threads that it did not copy. What lies there
points at the thread's PyThreadState (freed, but free() overwrites only its first words) and at its
frames (never freed: CPython deletes the other thread states without clearing their frames).
Reference: CPython Python/pystate.c (_PyThreadState_DeleteExcept, _PyThreadState_DeleteList), 3.8 to
3.15.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.frames.frame_chain import (
    FrameChain,
    FrameReader,
    RawFrame,
    frame_reader,
    make_python_frame,
    walk_chain,
)
from gdb_epi.cpython.frames.stack_walk import StackWalker
from gdb_epi.cpython.frames.unlinked_frames import locate_executing_flag
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PyFrame, PythonState, ThreadState
from gdb_epi.errors import Absent, LayoutError, SoftError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u32, read_u64, try_read
from gdb_epi.locks.fork.thread_objects import ThreadObject, read_thread_objects
from gdb_epi.locks.glibc_threads import StackLists, ThreadDescriptor, read_stack_lists
from gdb_epi.locks.types import ForkEvidence, VanishedThread, VanishedThreads
from gdb_epi.sizes import PAGE, USER_TOP, split_into_words
from gdb_epi.target.api import Target
from gdb_epi.target.memory_search import find_bytes

# How far below the outermost frame is looked, in steps: thread_run() holds the thread state within
# the first kilobyte; the last step is for frames alone.
STEPS = (1024, 16384, 131072)
DESCRIPTOR = 4096  # bytes from a pthread_t on that may be its own struct pthread
MAX_SCANNED = 16 << 20  # bytes of stacks that one analysis scans
MAX_CANDIDATES = 4096  # words of one stack that are examined as frames
SCAN = "stack scan"  # PyFrame.provenance
MAX_VANISHED = 4096  # threads whose frames are looked for
MAX_SEARCHED = 64 << 20  # bytes in which the parent's main thread is looked for, small maps first
NO_MEMORY = "stack memory absent"
NO_FRAMES = "no Python frames on its stack: it ran no Python code, or its frames are overwritten"


class StackScanner:
    """Scans the stacks of one process for thread states and frames."""

    def __init__(self, target: Target, python: PythonState) -> None:
        self.target = target
        self.reader = MemoryReader(target, python.layout)
        self.objects = NamespaceReader(self.reader)
        self.codes = CodeReader(self.reader)
        self.frames: FrameReader = frame_reader(self.reader, self.codes)
        self.walker = StackWalker(self.reader, self.frames, self.objects)
        self.left = MAX_SCANNED
        self._ident_at = python.layout.require("PyThreadState", "thread_id")
        self._executing = locate_executing_flag(self.reader)
        self._code_types = {
            self.codes.code_at(frame.code).type_address
            for thread in python.threads()
            for frame in thread.frames[:1]
            if frame.code
        }

    def find_thread_state(self, start: int, end: int, ident: int) -> int | None:
        """Return the PyThreadState of a thread, freed or not, that its stack [start, end) names."""
        done = end
        for step in STEPS[:2]:
            low = max(start, end - step)
            for word in self._heap_pointers_between(low, done):
                if start <= word < ident + DESCRIPTOR or word & 7:
                    continue  # the stack itself, or the descriptor, which holds its own address
                if read_u64(self.target, word + self._ident_at) == ident:
                    return word
            done = low
        return None

    def walk_frames(self, tstate: int) -> tuple[PyFrame, ...]:
        """Return the Python frames of a thread state; empty when they do not form a stack."""
        try:
            frames = self.walker.walk(tstate).frames
        except (UnreadableMemory, LayoutError):
            return ()
        return frames if frames and all(frame.hole is None for frame in frames) else ()

    def scan_for_frames(self, start: int, end: int) -> tuple[PyFrame, ...]:
        """Return the longest whole chain of frames that a stack [start, end) points into.

        Deeper frames than the running ones may be stale up to 3.15; the outer ones are exact.
        """
        best: list[RawFrame] = []
        seen_heads: set[int] = set()
        for word in self._candidate_frames(start, end):
            if word in seen_heads:
                continue
            chain = self._frame_chain_from(word)
            seen_heads |= {frame.address for frame in chain.frames}
            shown = [frame for frame in chain.frames if not frame.internal]
            if not chain.broken and len(shown) > len(best):
                best = shown
        return tuple(make_python_frame(frame_, self.codes, self.objects, SCAN) for frame_ in best)

    def _frame_chain_from(self, head: int) -> FrameChain:
        chain = walk_chain(self.frames, head, set(), {})
        # 3.15 ends the chain with a frame inside the thread state, which may be wiped: after
        # the shim of the outermost C call no Python frame is missing.
        tail = chain.frames[-2:]
        if len(tail) == 2 and tail[0].internal and tail[1].problem:
            chain = FrameChain(chain.frames[:-1], "")
        whole = all(f.internal or (f.complete and not f.problem) for f in chain.frames)
        return chain if whole else FrameChain([], "holes")

    def _candidate_frames(self, start: int, end: int) -> Iterator[int]:
        words = self._heap_pointers_between(max(start, end - STEPS[-1]), end)
        aligned = (word for word in words if word & 7 == 0)
        return filter(self._is_frame, islice(aligned, MAX_CANDIDATES))

    def _is_frame(self, address: int) -> bool:
        region = self.target.region_at(address)
        if region is None or "w" not in region.perms:
            return False
        frame = self.frames.read(address)
        if frame.internal or frame.problem or not frame.complete:
            return False
        if self._code_types and self.codes.code_at(frame.code).type_address not in self._code_types:
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

    def _heap_pointers_between(self, low: int, high: int) -> Iterator[int]:
        """Yield the words of a range that may be pointers to the heap, the highest first."""
        size = high - low
        if size <= 0 or self.left < size:
            return
        self.left -= size
        words = split_into_words(try_read(self.target, low, size & -8))
        yield from dict.fromkeys(word for word in reversed(words) if PAGE < word < USER_TOP)


class _VanishedThreadFinder:
    """Collects the vanished threads of one process."""

    def __init__(
        self,
        target: Target,
        python: PythonState | Absent,
        fork: ForkEvidence,
        thread_objects: Sequence[ThreadObject] | None,
    ) -> None:
        self.target = target
        self.python = python
        self.fork = fork
        self.live = {t.ident for t in target.threads() if t.ident}
        self.errors: list[SoftError] = []
        self.scanner: StackScanner | None = None
        self.thread_objects: Mapping[int, ThreadObject] = {}
        self.ghosts: dict[int, ThreadState] = {}
        if isinstance(python, PythonState):
            objects: Sequence[ThreadObject] | Absent | None = thread_objects
            try:
                self.scanner = StackScanner(self.target, python)
                if objects is None:
                    objects = read_thread_objects(self.scanner.reader, python)
            except (UnreadableMemory, LayoutError) as error:
                self.errors.append(SoftError("fork", "vanished threads", str(error)))
                return
            if not isinstance(objects, Absent):
                self.thread_objects = {thread.ident: thread for thread in objects if thread.ident}
            self.ghosts = {
                t.ident: t for t in python.threads() if not t.alive and t.ident and not t.doubt
            }

    def find_vanished_threads(self) -> VanishedThreads:
        """Return the threads in the order of glibc's lists."""
        lists = read_stack_lists(self.target)
        gone = (
            [] if isinstance(lists, Absent) else descriptors_of_vanished_threads(lists, self.live)
        )
        starts = isinstance(lists, StackLists) and lists.offsets.get("start_routine")
        threads = [
            self._thread_of_descriptor(thread, starts or 0) for thread in gone[:MAX_VANISHED]
        ]
        seen = {thread.ident for thread in threads}
        threads += [
            self._thread_of_orphan_state(t) for ident, t in self.ghosts.items() if ident not in seen
        ]
        if self.fork.from_main_thread is False and not any(thread.is_main for thread in threads):
            threads += self._main_threads_of_parent()
        return VanishedThreads(
            tuple(threads), self._may_lack_threads(lists, threads), tuple(self.errors)
        )

    def _may_lack_threads(self, lists: StackLists | Absent, threads: list[VanishedThread]) -> bool:
        """Tell whether more threads may have vanished than were found."""
        if isinstance(lists, Absent) or not lists.complete or len(threads) >= MAX_VANISHED:
            return True
        # Threads that the child started may live on the stacks of vanished ones; glibc unmaps
        # cached stacks beyond 40 MB (nptl_stack_cache_maxsize).
        placed = {thread.ident for thread in threads} | {d.address for d in lists.descriptors}
        lost = any(ident not in placed for ident in self.thread_objects)
        once_had_threads = any(signal.name == "F15" for signal in self.fork.signals)
        return len(self.live) > 1 or (lost and (bool(threads) or once_had_threads))

    def _thread_of_descriptor(self, descriptor: ThreadDescriptor, start_at: int) -> VanishedThread:
        region = self.target.region_at(descriptor.address)
        start = read_u64(self.target, descriptor.address + start_at) if start_at else None
        thread = self.thread_objects.get(descriptor.address)
        ghost = self.ghosts.get(descriptor.address)
        frames, how, missing = self._frames_of_started_thread(descriptor.address, ghost)
        modules = self.target.modules() if start else ()
        return VanishedThread(
            ident=descriptor.address,
            tid=(thread.native_id if thread else None)
            or descriptor.tid
            or (ghost.tid if ghost else None),
            name=thread.name if thread else ghost.name if ghost else None,
            stack=(region.start, region.end) if region is not None else None,
            module=next((m.path for m in modules if m.start <= (start or 0) < m.end), None),
            frames=frames,
            how=how,
            missing=missing,
            type_name=thread.type_name if thread else None,
        )

    def _frames_of_started_thread(
        self, ident: int, ghost: ThreadState | None
    ) -> tuple[tuple[PyFrame, ...], str, str]:
        """Return the frames of a thread with a stack of pthread_create()."""
        if ghost is not None and ghost.frames:
            return ghost.frames, "thread state", ""
        if self.scanner is None:
            return (), "", "no CPython was decoded"
        region = self.target.region_at(ident)
        if region is None or region.dumped < ident - region.start:
            return (), "", NO_MEMORY
        return self._frames_by_scan(region.start, ident, ident)

    def _frames_by_scan(
        self, start: int, end: int, ident: int
    ) -> tuple[tuple[PyFrame, ...], str, str]:
        assert self.scanner is not None
        tstate = self.scanner.find_thread_state(start, end, ident) if ident else None
        frames = self.scanner.walk_frames(tstate) if tstate is not None else ()
        if frames:
            return frames, "freed thread state", ""
        frames = self.scanner.scan_for_frames(start, end)
        if frames:
            return frames, "frames on its stack", ""
        if self.scanner.left <= 0:
            return (), "", "not looked for: the budget for scans of stacks is spent"
        return (), "", NO_FRAMES

    def _thread_of_orphan_state(self, thread: ThreadState) -> VanishedThread:
        region = self.target.region_at(thread.ident)
        thread_object = self.thread_objects.get(thread.ident)
        return VanishedThread(
            ident=thread.ident,
            tid=(thread_object.native_id if thread_object else None) or thread.tid,
            name=thread_object.name if thread_object else thread.name,
            stack=None if region is None else (region.start, region.end),
            module=None,
            frames=thread.frames,
            how="thread state" if thread.frames else "",
            missing="" if thread.frames else "its thread state has no frames",
            is_main=thread_object is not None and thread_object.type_name == "_MainThread",
        )

    def _main_threads_of_parent(self) -> Iterator[VanishedThread]:
        """The parent's main thread left glibc's lists, but its descriptor and stack are there."""
        lists = read_stack_lists(self.target)
        ident = at = None
        if not isinstance(lists, Absent):
            listed = {descriptor.address for descriptor in lists.descriptors}
            ident = descriptor_of_vanished_main_thread(self.target, lists, self.live | listed)
            at = lists.offsets["tid"]
        thread = self.thread_objects.get(ident or 0)
        address = self.target.symbol("__libc_stack_end")  # of the loader: exported
        end = read_u64(self.target, address) if address is not None else None
        region = self.target.region_at(end) if end else None
        frames: tuple[PyFrame, ...] = ()
        how, missing = "", NO_MEMORY
        if end and region is not None and region.dumped >= end - region.start and self.scanner:
            frames, how, missing = self._frames_by_scan(region.start, end, ident or 0)
        yield VanishedThread(
            ident=ident,
            tid=read_u32(self.target, ident + at) or None if ident and at else None,
            name=thread.name if thread and thread.name else "MainThread",
            stack=(region.start, region.end) if region is not None else None,
            module=None,
            frames=frames,
            how=how,
            missing=missing,
            is_main=True,
        )


def descriptor_of_vanished_main_thread(
    target: Target, lists: StackLists, others: set[int]
) -> int | None:
    """Return the pthread_t of the initial thread, taken off the lists by a fork of another one.

    Its list node still points at the list's head. struct pthread begins with its own address and
    has it again 16 bytes on (tcbhead_t.tcb and .self, sysdeps/x86_64/nptl/tls.h, 2.31 to 2.42).
    """
    head = lists.heads.get("user")
    if head is None:
        return None
    needle = head.to_bytes(8, "little").rstrip(b"\0")
    left = MAX_SEARCHED
    for region in sorted(target.regions(), key=lambda mapping: mapping.dumped):
        size = region.dumped_size
        if region.path or "w" not in region.perms or not size or size > left:
            continue
        left -= size
        for at in find_bytes(target, needle, region.start, region.start + size):
            address = at - lists.offsets["list"]
            if address % 64 or address in others or read_u64(target, at) != head:
                continue
            if read_u64(target, address) == address == read_u64(target, address + 16):
                return address
    return None


def descriptors_of_vanished_threads(lists: StackLists, live: set[int]) -> list[ThreadDescriptor]:
    """Return the descriptors of threads that are not in the core and never ran thread exit."""
    gone = [
        d
        for d in lists.descriptors_on("cache")
        if d.tid == 0 and not d.exiting and d.address not in live
    ]
    # _Fork() and raw clone leave the lists as they were, old thread ids included.
    left = [*lists.descriptors_on("used"), *lists.descriptors_on("user")]
    return gone + [d for d in left if d.tid > 0 and not d.exiting and d.address not in live]


def find_vanished_threads(
    target: Target,
    python: PythonState | Absent,
    fork: ForkEvidence,
    objects: Sequence[ThreadObject] | None = None,
) -> VanishedThreads:
    """Return the threads that this forked child does not have, with their Python frames.

    `objects` are those of threading, where they were read before. Empty when the process is
    not known to be forked.
    """
    if not fork.forked:
        return VanishedThreads((), False)
    return _VanishedThreadFinder(target, python, fork, objects).find_vanished_threads()
