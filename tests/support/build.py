# SPDX-License-Identifier: Apache-2.0
"""Write a small CPython process into memory, by the very layout that the decoder reads."""

from __future__ import annotations

from typing import NamedTuple

from gdb_epi.cpython.layout.layout import COOKIE, Layout
from gdb_epi.target.api import CrashInfo, Module, Region, Thread
from support.fake_target import FakeTarget

BASE = 0x7F10_0000_0000
SIZE = 4 << 20
KINDS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}


class Frame(NamedTuple):
    """What a frame should decode to."""

    name: str
    filename: str
    line: int


class Builder:
    """An arena, and writers for the objects that stacks are made of."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.memory = bytearray(SIZE)
        self._next = BASE + 0x1000
        self.types = {name: self.alloc(512) for name in ("str", "code", "bytes", "dict", "module")}

    def alloc(self, size: int) -> int:
        """Return the address of `size` fresh bytes."""
        at = self._next
        self._next += (size + 15) & ~15
        assert self._next < BASE + SIZE
        return at

    def put(self, at: int, value: int, size: int = 8) -> None:
        """Write an integer."""
        at -= BASE
        self.memory[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")

    def set(self, struct: str, at: int, path: str, value: int) -> bool:
        """Write a member; False when the layout has none of that name."""
        member = self.layout.find_field(struct, path)
        if member is None:
            return False
        if member.bit_size:
            start = at + member.offset - BASE
            word = int.from_bytes(self.memory[start : start + member.size], "little")
            mask = (1 << member.bit_size) - 1
            value = word & ~(mask << member.bit_offset) | (value & mask) << member.bit_offset
        self.put(at + member.offset, value, member.size)
        return True

    def new(self, struct: str, kind: str | None = None, extra: int = 0) -> int:
        """Return a fresh struct, with ob_type set when a kind is named."""
        at = self.alloc((self.layout.size(struct) or 0) + extra)
        if kind is not None:
            self.set("PyObject", at, "ob_type", self.types[kind])
            self.set("PyObject", at, "ob_refcnt", 1)  # 0 says that it was freed
        return at

    def text(self, value: str) -> int:
        """Write a str object."""
        widest = max(map(ord, value), default=0)
        width = 1 if widest < 256 else 2 if widest < 65536 else 4
        ascii_only = widest < 128
        encoded = value.encode(KINDS[width], "surrogatepass")
        struct = "PyASCIIObject" if ascii_only else "PyCompactUnicodeObject"
        at = self.new(struct, "str", len(encoded) + width)
        self.set("PyASCIIObject", at, "length", len(value))
        self.set("PyASCIIObject", at, "state.kind", width)
        self.set("PyASCIIObject", at, "state.compact", 1)
        self.set("PyASCIIObject", at, "state.ascii", int(ascii_only))
        start = at + (self.layout.size(struct) or 0) - BASE
        self.memory[start : start + len(encoded)] = encoded
        return at

    def bytes_object(self, value: bytes) -> int:
        """Write a bytes object."""
        at = self.new("PyBytesObject", "bytes", len(value))
        self.set("PyBytesObject", at, "ob_size", len(value))
        start = at + self.layout.require("PyBytesObject", "ob_sval") - BASE
        self.memory[start : start + len(value)] = value
        return at

    def line_table(self, lines: list[int]) -> tuple[str, bytes]:
        """Return (member, table): the n-th instruction is on the n-th line after the first."""
        if self.layout.offset("PyCodeObject", "co_linetable") is None:
            return "co_lnotab", b"".join(bytes([2, 1]) for _ in lines)
        if self.layout.offset("PyCodeObject", "co_qualname") is None:
            return "co_linetable", b"\x02\x00" + b"".join(bytes([2, 1]) for _ in lines)
        entry = bytes([0x80 | 13 << 3, 1 << 1])  # no columns, one code unit, line + 1
        return "co_linetable", bytes([0x80 | 13 << 3, 0]) + entry * len(lines)

    def code(self, frame: Frame, firstlineno: int) -> int:
        """Write a code object whose lines count up from `firstlineno`."""
        at = self.new("PyCodeObject", "code", 64)
        for member, value in (
            ("co_name", frame.name),
            ("co_qualname", f"outer.{frame.name}"),
            ("co_filename", frame.filename),
        ):
            if self.layout.offset("PyCodeObject", member) is not None:
                self.set("PyCodeObject", at, member, self.text(value))
        self.set("PyCodeObject", at, "co_firstlineno", firstlineno)
        self.set("PyCodeObject", at, "co_nlocalsplus", 3)
        self.set("PyCodeObject", at, "co_stacksize", 5)
        member, table = self.line_table(list(range(20)))
        self.set("PyCodeObject", at, member, self.bytes_object(table))
        return at

    def globals(self, name: str) -> int:
        """Write a dict {"__name__": name}."""
        return self.mapping("__name__", self.text(name))

    def mapping(self, name: str, value: int) -> int:
        """Write a dict of one str key."""
        keys = self.new("PyDictKeysObject", None, 8 + 24 * 8 + 64)
        at = self.new("PyDictObject", "dict")
        self.set("PyDictObject", at, "ma_used", 1)
        self.set("PyDictObject", at, "ma_keys", keys)
        self.set("PyDictKeysObject", keys, "dk_nentries", 1)
        entries = keys + self.layout.require("PyDictKeysObject", "dk_indices") + 8
        key = self.text(name)
        if self.set("PyDictKeysObject", keys, "dk_log2_index_bytes", 3):
            self.set("PyDictKeysObject", keys, "dk_kind", 1)
            self.put(entries, key)
            self.put(entries + 8, value)
        else:
            self.set("PyDictKeysObject", keys, "dk_size", 8)
            self.put(entries + 8, key)
            self.put(entries + 16, value)
        return at

    # -- stacks ---------------------------------------------------------------------------

    def stack(self, tstate: int, frames: list[Frame], module: str) -> list[int]:
        """Write a stack, given innermost first; return the frames' addresses."""
        names = self.globals(module)
        if self.layout.offset("_PyInterpreterFrame", "previous") is None:
            return self._frame_objects(tstate, frames, names)
        return self._datastack(tstate, frames, names)

    def _frame_objects(self, tstate: int, frames: list[Frame], names: int) -> list[int]:
        addresses: list[int] = []
        back = 0
        scale = 1 if self.layout.offset("PyFrameObject", "f_state") is not None else 2
        for frame in reversed(frames):
            at = self.new("PyFrameObject")
            self.set("PyFrameObject", at, "f_back", back)
            self.set("PyFrameObject", at, "f_code", self.code(frame, frame.line - 2))
            self.set("PyFrameObject", at, "f_globals", names)
            self.set("PyFrameObject", at, "f_lasti", 2 * scale)
            addresses.append(at)
            back = at
        self.set("PyThreadState", tstate, "frame", back)
        return addresses[::-1]

    def _datastack(self, tstate: int, frames: list[Frame], names: int) -> list[int]:
        layout = self.layout
        specials = layout.require("_PyInterpreterFrame", "localsplus")
        words = specials // 8 + 8
        chunk = self.new("_PyStackChunk", None, 64 + len(frames) * words * 8)
        first = chunk + layout.require("_PyStackChunk", "data") + 8
        self.set("_PyStackChunk", chunk, "size", first - chunk + len(frames) * words * 8)
        addresses: list[int] = []
        previous = 0
        for number, frame in enumerate(reversed(frames)):
            at = first + number * words * 8
            code = self.code(frame, frame.line - 2)
            for member in ("f_executable", "f_code"):
                self.set("_PyInterpreterFrame", at, member, code)
            self.set("_PyInterpreterFrame", at, "previous", previous)
            self.set("_PyInterpreterFrame", at, "f_globals", names)
            start = code + layout.require("PyCodeObject", "co_code_adaptive")
            for member in ("instr_ptr", "prev_instr"):
                self.set("_PyInterpreterFrame", at, member, start + 4)
            self.set("_PyInterpreterFrame", at, "owner", 0)
            addresses.append(at)
            previous = at
        self.set("PyThreadState", tstate, "datastack_chunk", chunk)
        self.set("PyThreadState", tstate, "datastack_top", first + len(frames) * words * 8)
        if not self.set("PyThreadState", tstate, "current_frame", previous):
            hop = self.new("_PyCFrame")
            self.set("_PyCFrame", hop, "current_frame", previous)
            self.set("PyThreadState", tstate, "cframe", hop)
        return addresses[::-1]

    # -- the process ----------------------------------------------------------------------

    def runtime(self, stacks: list[list[Frame]], holder: int) -> tuple[int, list[int], list[int]]:
        """Write a runtime of one interpreter; return it, the thread states and the idents."""
        runtime = self.new("_PyRuntimeState")
        interpreter = self.new("PyInterpreterState")
        self.set("_PyRuntimeState", runtime, "interpreters.head", interpreter)
        threads: list[int] = []
        idents: list[int] = []
        following = 0
        for number, frames in reversed(list(enumerate(stacks))):
            tstate = self.new("PyThreadState")
            ident = 0x7F20_0000_0000 + number * 0x1000
            self.set("PyThreadState", tstate, "interp", interpreter)
            self.set("PyThreadState", tstate, "next", following)
            self.set("PyThreadState", tstate, "thread_id", ident)
            self.set("PyThreadState", tstate, "native_thread_id", 100 + number)
            self.stack(tstate, frames, "pkg.module")
            following = tstate
            threads.insert(0, tstate)
            idents.insert(0, ident)
        for path in ("threads.head", "tstate_head"):
            self.set("PyInterpreterState", interpreter, path, following)
        self._gil(runtime, interpreter, threads[holder])
        self._debug_offsets(runtime)
        return runtime, threads, idents

    def _gil(self, runtime: int, interpreter: int, holder: int) -> None:
        gil = self.layout.offset("_PyRuntimeState", "ceval.gil")
        if self.layout.offset("PyInterpreterState", "ceval.gil") is not None:
            at = self.new("_gil_runtime_state")
            self.set("PyInterpreterState", interpreter, "ceval.gil", at)
        else:
            assert gil is not None
            at = runtime + gil
        self.set("_gil_runtime_state", at, "locked", 1)
        self.set("_gil_runtime_state", at, "last_holder", holder)

    def _debug_offsets(self, runtime: int) -> None:
        """Write the process's own table, where the version has one."""
        places = self.layout.struct("_Py_DebugOffsets")
        if places is None:
            return
        start = runtime - BASE
        self.memory[start : start + 8] = COOKIE
        minor = self.layout.version[1]
        self.put(runtime + 8, 3 << 24 | minor << 16 | 0xF0)
        self.put(runtime + 16, int(self.layout.free_threaded))
        for word, (struct, path) in self.layout.document["debug_offsets"].items():
            member = places.fields.get(word)
            if member is None:
                continue
            value = self.layout.offset(struct, path) if path else self.layout.size(struct)
            self.put(runtime + member.offset, 0xFFFFFFFF if value is None else value)

    def target(self, runtime: int, idents: list[int]) -> FakeTarget:
        """Return the process; thread 0 died of SIGSEGV."""
        minor = self.layout.version[1]
        path = f"/opt/lib/libpython3.{minor}.so.1.0"
        region = Region(BASE, BASE + SIZE, "rw-", path, 0, SIZE)
        threads = [Thread(100 + n, {"fs_base": ident}, None) for n, ident in enumerate(idents)]
        return FakeTarget(
            regions=[region],
            memory={BASE: bytes(self.memory)},
            threads=threads,
            crash=CrashInfo(11, 1, 0, 0, None, None, 100),
            modules=[Module(path, BASE, BASE, BASE + SIZE, "ab" * 20, path)],
            symbols={"_PyRuntime": runtime},
        )
