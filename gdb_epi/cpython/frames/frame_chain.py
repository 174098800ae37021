# SPDX-License-Identifier: Apache-2.0
"""Python frames: one frame out of memory, and the walk along the frame chain.

Up to 3.10 a frame is a heap object (PyFrameObject); since 3.11 (bpo-44032) it is a
_PyInterpreterFrame in the thread's data stack, in a generator or on the C stack. The reader asks
the layout which of the two it has. `python_frame` makes of either what is shown.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.typing_lite import NamedTuple, Protocol

# A recursion of 100,000 frames is real; a million is a cycle that the visited set missed.
MAX_FRAMES = 1_000_000

_PTR = struct.Struct("<Q")


class RawFrame(NamedTuple):
    """One frame as it lies in memory; nothing is judged yet.

    `lasti` is the byte offset of the instruction. `problem` says why the frame cannot be believed;
    "" when it can. `internal` marks shim and sentinel frames, which Python never shows.
    """

    address: int
    previous: int = 0
    code: int = 0
    lasti: int = 0
    globals: int = 0
    owner: str = "unknown"
    is_entry: bool | None = None  # None: the next frame tells (a shim follows the outermost one)
    internal: bool = False
    complete: bool = True
    problem: str = ""


class FrameReader(Protocol):
    """Decode one frame."""

    codes: CodeReader

    def read(self, address: int) -> RawFrame: ...


def frame_reader(reader: MemoryReader, codes: CodeReader) -> FrameReader:
    """Return the reader that fits the layout."""
    if reader.layout.offset("_PyInterpreterFrame", "previous") is not None:
        return InterpreterFrameReader(reader, codes)
    return FrameObjectReader(reader, codes)


class FrameObjectReader:
    """PyFrameObject, CPython 3.8 to 3.10 (Include/cpython/frameobject.h)."""

    def __init__(self, reader: MemoryReader, codes: CodeReader) -> None:
        layout = reader.layout
        self.codes = codes
        self._reader = reader
        self._back = layout.require("PyFrameObject", "f_back")
        self._code = layout.require("PyFrameObject", "f_code")
        self._globals = layout.require("PyFrameObject", "f_globals")
        self._lasti = layout.require("PyFrameObject", "f_lasti")
        # 3.10 (bpo-42246): f_lasti counts instructions; f_executing became f_state with it.
        self._scale = 2 if layout.offset("PyFrameObject", "f_state") is not None else 1
        self._size = max(self._back, self._code, self._globals, self._lasti) + 8

    def read(self, address: int) -> RawFrame:
        """Return the frame at an address; damage is named in `problem`."""
        try:
            raw = _aligned_read(self._reader, address, self._size)
        except UnreadableMemory as error:
            return _unreadable_frame(address, error)
        lasti = int.from_bytes(raw[self._lasti : self._lasti + 4], "little", signed=True)
        code = _PTR.unpack_from(raw, self._code)[0]
        return RawFrame(
            address,
            _PTR.unpack_from(raw, self._back)[0],
            code,
            lasti * self._scale,
            _PTR.unpack_from(raw, self._globals)[0],
            "frame-object",
            is_entry=True,  # before 3.11 every Python call was a C call of the eval loop
            problem=self.codes.code_at(code).problem,
        )


class InterpreterFrameReader:
    """_PyInterpreterFrame, CPython 3.11 and later (Include/internal/pycore_frame.h)."""

    def __init__(self, reader: MemoryReader, codes: CodeReader) -> None:
        layout = reader.layout
        self.codes = codes
        self._reader = reader
        frame = "_PyInterpreterFrame"
        # 3.13 (gh-111997) renamed f_code to f_executable; since 3.14 (gh-117139) it is a tagged
        # _PyStackRef whose two lowest bits are not part of the pointer.
        self.code_at = layout.require(frame, "f_executable.bits", "f_executable", "f_code")
        # 3.11 only: later the C call's outermost frame is followed by a shim (gh-98831).
        is_entry = layout.offset(frame, "is_entry")
        tlbc = layout.offset(frame, "tlbc_index")  # 3.14 free-threaded
        owner = layout.require(frame, "owner")
        self._has_is_entry = is_entry is not None
        self._has_tlbc = tlbc is not None
        self._unpack = _make_field_unpacker(
            (self.code_at, "Q"),
            (layout.require(frame, "previous"), "Q"),
            (layout.require(frame, "f_globals"), "Q"),
            # 3.13 (gh-106045): instr_ptr is the running instruction, not the one before the next.
            (layout.require(frame, "instr_ptr", "prev_instr"), "Q"),
            (owner, "B"),
            (owner if is_entry is None else is_entry, "B"),
            (owner if tlbc is None else tlbc, "B" if tlbc is None else "i"),
        )
        # Damaged offsets (_Py_DebugOffsets, 3.13+) may place a member after the others.
        self.size = max(
            layout.require(frame, "localsplus"),
            *(8 + layout.require(frame, name) for name in ("previous", "f_globals")),
            8 + max(self.code_at, layout.require(frame, "instr_ptr", "prev_instr"), owner),
            *(4 + offset for offset in (is_entry, tlbc) if offset is not None),
        )
        names = {
            "FRAME_OWNED_BY_THREAD": "thread",
            "FRAME_OWNED_BY_GENERATOR": "generator",
            "FRAME_OWNED_BY_FRAME_OBJECT": "frame-object",
            "FRAME_OWNED_BY_INTERPRETER": "interpreter",
            "FRAME_OWNED_BY_CSTACK": "cstack",
        }
        by_value = {layout.constant(name): owner for name, owner in names.items()}
        self.owners = {value: owner for value, owner in by_value.items() if value is not None}

    def read(self, address: int) -> RawFrame:
        """Return the frame at an address; damage is named in `problem`."""
        try:
            raw = _aligned_read(self._reader, address, self.size)
        except UnreadableMemory as error:
            return _unreadable_frame(address, error)
        return self.parse(address, raw, 0)

    def parse(self, address: int, data: bytes, position: int) -> RawFrame:
        """Return the frame whose bytes begin at a position of `data`."""
        code, previous, globals_address, instr, owner_byte, entry, tlbc = self._unpack(
            data, position
        )
        owner = self.owners.get(owner_byte)
        code &= ~3
        if owner in ("cstack", "interpreter"):
            return RawFrame(address, previous, code, owner=owner, internal=True)
        info = self.codes.code_at(code)
        problem = info.problem
        lasti = 0
        if not problem:
            start = self.codes.bytecode_address(info, tlbc) if self._has_tlbc else info.bytecode
            lasti = instr - start if start else 0
        if owner is None:
            owner = f"unknown owner {owner_byte}"
            problem = problem or owner
        return RawFrame(
            address,
            previous,
            code,
            lasti,
            globals_address,
            owner,
            is_entry=bool(entry) if self._has_is_entry else None,
            complete=lasti >= info.firsttraceable or owner == "generator",
            problem=problem,
        )


def _make_field_unpacker(*fields: tuple[int, str]) -> Callable[[bytes, int], tuple[int, ...]]:
    """Return a function that unpacks fields at given offsets, in the order they are named.

    One call of one struct.Struct: a stack of 100,000 frames spends half of its time here. Fields
    that overlap, which only damaged offsets do, are unpacked one by one.
    """
    order = sorted(set(fields))
    pieces: list[str] = []
    at = 0
    for offset, kind in order:
        if offset < at:
            return _make_unpacker_of_single_fields(fields)
        pieces.append(f"{offset - at}x{kind}")
        at = offset + struct.calcsize("<" + kind)
    whole = struct.Struct("<" + "".join(pieces)).unpack_from
    places = [order.index(field) for field in fields]
    if places == list(range(len(fields))):
        return whole
    pick = itemgetter(*places)

    def unpack(data: bytes, position: int) -> tuple[int, ...]:
        values: tuple[int, ...] = pick(whole(data, position))
        return values

    return unpack


def _make_unpacker_of_single_fields(
    fields: Sequence[tuple[int, str]],
) -> Callable[[bytes, int], tuple[int, ...]]:
    readers = [(offset, struct.Struct("<" + kind).unpack_from) for offset, kind in fields]

    def unpack(data: bytes, position: int) -> tuple[int, ...]:
        return tuple(read(data, position + offset)[0] for offset, read in readers)

    return unpack


def _aligned_read(reader: MemoryReader, address: int, size: int) -> bytes:
    if address & 7:
        raise UnreadableMemory(address, size, "not aligned to 8")
    return reader.read(address, size)


def _unreadable_frame(address: int, error: UnreadableMemory) -> RawFrame:
    return RawFrame(address, problem=str(error))


class FrameChain(NamedTuple):
    """Frames along one chain of links, innermost first.

    `broken` says why the walk ended before the outermost frame; "" when it ended properly.
    """

    frames: list[RawFrame]
    broken: str


def walk_chain(
    frames: FrameReader, head: int, seen: set[int], decoded: Mapping[int, RawFrame]
) -> FrameChain:
    """Follow `previous` from `head`; stop at 0, at damage, at a cycle and at a cap.

    Internal frames are kept (they tell where a C call begins). `seen` is shared by all walks of
    one thread, so that a second walk never repeats a frame. `decoded` holds the frames that
    have been decoded already, by address.
    """
    chain: list[RawFrame] = []
    address = head
    while address:
        if address in seen:
            return FrameChain(chain, f"the link to {address:#x} makes a cycle")
        if len(chain) >= MAX_FRAMES:
            return FrameChain(chain, f"stopped after {MAX_FRAMES} frames")
        seen.add(address)
        frame = decoded.get(address) or frames.read(address)
        if frame.problem and frame.owner == "unknown":
            return FrameChain(chain, f"the link to {address:#x} leads to no frame: {frame.problem}")
        chain.append(frame)
        address = frame.previous
    return FrameChain(chain, "")


def make_python_frame(
    raw: RawFrame,
    codes: CodeReader,
    objects: NamespaceReader,
    provenance: str,
    *,
    is_entry: bool = False,
) -> PyFrame:
    """Return the PyFrame of a frame structure; a hole when that has a problem.

    `module` is None when the frame's globals have no readable `__name__`.
    """
    if raw.problem:
        return make_frame_hole(raw.address, provenance, raw.problem, raw.code)
    info = codes.code_at(raw.code)
    module = objects.module_name(raw.globals)
    return PyFrame(
        raw.address,
        raw.code,
        info.name,
        info.qualname,
        info.filename,
        _line_of_frame(raw, codes),
        None if isinstance(module, Absent) else module,
        raw.owner,
        provenance,
        is_entry,
    )


def _line_of_frame(raw: RawFrame, codes: CodeReader) -> int | None:
    """Return the line of a frame: of its bytecode, or what its frame object says.

    Compilers (Nuitka) run no bytecode: their frames stand at its beginning, and they write each
    line into f_lineno, which PyFrame_GetLineNumber() believes before the bytecode (3.10 to 3.15,
    Objects/frameobject.c). Up to 3.9 it begins as the first line.
    """
    if raw.lasti <= 0:
        layout, reader = codes.reader.layout, codes.reader
        line_at = layout.offset("PyFrameObject", "f_lineno")
        object_at = layout.offset("_PyInterpreterFrame", "frame_obj")
        try:
            frame = raw.address if object_at is None else reader.u64(raw.address + object_at)
            line = reader.u32(frame + line_at) if frame and line_at is not None else 0
        except UnreadableMemory:
            line = 0
        if 0 < line < 1 << 31:
            return line
    return codes.line_at_offset(codes.code_at(raw.code), raw.lasti)


def make_frame_hole(address: int, provenance: str, why: str, code: int = 0) -> PyFrame:
    """Return a frame that could not be decoded, and why."""
    return PyFrame(
        address, code, "", None, "", None, None, "unknown", provenance, is_entry=False, hole=why
    )


def value_stack_start(reader: MemoryReader, frame: int, code: int) -> int:
    """Return where the value stack of a frame begins: 3.11 put it behind the variables."""
    slots_at = reader.layout.offset("_PyInterpreterFrame", "localsplus")
    if slots_at is None:
        return reader.field(frame, "PyFrameObject", "f_valuestack")
    return frame + slots_at + 8 * reader.field32(code, "PyCodeObject", "co_nlocalsplus")
