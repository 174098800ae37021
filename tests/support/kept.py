# SPDX-License-Identifier: Apache-2.0
"""Which frames of an intact core a damaged copy of it must still give: those whose memory is kept.

A debugger prints a frame when it can read the thread state, the frame, its code object and the
strings of that. What it reads for each is recorded here from the intact core.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.frames.frame_chain import frame_reader
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import PAGE
from gdb_epi.target.api import Target


class Needed(NamedTuple):
    """One printable frame: its thread, its place there, its text, the ranges it takes."""

    tid: int | None
    number: int
    name: str
    filename: str
    ranges: tuple[tuple[int, int], ...]  # (address, size) that were read for it


class _Recorder:
    """A target that notes what is read of the dumped memory."""

    def __init__(self, inner: Target) -> None:
        self._inner = inner
        self.ranges: list[tuple[int, int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def read(self, address: int, size: int) -> bytes:
        if size == PAGE and address % PAGE == 0:  # a reader takes whole pages where it can
            raise UnreadableMemory(address, size, "not a page at once")
        content = self._inner.read(address, size)
        self.ranges.append((address, size))
        return content


def needed_frames(target: Target, python: PythonState) -> list[Needed]:
    """Return every frame of every living thread with the memory that it takes to print it."""
    ident_at = python.layout.require("PyThreadState", "thread_id")
    needed = []
    for thread in python.threads():
        for number, frame in enumerate(thread.frames):
            if frame.hole is not None or not thread.alive:
                continue
            recorder = _Recorder(target)
            reader = MemoryReader(recorder, python.layout)
            codes = CodeReader(reader)
            raw = frame_reader(reader, codes).read(frame.address)
            codes.line_at_offset(codes.code_at(raw.code), raw.lasti)
            recorder.ranges.append((thread.address, ident_at + 8))
            # What lies outside of the data stack (coroutines; all frames up to 3.10) is reached
            # by the link of the next inner frame alone.
            if number and frame.owner != "thread":
                recorder.ranges.append((thread.frames[number - 1].address, 80))
            needed.append(
                Needed(thread.tid, number, frame.name, frame.filename, tuple(recorder.ranges))
            )
    return needed


def kept_in(target: Target, needed: Needed) -> bool:
    """Tell whether a damaged copy holds all that a frame takes, or a file stands in for it."""
    return all(target.provenance(at, max(size, 1)) != "absent" for at, size in needed.ranges)


def printed(python: object) -> set[tuple[int | None, str, str]]:
    """Return (tid, name, file) of every frame that was decoded."""
    if not isinstance(python, PythonState):
        return set()
    return {
        (thread.tid, frame.name, frame.filename)
        for thread in python.threads()
        for frame in thread.frames
        if frame.hole is None
    }
