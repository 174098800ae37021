# SPDX-License-Identifier: Apache-2.0
"""Is this text the one that the code was compiled from? Two witnesses.

`fit_of` compares a text with the code object in the core: every position must be a place where
source can begin and end, every name must be spelt. `check_pyc` follows a chain: the cached bytecode
holds this very code object, and its header names the source's size and time, or its hash.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.frames.code_objects import MAX_LINE_TABLE, CodeReader
from gdb_epi.cpython.frames.frame_chain import frame_reader
from gdb_epi.cpython.frames.line_tables import (
    SourcePosition,
    find_source_position,
    parse_line_table,
)
from gdb_epi.cpython.objects.siphash import VARIANTS, HashKey, siphash
from gdb_epi.cpython.source.safe_file_reading import SourceFile
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.errors import UNREADABLE, Absent, UnreadableMemory
from gdb_epi.sizes import HALF_MASK
from gdb_epi.typing_lite import NamedTuple

# What a core knows about the source of a frame: its position, and all positions of its code.


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

    def site_of_frame(self, frame: PyFrame) -> SourceSite | Absent:
        """Return the site of a frame. Absent for holes and where the line table is lost."""
        if frame.hole is not None:
            return Absent(UNREADABLE, frame.hole)
        code = self._codes.code_at(frame.code)
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
            # The line of the stack: other witnesses agreed on it.
            position = SourcePosition(frame.lineno)
        return SourceSite(
            filename=frame.filename,
            name=code.name,
            first=code.firstlineno,
            position=position,
            positions=self._positions(table, code.firstlineno),
            names=self._names_of_code(frame.code),
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

    def _names_of_code(self, code: int) -> tuple[str, ...]:
        names: dict[str, None] = {}
        for member in ("co_names", "co_localsplusnames", "co_varnames"):
            at = self._layout.offset("PyCodeObject", member)
            try:
                addresses = self._access.sequence_items(self._reader.u64(code + at)) if at else None
            except UnreadableMemory:
                addresses = None
            for address in (addresses or ())[:MAX_NAMES]:
                name = self._access.text(address, 1024)
                # Whether the compiler takes a name from the text as it stands.
                if name and not ("__" in name or name.startswith(".") or name == "AssertionError"):
                    names[name] = None
        return tuple(names)


TYPE_STRING = (b"s", b"\xf3")  # Python/marshal.c: of a bytes object; with FLAG_REF
SAME, DIFFERS, UNKNOWN = "same", "differs", "unknown"
MIN_EVIDENCE = 3  # positions and names; fewer would fit too many texts
# Columns inside f-strings were wrong up to 3.11 (gh-94869 and others): a few misses say little.
MAX_COLUMN_MISSES = 0.2
MAX_HASHED = 4 << 20  # bytes of source; the hash is computed in Python
MAX_SEARCHED = 4 << 20  # characters of one function in which names are looked for


class SourceTextFit(NamedTuple):
    """How a text fits a code object; `miss` is the first thing that does not, "" when all does."""

    positions: int
    names: int
    column_misses: int
    miss: str

    @property
    def is_convincing(self) -> bool:
        """Whether nothing contradicts, and enough was compared to mean something."""
        return not self.miss and self.positions + self.names >= MIN_EVIDENCE

    def describe_fit(self) -> str:
        """Return the check in words."""
        if self.miss:
            return f"does not fit the code in the core: {self.miss}"
        text = f"{self.positions} positions and {self.names} names of its code fit this text"
        if self.column_misses:
            text += f", {self.column_misses} columns do not"
        return text if self.is_convincing else f"only {text}"


def compare_text(lines: Sequence[str], site: SourceSite) -> SourceTextFit:
    """Compare a text with what the core tells about it."""
    misses = 0
    last = 0
    encoded: dict[int, bytes] = {}
    for where in site.positions:
        last = max(last, where.end_line or where.line or 0)
        why = _line_mismatch(lines, where)
        if why:
            return SourceTextFit(0, 0, 0, why)
        misses += _is_column_mismatch(lines, where, encoded)
    if misses > MAX_COLUMN_MISSES * len(site.positions):
        why = f"{misses} of {len(site.positions)} column ranges begin or end inside words"
        return SourceTextFit(0, 0, misses, why)
    text = "\n".join(lines[max(site.first, 1) - 1 : last])
    names = site.names if len(text) <= MAX_SEARCHED else ()
    for name in names:
        if any(part not in text for part in name.split(".")):
            why = f"{name!r} is in the code, not in lines {site.first}-{last}"
            return SourceTextFit(0, 0, misses, why)
    return SourceTextFit(len(site.positions), len(names), misses, "")


def _line_mismatch(lines: Sequence[str], where: SourcePosition) -> str:
    line = where.line or 0
    end = where.end_line or line
    if max(line, end) > len(lines):
        return f"it has {len(lines)} lines, the code reaches line {max(line, end)}"
    shown = lines[line - 1].strip()
    # A module's first instruction has line 1 (or 0) whatever is there.
    if line > 1 and (not shown or shown.startswith("#")):
        return f"line {line} is blank or a comment, the code has instructions there"
    return ""


def _is_column_mismatch(
    lines: Sequence[str], where: SourcePosition, encoded: dict[int, bytes]
) -> bool:
    """Tell whether a column range begins or ends where no token can."""
    if where.column is None or where.end_column is None or not where.line or not where.end_line:
        return False
    for number in (where.line, where.end_line):
        if number not in encoded:
            encoded[number] = lines[number - 1].encode("utf-8", "surrogatepass")
    first, last = encoded[where.line], encoded[where.end_line]
    if where.line == where.end_line and where.end_column <= where.column:
        return not (where.line == 1 and where.end_column == 0)
    return _does_column_split_word(first, where.column, start=True) or _does_column_split_word(
        last, where.end_column, start=False
    )


def _does_column_split_word(line: bytes, at: int, *, start: bool) -> bool:
    if not (0 <= at < len(line) if start else 0 < at <= len(line)):
        return True
    inside = line[at] if start else line[at - 1]
    beyond = line[at - 1 : at] if start else line[at : at + 1]
    if chr(inside).isspace():
        return True
    return bool(beyond) and _is_word_byte(inside) and _is_word_byte(beyond[0])


def _is_word_byte(byte: int) -> bool:
    return byte >= 0x80 or byte == 0x5F or (byte < 0x80 and chr(byte).isalnum())


class PycCheck(NamedTuple):
    """What a cached bytecode file says about a source file."""

    result: str  # SAME, DIFFERS or UNKNOWN
    says: str


def check_pyc(pyc: SourceFile, source: SourceFile, site: SourceSite) -> PycCheck:
    """Check a source file by the .pyc beside it (PEP 552 header)."""
    content = pyc.data
    if len(content) < 16:
        return PycCheck(UNKNOWN, f"{pyc.path}: too short")
    if not any(
        marshalled_line_table(site.first, site.table, ref=ref) in content for ref in (False, True)
    ):
        return PycCheck(UNKNOWN, f"{pyc.path} holds other code than the core")
    flags = int.from_bytes(content[4:8], "little")
    if flags & 1:
        fits = does_pyc_hash_match(content[:4], source, content[8:16])
        if fits is None:
            return PycCheck(UNKNOWN, f"{source.size} bytes are too many to hash here")
        if fits:
            return PycCheck(SAME, f"{pyc.path} holds this very code, compiled from this hash")
        return PycCheck(DIFFERS, f"its hash is not the one in {pyc.path}")
    size, mtime = int.from_bytes(content[12:16], "little"), int.from_bytes(content[8:12], "little")
    if size != source.size & HALF_MASK:
        says = f"compiled from {size} bytes, the file here has {source.size} ({pyc.path})"
        return PycCheck(DIFFERS, says)
    if mtime != source.mtime_ns // 10**9 & HALF_MASK:
        return PycCheck(UNKNOWN, f"size as in {pyc.path}, but another modification time")
    return PycCheck(SAME, f"{pyc.path} holds this very code, compiled from this size and time")


def marshalled_line_table(first: int, table: bytes, *, ref: bool = False) -> bytes:
    """Return the bytes that marshal writes for a code object's first line and line table.

    Reference: Python/marshal.c, w_object (3.8 to 3.15): co_firstlineno as a long, then the table
    as TYPE_STRING, with FLAG_REF when the bytes object is used elsewhere too.
    """
    kind = TYPE_STRING[ref]
    number = (first & HALF_MASK).to_bytes(4, "little")
    return number + kind + len(table).to_bytes(4, "little") + table


def does_pyc_hash_match(magic: bytes, source: SourceFile, wanted: bytes) -> bool | None:
    """Whether a source file has the hash that a .pyc names; None when it is too large to tell."""
    if source.size > MAX_HASHED:
        return None
    key = int.from_bytes(magic, "little")  # under (key, 0), as in `_imp.source_hash`
    return any(
        siphash(HashKey(key, 0, *rounds), source.data).to_bytes(8, "little") == wanted
        for rounds in VARIANTS
    )
