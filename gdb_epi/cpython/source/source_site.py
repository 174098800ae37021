# SPDX-License-Identifier: Apache-2.0
"""What a core knows about the source of a frame: its position, and all positions of its code."""

from __future__ import annotations

from gdb_epi.cpython.frames.code_objects import MAX_LINE_TABLE, CodeReader
from gdb_epi.cpython.frames.frame_chain import frame_reader
from gdb_epi.cpython.frames.line_tables import (
    SourcePosition,
    find_source_position,
    parse_line_table,
)
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.plain_values import PlainValues
from gdb_epi.errors import UNREADABLE, Absent, UnreadableMemory
from gdb_epi.typing_lite import NamedTuple

MAX_CHECKED = 20_000  # positions of one code object that are compared with a text
MAX_NAMES = 5_000


class SourceSite(NamedTuple):
    """One frame's place in its source, and what its code object tells about the text."""

    filename: str
    name: str
    first: int  # co_firstlineno
    position: SourcePosition  # of the instruction that was running
    positions: tuple[SourcePosition, ...]  # of all its instructions, without repeats
    names: tuple[str, ...]  # global names, attributes and locals that the text must spell
    table: bytes  # co_linetable or co_lnotab
    globals: int  # dict (PyObject *)


class SourceSiteReader:
    """Sites of the frames of one process."""

    def __init__(self, access: PlainValues) -> None:
        self._access = access
        self._reader = access.reader
        self._layout = access.reader.layout
        self._codes = CodeReader(self._reader)
        self._frames = frame_reader(self._reader, self._codes)
        self._table_at = self._layout.require("PyCodeObject", "co_linetable", "co_lnotab")

    def of(self, frame: PyFrame) -> SourceSite | Absent:
        """Return the site of a frame. Absent for holes and where the line table is lost."""
        if frame.hole is not None:
            return Absent(UNREADABLE, frame.hole)
        code = self._codes.at(frame.code)
        try:
            raw = self._frames.read(frame.address)
            table = self._reader.bytes_object(
                self._reader.u64(frame.code + self._table_at), MAX_LINE_TABLE
            )
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))
        if isinstance(table, Absent):
            return Absent(table.reason, f"line table: {table.detail}")
        entries = parse_line_table(self._layout, table, code.firstlineno)
        position = find_source_position(entries, max(raw.lasti, 0))
        if position is None or position.line is None or position.line != frame.lineno:
            position = SourcePosition(
                frame.lineno
            )  # the stack's line, which other witnesses agreed on
        return SourceSite(
            filename=frame.filename,
            name=code.name,
            first=code.firstlineno,
            position=position,
            positions=self._positions(table, code.firstlineno),
            names=self._names(frame.code),
            table=table,
            globals=raw.globals,
        )

    def _positions(self, table: bytes, first: int) -> tuple[SourcePosition, ...]:
        positions: dict[SourcePosition, None] = {}
        for entry in parse_line_table(self._layout, table, first):
            where = entry.position
            # The first instruction of a code object has the line of its `def` or none at all.
            if where.line is not None and where.line > 0 and where != (first, first, 0, 0):
                positions[where] = None
            if len(positions) >= MAX_CHECKED:
                break
        return tuple(positions)

    def _names(self, code: int) -> tuple[str, ...]:
        names: dict[str, None] = {}
        for member in ("co_names", "co_localsplusnames", "co_varnames"):
            at = self._layout.offset("PyCodeObject", member)
            try:
                addresses = self._access.items(self._reader.u64(code + at)) if at else None
            except UnreadableMemory:
                addresses = None
            for address in (addresses or ())[:MAX_NAMES]:
                name = self._access.text(address, 1024)
                if name and _is_spelt_in_source(name):
                    names[name] = None
        return tuple(names)


def _is_spelt_in_source(name: str) -> bool:
    """Tell whether the compiler takes a name from the text as it stands."""
    return not ("__" in name or name.startswith(".") or name == "AssertionError")
