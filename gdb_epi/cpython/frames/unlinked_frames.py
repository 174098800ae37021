# SPDX-License-Identifier: Apache-2.0
"""Frame objects (CPython 3.8 to 3.10) that no link leads to any more.

Before 3.11 every Python call is a C call of the eval loop, which holds the frame object, and
frames have no stack of their own: where one frame is lost, so are the links to all the older ones.
The C stack of their thread still points to them.

What no C stack leads to either is found by its type pointer; a frame that runs says so. Whose stack
such frames end is known by their outermost function alone: `Thread._bootstrap` holds the Thread,
whose ident is the pthread_t of its thread state (the Thread says it, and threading._active), and a
module is run by the thread that the process began with. Frames whose thread is not certain are
given to no thread, but reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.frames.frame_chain import FrameObjectReader, RawFrame, make_python_frame
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.runtime.recover_modules import read_active_threads
from gdb_epi.cpython.types import HEAP, NATIVE, InterpreterState, ThreadState
from gdb_epi.errors import Absent, SoftError, UnreadableMemory
from gdb_epi.sizes import PAGE, split_into_words
from gdb_epi.target.memory_search import find_word
from gdb_epi.typing_lite import NamedTuple

MAX_STACK = 8 << 20  # bytes of one C stack that are read; the usual limit of its size
MAX_WORDS = 200_000  # different words of it that are examined
MAX_REPORTED = 20
MAX_NAMES = 4  # of functions that are named in a message
_BOOTSTRAP = "_bootstrap"  # threading.Thread._bootstrap, what `threading` starts a thread with
_MAIN = ("<module>", "_run_module_as_main")  # what `python FILE` and `python -m` begin with


def find_frames_on_stack(reader: MemoryReader, tstate: int, type_at: int) -> list[int]:
    """Return the running frame objects that a thread's C stack points to, innermost first.

    `type_at` is PyFrame_Type. A frame object counts when its type is that and it says that it is
    being run: f_executing, in 3.10 f_state (bpo-42246). The eval loop that runs a frame is the
    outermost place of the stack to hold it. Empty without registers, or with other layouts.
    """
    executing = locate_executing_flag(reader)
    if executing is None or not type_at:
        return []
    at, wanted = executing
    words = _stack_words(reader, tstate)
    last: dict[int, int] = {word: place for place, word in enumerate(words) if not word & 7}
    running = []
    for word in list(last)[:MAX_WORDS]:
        region = reader.target.region_at(word)
        if region is None or "w" not in region.perms:
            continue
        try:
            if reader.u8(word + at) == wanted and reader.type_of(word) == type_at:
                running.append(word)
        except UnreadableMemory:
            continue
    return sorted(running, key=last.__getitem__)


def drop_contested_frames(interpreters: list[InterpreterState]) -> list[InterpreterState]:
    """Take the frames that a C stack gave to several thread states of one thread from these.

    The links of one of them may tell whose they are; where none does, they belong to nobody.
    """
    threads = [thread for interpreter in interpreters for thread in interpreter.threads]
    count = Counter(frame.address for thread in threads for frame in thread.frames)

    def without_shared_frames(thread: ThreadState) -> ThreadState:
        kept = [f for f in thread.frames if f.provenance != NATIVE or count[f.address] == 1]
        if len(kept) == len(thread.frames):
            return thread
        why = (
            "of several interpreters on this thread: whose the frames of its C stack are is unknown"
        )
        error = SoftError("frames", f"tstate {thread.address:#x}", why)
        return thread._replace(frames=tuple(kept), soft_errors=(*thread.soft_errors, error))

    return [
        interpreter._replace(threads=tuple(map(without_shared_frames, interpreter.threads)))
        for interpreter in interpreters
    ]


def find_frame_type(reader: MemoryReader, frames: Iterable[int]) -> int:
    """Return PyFrame_Type: by its symbol, else the type of a frame object that is known."""
    symbol = reader.target.symbol("PyFrame_Type")
    if symbol:
        return symbol
    for address in frames:
        try:
            return reader.type_of(address)
        except UnreadableMemory:
            continue
    return 0


def find_frame_objects(reader: MemoryReader, type_at: int) -> Iterator[int]:
    """Yield the living objects of a type (PyFrame_Type) in writable memory."""
    kind_at = reader.layout.require("PyObject", "ob_type")
    count_at = reader.layout.require("PyObject", "ob_refcnt")
    for at in find_word(reader.target, type_at, limit=None).addresses:
        try:
            if reader.i64(at - kind_at + count_at) > 0:
                yield at - kind_at
        except UnreadableMemory:
            continue


def locate_executing_flag(reader: MemoryReader) -> tuple[int, int] | None:
    """Return (offset, value) of the byte that says that a frame object runs; None from 3.11."""
    layout = reader.layout
    if layout.offset("_PyInterpreterFrame", "previous") is not None:
        return None
    at = layout.offset("PyFrameObject", "f_state")  # 3.10 (bpo-42246)
    if at is not None:
        return at, layout.constant("FRAME_EXECUTING") or 0
    at = layout.offset("PyFrameObject", "f_executing")
    return None if at is None else (at, 1)


def _stack_words(reader: MemoryReader, tstate: int) -> tuple[int, ...]:
    """Return the C stack of the thread of a PyThreadState, from its stack pointer on."""
    try:
        ident = reader.field(tstate, "PyThreadState", "thread_id")
    except UnreadableMemory:
        return ()
    for thread in reader.target.threads():
        if thread.ident == ident and ident:
            low = thread.sp & -8
            region = reader.target.region_at(low)
            if region is None:
                return ()
            count = min(region.end - low, MAX_STACK) // 8
            # The words of a range, as 0 where they are lost.
            words: list[int] = []
            for at in range(low, low + 8 * count, PAGE):
                size = min(PAGE, low + 8 * count - at)
                try:
                    words += split_into_words(reader.read(at, size))
                except UnreadableMemory:
                    words += [0] * (size // 8)
            return tuple(words)
    return ()


class _OrphanChain(NamedTuple):
    """Frames that are linked to each other, innermost first."""

    frames: tuple[RawFrame, ...]
    outermost: str  # its function; "" when another link is lost before it
    ident: int  # of the Thread that it holds; 0 when it holds none


def attach_orphan_frames(
    reader: MemoryReader,
    codes: CodeReader,
    objects: NamespaceReader,
    interpreters: list[InterpreterState],
) -> tuple[list[InterpreterState], list[SoftError]]:
    """Give running frames that no link leads to to their thread, after its hole.

    The errors name frames whose thread is unknown. Call it for layouts up to
    3.10 alone, and where a stack is open.
    """
    threads = [thread for interpreter in interpreters for thread in interpreter.threads]
    chains = _OrphanFrameSearch(reader, codes, objects).find_orphans(threads)
    owners: dict[int, list[_OrphanChain]] = {}
    left: list[_OrphanChain] = []
    for orphans in chains:
        owner = _thread_of_orphans(reader, orphans, threads)
        if owner is None:
            left.append(orphans)
        else:
            owners.setdefault(owner.address, []).append(orphans)

    def with_orphan_frames(thread: ThreadState) -> ThreadState:
        mine = owners.get(thread.address, [])
        if len(mine) != 1:
            left.extend(mine)
            return thread
        more = [make_python_frame(f, codes, objects, HEAP, is_entry=True) for f in mine[0].frames]
        why = f"{len(more)} frames behind a damaged link were found by their type in the heap"
        error = SoftError("frames", f"thread {thread.tid}", why)
        return thread._replace(
            frames=(*thread.frames, *more), soft_errors=(*thread.soft_errors, error)
        )

    attached = [
        interpreter._replace(threads=tuple(map(with_orphan_frames, interpreter.threads)))
        for interpreter in interpreters
    ]
    return attached, [_error_of_unplaced_frames(codes, orphans) for orphans in left[:MAX_REPORTED]]


def _error_of_unplaced_frames(codes: CodeReader, orphans: _OrphanChain) -> SoftError:
    names = [codes.code_at(frame.code).name for frame in orphans.frames[:MAX_NAMES]]
    more = (
        "" if len(orphans.frames) <= MAX_NAMES else f" and {len(orphans.frames) - MAX_NAMES} more"
    )
    why = f"running frames of a thread that cannot be told: {', '.join(names)}{more}"
    return SoftError("frames", f"frame {orphans.frames[0].address:#x}", why)


def _thread_of_orphans(
    reader: MemoryReader, orphans: _OrphanChain, threads: list[ThreadState]
) -> ThreadState | None:
    """Return the thread whose stack these frames end, when that is sure."""
    if orphans.outermost == _BOOTSTRAP:
        wanted = [thread for thread in threads if thread.ident == orphans.ident]
    elif orphans.outermost in _MAIN:
        wanted = [thread for thread in threads if _runs_on_first_thread(reader, thread)]
    else:
        return None
    # Sub-interpreters have thread states of their own for the same thread.
    if len(wanted) != 1 or not wanted[0].alive or not wanted[0].stack_ends_in_hole:
        return None
    return wanted[0]


def _runs_on_first_thread(reader: MemoryReader, thread: ThreadState) -> bool:
    """Tell the thread that a process began with: pthread_create() puts a pthread_t on the stack."""
    for lwp in reader.target.threads():
        if thread.ident and lwp.ident == thread.ident:
            stack = reader.target.region_at(lwp.sp)
            return stack is not None and stack != reader.target.region_at(thread.ident)
    return False


class _OrphanFrameSearch:
    def __init__(self, reader: MemoryReader, codes: CodeReader, objects: NamespaceReader) -> None:
        self._reader, self._codes, self._objects = reader, codes, objects
        self._frames = FrameObjectReader(reader, codes)

    def find_orphans(self, threads: list[ThreadState]) -> list[_OrphanChain]:
        """Return what runs outside of the stacks that are known."""
        linked = {frame.address for thread in threads for frame in thread.frames}
        running = self._running_frame_objects(linked)
        called = {frame.previous for frame in running.values()}
        chains = []
        for address in sorted(running.keys() - called):
            frames: list[RawFrame] = []
            while address in running and len(frames) < len(running):
                frames.append(running[address])
                address = frames[-1].previous
            name = "" if address else self._codes.code_at(frames[-1].code).name
            ident = self._thread_ident_in_first_slot(frames[-1]) if name == _BOOTSTRAP else 0
            chains.append(_OrphanChain(tuple(frames), name, ident))
        return chains

    def _running_frame_objects(self, linked: set[int]) -> dict[int, RawFrame]:
        """Return the frame objects marked as running, except those of stacks."""
        reader, running = self._reader, locate_executing_flag(self._reader)
        kind = find_frame_type(reader, linked)
        if running is None or not kind:
            return {}
        at, wanted = running
        frames = {}
        for address in find_frame_objects(reader, kind):
            try:
                if address in linked or reader.u8(address + at) != wanted:
                    continue
            except UnreadableMemory:
                continue
            frame = self._frames.read(address)
            if not frame.problem:
                frames[address] = frame
        return frames

    def _thread_ident_in_first_slot(self, frame: RawFrame) -> int:
        """Return the ident of the Thread in the first slot of a frame of `threading`; 0 if lost.

        The Thread holds it; and it is the key of the Thread in threading._active.
        """
        objects, at = self._objects, self._reader.layout.require("PyFrameObject", "f_localsplus")
        try:
            thread = self._reader.u64(frame.address + at)
            held = objects.attribute(thread, "_ident")
            number = objects.integer(held) if not isinstance(held, Absent) else held
            if not isinstance(number, Absent):
                return number
            active = read_active_threads(objects, frame.globals)
            return next((ident for ident, value in active if value == thread and ident), 0)
        except UnreadableMemory:
            return 0
