# SPDX-License-Identifier: Apache-2.0
"""Code objects: names, file, line numbers; each decoded once per process.

Line numbers come from co_lnotab (up to 3.9), co_linetable (3.10) or the location table (3.11+), by
pure functions: bytes in, a line number or None out. Offsets are in bytes of bytecode. Columns are
read by line_tables.py, which a stack does not need.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

# Objects/locations.md (3.11+): kinds of location entries.
ONE_LINE_FIRST, ONE_LINE_LAST = 10, 12
NO_COLUMNS, LONG, NO_LOCATION = 13, 14, 15
CODE_UNIT = 2  # bytes of a _Py_CODEUNIT
MAX_LINE_TABLE = 16 << 20
ZEROED = "\0\0\0\0"  # of a text that runs into a page of zeros
MAX_NAME = 1 << 16
MAX_LINE = 1 << 28
MAX_FRAME_WORDS = 1 << 20
MAX_THREAD_BYTECODES = 1 << 16
MAX_BYTECODE = 1 << 28  # bytes of one code object

LineRun = tuple[int, int, "int | None"]  # [start, end) in bytes of bytecode, and its line


def _signed_byte(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def lnotab_runs(table: bytes, firstlineno: int) -> Iterator[LineRun]:
    """Yield the runs of a co_lnotab (Objects/lnotab_notes.txt, 3.6 to 3.9)."""
    start, line = 0, firstlineno
    for index in range(0, len(table) - 1, 2):
        if table[index]:
            yield start, start + table[index], line
            start += table[index]
        line += _signed_byte(table[index + 1])
    yield start, 1 << 62, line


def linetable_runs(table: bytes, firstlineno: int) -> Iterator[LineRun]:
    """Yield the runs of a co_linetable (Objects/lnotab_notes.txt, 3.10); -128 is "no line"."""
    start, line = 0, firstlineno
    for index in range(0, len(table) - 1, 2):
        end, delta = start + table[index], _signed_byte(table[index + 1])
        line += 0 if delta == -128 else delta
        if end > start:
            yield start, end, None if delta == -128 else line
        start = end


def line_in_locations(table: bytes, firstlineno: int, offset: int) -> int | None:
    """Return the line of a bytecode offset (Objects/locations.md, 3.11 and later)."""
    position, start, line = 0, 0, firstlineno
    size = len(table)
    while position < size:
        first = table[position]
        if not first & 0x80:
            return None  # every entry starts with its top bit set: the table is damaged
        kind = first >> 3 & 15
        length = ((first & 7) + 1) * CODE_UNIT
        position += 1
        if kind in (NO_COLUMNS, LONG):
            delta, position = _signed_varint(table, position)
            line += delta
        elif ONE_LINE_FIRST <= kind <= ONE_LINE_LAST:
            line += kind - ONE_LINE_FIRST
        if start <= offset < start + length:
            return None if kind == NO_LOCATION else line
        start += length
        while position < size and not table[position] & 0x80:
            position += 1
    return None


def _signed_varint(table: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(table):
        byte = table[position]
        position += 1
        value |= (byte & 63) << shift
        shift += 6
        if not byte & 64 or shift > 60:
            break
    return (-(value >> 1) if value & 1 else value >> 1), position


class CodeInfo(NamedTuple):
    """One PyCodeObject. `problem` says why it does not look like one; "" when it does."""

    address: int
    type_address: int = 0
    name: str = ""
    qualname: str | None = None
    filename: str = ""
    firstlineno: int = 0
    framesize: int = 0  # words that one frame takes on the datastack; 0 before 3.11
    firsttraceable: int = 0  # bytes into the bytecode; frames before it are not complete
    bytecode: int = 0  # address of the first instruction; 0 before 3.11
    problem: str = ""


def locate_bytecode(reader: MemoryReader, address: int) -> tuple[int, int]:
    """Return where the instructions of a code object begin, and how many bytes they have.

    Raises UnreadableMemory, and LayoutError. The size is as found, and may be nonsense.
    """
    layout = reader.layout
    inline = layout.offset("PyCodeObject", "co_code_adaptive")  # 3.11 (bpo-44530)
    size_at = layout.require("PyVarObject", "ob_size")
    if inline is not None:
        return address + inline, CODE_UNIT * reader.i64(address + size_at)
    held = reader.field(address, "PyCodeObject", "co_code")
    return held + layout.require("PyBytesObject", "ob_sval"), reader.i64(held + size_at)


class CodeReader:
    """Decode code objects of one process and keep them."""

    def __init__(self, reader: MemoryReader) -> None:
        self.reader = reader
        layout = reader.layout
        self._lines: dict[tuple[int, int], int | None] = {}
        self._size = layout.size("PyCodeObject") or 0
        self._name = layout.require("PyCodeObject", "co_name")
        self._qualname = layout.offset("PyCodeObject", "co_qualname")  # 3.11 (bpo-44530)
        self._filename = layout.require("PyCodeObject", "co_filename")
        self._firstlineno = layout.require("PyCodeObject", "co_firstlineno")
        # 3.11 (bpo-43693): frames hold co_nlocalsplus + co_stacksize words beside their own.
        self._nlocalsplus = layout.offset("PyCodeObject", "co_nlocalsplus")
        self._stacksize = layout.require("PyCodeObject", "co_stacksize")
        self._traceable = layout.offset("PyCodeObject", "_co_firsttraceable")
        self._adaptive = layout.offset("PyCodeObject", "co_code_adaptive")
        # 3.14 free-threaded: a copy of the bytecode per thread (gh-115999).
        self._tlbc = layout.offset("PyCodeObject", "co_tlbc") if layout.free_threaded else None
        self._specials = (layout.offset("_PyInterpreterFrame", "localsplus") or 0) // 8
        self._type_at = layout.require("PyObject", "ob_type")
        self._table_at = layout.require("PyCodeObject", "co_linetable", "co_lnotab")
        self._is_lnotab = layout.offset("PyCodeObject", "co_linetable") is None

    @memoized
    def code_at(self, address: int) -> CodeInfo:
        """Return the code object at an address; never raises."""
        try:
            if address & 7 or not address:
                raise UnreadableMemory(address, self._size, "not an aligned pointer")
            head = self.reader.read(address, self._size)
        except UnreadableMemory as error:
            return CodeInfo(address, problem=f"code object: {error}")
        problems: list[str] = []
        name = self._read_name_member(head, self._name, "co_name", problems)
        qualname = None
        if self._qualname is not None:
            # co_qualname says what a damaged co_name was, and the reverse.
            qualname = self._read_name_member(head, self._qualname, "co_qualname", problems)
            name = name or qualname.rpartition(".")[2]
            qualname = qualname or None
        filename = self._read_name_member(head, self._filename, "co_filename", problems)
        line_at = self._firstlineno
        line = int.from_bytes(head[line_at : line_at + 4], "little", signed=True)
        if not -MAX_LINE < line < MAX_LINE:
            problems.append(f"co_firstlineno {line}")
        if len(problems) < 2 and name and filename:
            problems = []  # one damaged name of three does not lose the frame
        if not name and not filename and not problems:
            problems.append("neither a name nor a file name")  # overwritten: the compiler sets both
        adaptive = address + self._adaptive if self._adaptive is not None else 0
        framesize = 0
        if self._nlocalsplus is not None:
            words = _unsigned_at_offset(head, self._nlocalsplus, 4) + _unsigned_at_offset(
                head, self._stacksize, 4
            )
            framesize = min(words + self._specials, MAX_FRAME_WORDS)
        return CodeInfo(
            address,
            _unsigned_at_offset(head, self._type_at, 8),
            name,
            qualname,
            filename,
            line,
            framesize,
            CODE_UNIT * _unsigned_at_offset(head, self._traceable, 4)
            if self._traceable is not None
            else 0,
            adaptive,
            "; ".join(problems),
        )

    def _read_name_member(self, head: bytes, offset: int, what: str, problems: list[str]) -> str:
        text = self.reader.string(_unsigned_at_offset(head, offset, 8), MAX_NAME)
        if isinstance(text, Absent):
            problems.append(f"{what}: {text.detail}")
            return ""
        if text and (not text.strip("\0") or ZEROED in text):  # a name may hold single ones
            problems.append(f"{what}: NUL characters")
            return ""
        return text

    def bytecode_address(self, info: CodeInfo, tlbc_index: int) -> int:
        """Return where the instructions lie that a thread runs."""
        if self._tlbc is None or tlbc_index == 0:
            return info.bytecode
        try:
            array = self.reader.u64(info.address + self._tlbc)
            count = self.reader.u64(array)
            if tlbc_index < min(count, MAX_THREAD_BYTECODES):
                return self.reader.u64(array + 8 + 8 * tlbc_index)
        except UnreadableMemory:
            pass
        return 0

    def bytecode_size(self, address: int) -> int:
        """Return how many bytes of instructions a code object of 3.11+ has; 0 when unreadable."""
        at = self.reader.layout.require("PyCodeObject", "ob_size")  # 3.11 (bpo-46841)
        try:
            count = self.reader.u64(address + at)
        except UnreadableMemory:
            return 0
        return min(CODE_UNIT * count, MAX_BYTECODE)

    def line_at_offset(self, info: CodeInfo, offset: int) -> int | None:
        """Return the line of a bytecode offset (bytes), or None when it has none."""
        key = (info.address, offset)
        if key not in self._lines:
            self._lines[key] = self._line_at_offset_uncached(info, offset)
        return self._lines[key]

    def _line_at_offset_uncached(self, info: CodeInfo, offset: int) -> int | None:
        table = self.line_table(info.address)
        if isinstance(table, Absent):
            return None
        if offset < 0:
            return info.firstlineno  # the frame has not run anything yet
        # 3.10 (PEP 626) has co_linetable with ranges; 3.11 (PEP 657) changed its form when
        # code objects got co_qualname.
        if self._qualname is not None:
            return line_in_locations(table, info.firstlineno, offset)
        runs = (lnotab_runs if self._is_lnotab else linetable_runs)(table, info.firstlineno)
        return next((line for start, end, line in runs if start <= offset < end), None)

    @memoized
    def line_table(self, address: int) -> bytes | Absent:
        """Return co_linetable, or co_lnotab, of a code object."""
        try:
            at = self.reader.u64(address + self._table_at)
            return self.reader.bytes_object(at, MAX_LINE_TABLE)
        except UnreadableMemory as error:
            return Absent("unreadable", str(error))


def _unsigned_at_offset(head: bytes, offset: int, size: int) -> int:
    return int.from_bytes(head[offset : offset + size], "little")
