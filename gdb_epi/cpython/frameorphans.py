# SPDX-License-Identifier: Apache-2.0
"""Frame objects (CPython 3.8 to 3.10) that neither a link nor a C stack leads to any more.

They are found by their type pointer; a frame that runs says so. Whose stack they end is told by
their outermost function alone: `Thread._bootstrap` holds the Thread, whose ident is the pthread_t
of its thread state (the Thread says it, and threading._active), and a module is run by the thread
that the process began with. What is of nobody for sure is given to nobody, but named.
"""

from __future__ import annotations

from gdb_epi.cpython.code import CodeReader
from gdb_epi.cpython.frames import FrameObjects, RawFrame
from gdb_epi.cpython.framesearch import executing_at, frame_objects, frame_type
from gdb_epi.cpython.objects import Objects
from gdb_epi.cpython.pyframes import python_frame
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import HEAP, InterpreterState, ThreadState
from gdb_epi.errors import Absent, SoftError, UnreadableMemory
from gdb_epi.lean import NamedTuple

MAX_TOLD = 20
MAX_NAMES = 4  # of functions that are named in a message
_BOOTSTRAP = "_bootstrap"  # threading.Thread._bootstrap, what `threading` starts a thread with
_MAIN = ("<module>", "_run_module_as_main")  # what `python FILE` and `python -m` begin with


class _Orphans(NamedTuple):
    """Frames that are linked to each other, innermost first."""

    frames: tuple[RawFrame, ...]
    outermost: str  # its function; "" when another link is lost before it
    ident: int  # of the Thread that it holds; 0 when it holds none


def with_orphans(
    reader: Reader, codes: CodeReader, objects: Objects, interpreters: list[InterpreterState]
) -> tuple[list[InterpreterState], list[SoftError]]:
    """Give running frames that nobody leads to to the thread that they are of, behind its hole.

    The errors tell of frames that run on a thread that cannot be told. Call it for layouts up to
    3.10 alone, and where a stack is open.
    """
    threads = [thread for one in interpreters for thread in one.threads]
    found = _Search(reader, codes, objects).orphans(threads)
    owners: dict[int, list[_Orphans]] = {}
    left: list[_Orphans] = []
    for orphans in found:
        owner = _owner(reader, orphans, threads)
        if owner is None:
            left.append(orphans)
        else:
            owners.setdefault(owner.address, []).append(orphans)

    def own(thread: ThreadState) -> ThreadState:
        mine = owners.get(thread.address, [])
        if len(mine) != 1:
            left.extend(mine)
            return thread
        more = [python_frame(f, codes, objects, HEAP, is_entry=True) for f in mine[0].frames]
        why = f"{len(more)} frames behind a damaged link were found by their type in the heap"
        error = SoftError("frames", f"thread {thread.tid}", why)
        return thread._replace(
            frames=(*thread.frames, *more), soft_errors=(*thread.soft_errors, error)
        )

    given = [one._replace(threads=tuple(map(own, one.threads))) for one in interpreters]
    return given, [_told(codes, orphans) for orphans in left[:MAX_TOLD]]


def _told(codes: CodeReader, orphans: _Orphans) -> SoftError:
    names = [codes.at(frame.code).name for frame in orphans.frames[:MAX_NAMES]]
    more = (
        "" if len(orphans.frames) <= MAX_NAMES else f" and {len(orphans.frames) - MAX_NAMES} more"
    )
    why = f"running frames of a thread that cannot be told: {', '.join(names)}{more}"
    return SoftError("frames", f"frame {orphans.frames[0].address:#x}", why)


def _owner(reader: Reader, orphans: _Orphans, threads: list[ThreadState]) -> ThreadState | None:
    """Return the thread whose stack these frames end, when that is sure."""
    if orphans.outermost == _BOOTSTRAP:
        wanted = [thread for thread in threads if thread.ident == orphans.ident]
    elif orphans.outermost in _MAIN:
        wanted = [thread for thread in threads if _is_first(reader, thread)]
    else:
        return None
    # Sub-interpreters have thread states of their own for the same thread.
    if len(wanted) != 1 or not wanted[0].alive or not wanted[0].is_open:
        return None
    return wanted[0]


def _is_first(reader: Reader, thread: ThreadState) -> bool:
    """Tell the thread that a process began with: pthread_create() puts a pthread_t on the stack."""
    for one in reader.target.threads():
        if thread.ident and one.registers.get("fs_base") == thread.ident:
            stack = reader.target.region_at(one.registers.get("rsp", 0))
            return stack is not None and stack != reader.target.region_at(thread.ident)
    return False


class _Search:
    def __init__(self, reader: Reader, codes: CodeReader, objects: Objects) -> None:
        self._reader, self._codes, self._objects = reader, codes, objects
        self._frames = FrameObjects(reader, codes)

    def orphans(self, threads: list[ThreadState]) -> list[_Orphans]:
        """Return what runs outside of the stacks that are known."""
        known = {frame.address for thread in threads for frame in thread.frames}
        running = self._running(known)
        called = {frame.previous for frame in running.values()}
        found = []
        for address in sorted(running.keys() - called):
            frames: list[RawFrame] = []
            while address in running and len(frames) < len(running):
                frames.append(running[address])
                address = frames[-1].previous
            name = "" if address else self._codes.at(frames[-1].code).name
            ident = self._ident(frames[-1]) if name == _BOOTSTRAP else 0
            found.append(_Orphans(tuple(frames), name, ident))
        return found

    def _running(self, known: set[int]) -> dict[int, RawFrame]:
        """Return the frame objects that say that they are being run, those of stacks left out."""
        reader, running = self._reader, executing_at(self._reader)
        kind = frame_type(reader, known)
        if running is None or not kind:
            return {}
        at, wanted = running
        found = {}
        for address in frame_objects(reader, kind):
            try:
                if address in known or reader.u8(address + at) != wanted:
                    continue
            except UnreadableMemory:
                continue
            frame = self._frames.read(address)
            if not frame.problem:
                found[address] = frame
        return found

    def _ident(self, frame: RawFrame) -> int:
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
            active = objects.dict_get(frame.globals, "_active")
            for key, value in () if isinstance(active, Absent) else objects.dict_items(active):
                number = objects.integer(key) if value == thread else 0
                if number and not isinstance(number, Absent):
                    return number
        except UnreadableMemory:
            pass
        return 0
