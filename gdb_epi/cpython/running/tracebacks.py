# SPDX-License-Identifier: Apache-2.0
"""Traceback objects: the lines along which an exception went."""

from __future__ import annotations

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import UNPARSABLE, UNREADABLE, Absent, UnreadableMemory
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

MAX_TRACEBACK = 1000  # lines kept of one traceback: the first and the last half
MAX_TRACEBACK_LINKS = 200_000  # followed of one traceback
MAX_LINKS = 1_000_000  # followed of all tracebacks of one process
MAX_LINES = 400_000  # of all tracebacks of one process
_NO_LINE = -1


class TracebackLine(NamedTuple):
    """One line of a traceback. `hole` says why a line could not be decoded; its name is ""."""

    name: str = ""
    qualname: str | None = None  # None before 3.11
    filename: str = ""
    lineno: int | None = None
    hole: str | None = None
    code: int = 0  # PyCodeObject *


class Traceback(NamedTuple):
    """Lines in Python's order, outermost call first.

    `left_out` lines are missing after the first `MAX_TRACEBACK // 2`. `broken` says where a damaged
    chain ends; "" when it ends properly. `innermost` is the PyTracebackObject of the last line, 0
    where that is not known.
    """

    lines: tuple[TracebackLine, ...]
    left_out: int = 0
    broken: str = ""
    innermost: int = 0


class Tracebacks:
    """The tracebacks of one process."""

    def __init__(self, reader: MemoryReader) -> None:
        self._reader = reader
        self._layout = reader.layout
        self._codes = CodeReader(reader)
        self._links = MAX_LINKS
        self._lines = MAX_LINES

    @memoized
    def traceback_at(self, address: int) -> Traceback | Absent:
        """Return the lines from a traceback object on. Reference: Python/traceback.c."""
        links: list[int] = []
        seen: set[int] = set()
        broken = ""
        try:
            next_at = self._layout.require("PyTracebackObject", "tb_next")
            kind = self._reader.type_of(address)
            while address:
                if address in seen or address & 7 or self._reader.type_of(address) != kind:
                    raise UnreadableMemory(address, 8, "no other traceback object")
                if len(links) >= min(MAX_TRACEBACK_LINKS, self._links):
                    raise UnreadableMemory(address, 8, f"beyond {len(links)} lines")
                seen.add(address)
                links.append(address)
                address = self._reader.u64(address + next_at)
        except UnreadableMemory as error:
            broken = str(error)
        self._links -= len(links)
        if not links:
            return Absent(UNREADABLE, broken)
        kept = links
        if len(links) > MAX_TRACEBACK:
            kept = links[: MAX_TRACEBACK // 2] + links[-(MAX_TRACEBACK // 2) :]
        self._lines -= len(kept)
        if self._lines < 0:
            return Absent(UNPARSABLE, f"more than {MAX_LINES} traceback lines")
        lines = tuple(map(self._traceback_line_at, kept))
        return Traceback(lines, len(links) - len(kept), broken, 0 if broken else links[-1])

    def _traceback_line_at(self, address: int) -> TracebackLine:
        struct, require = "PyTracebackObject", self._layout.require
        try:
            lasti = self._i32(address + require(struct, "tb_lasti"))
            line: int | None = self._i32(address + require(struct, "tb_lineno"))
            frame = self._reader.field(address, struct, "tb_frame")
            code = self._code_of_frame(frame)
            info = self._codes.code_at(code)
        except UnreadableMemory as error:
            return TracebackLine(hole=str(error))
        if info.problem:
            return TracebackLine(hole=info.problem)
        if line == _NO_LINE:  # 3.12 (gh-98831): computed when somebody asks; tb_lasti is in bytes
            line = self._codes.line_at_offset(info, lasti)
        return TracebackLine(info.name, info.qualname, info.filename, line, code=code)

    @memoized
    def _code_of_frame(self, frame: int) -> int:
        """Return the PyCodeObject of a frame object; 3.11 put a _PyInterpreterFrame between."""
        at = self._layout.offset("PyFrameObject", "f_code")
        if at is not None:
            return self._reader.u64(frame + at) & ~3
        inner = self._reader.field(frame, "PyFrameObject", "f_frame")
        names = ("f_executable.bits", "f_executable", "f_code")
        return self._reader.field(inner, "_PyInterpreterFrame", *names) & ~3  # 3.14: tagged

    def _i32(self, address: int) -> int:
        return int.from_bytes(self._reader.read(address, 4), "little", signed=True)
