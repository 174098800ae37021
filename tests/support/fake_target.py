# SPDX-License-Identifier: Apache-2.0
"""FakeTarget: a process made of plain values, for tests that need no core and no GDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.errors import NOT_AVAILABLE, Absent, SoftError, UnreadableMemory
from gdb_epi.target.api import (
    ABSENT,
    DUMPED,
    FILE,
    CrashInfo,
    MappedRegions,
    Module,
    NativeFrame,
    ProcessInfo,
    Region,
    StructType,
    Thread,
    Truncation,
)


class FakeTarget(MappedRegions):
    """A Target over values that the test sets; every part may be left out.

    `memory` maps start addresses to bytes. A mapping's bytes are dumped as far as its
    Region.dumped says; bytes given beyond that count as supplied by a file.
    """

    kind = "fake"

    def __init__(
        self,
        *,
        regions: Sequence[Region] = (),
        memory: Mapping[int, bytes] | None = None,
        threads: Sequence[Thread] = (),
        crash: CrashInfo | None = None,
        process: ProcessInfo | None = None,
        modules: Sequence[Module] = (),
        symbols: Mapping[str, int] | None = None,
        types: Mapping[str, StructType] | None = None,
        native: Mapping[int, Sequence[NativeFrame]] | None = None,
        auxv: Mapping[int, int] | None = None,
        truncation: Truncation = Truncation(False, 0, ""),
        core_key: str | None = None,
    ) -> None:
        self.soft_errors: list[SoftError] = []
        self.memory = {start: bytearray(content) for start, content in (memory or {}).items()}
        self.set_regions(sorted(regions))
        self._threads = tuple(threads)
        self._crash = crash
        self._process = process
        self._modules = tuple(modules)
        self._symbols = dict(symbols or {})
        self._types = dict(types or {})
        self._native = dict(native or {})
        self._auxv = dict(auxv or {})
        self._truncation = truncation
        self._core_key = core_key

    def read(self, address: int, size: int) -> bytes:
        """Return exactly `size` bytes at `address`, or raise UnreadableMemory."""
        for start, content in self.memory.items():
            offset = address - start
            if offset >= 0 and offset + size <= len(content):
                return bytes(content[offset : offset + size])
        raise UnreadableMemory(address, size)

    def write(self, address: int, content: bytes) -> None:
        """Change bytes that were given as memory."""
        for start, block in self.memory.items():
            offset = address - start
            if offset >= 0 and offset + len(content) <= len(block):
                block[offset : offset + len(content)] = content
                return
        raise UnreadableMemory(address, len(content))

    def provenance(self, address: int, size: int = 1) -> str:
        """Return the weakest provenance over the range: dumped, file or absent."""
        try:
            self.read(address, size)
        except UnreadableMemory:
            return ABSENT
        region = self.region_at(address)
        if region is not None and address + size <= region.start + region.dumped:
            return DUMPED
        return FILE

    def threads(self) -> Sequence[Thread]:
        """Return the LWPs; the first is the one that died."""
        return self._threads

    def modules(self) -> Sequence[Module]:
        """Return the mapped ELF objects."""
        return self._modules

    def symbol(self, name: str) -> int | None:
        """Return the run-time address of a symbol, or None."""
        return self._symbols.get(name)

    def type_layout(self, name: str) -> StructType | None:
        """Return a C type, or None."""
        return self._types.get(name)

    def native_frames(self, tid: int) -> Sequence[NativeFrame] | Absent:
        """Return the native stack of one LWP, innermost first."""
        frames = self._native.get(tid)
        return Absent(NOT_AVAILABLE, "no unwinder") if frames is None else frames

    def crash(self) -> CrashInfo | Absent:
        """Return how the process died."""
        return self._crash or Absent(NOT_AVAILABLE, "no NT_SIGINFO")

    def process(self) -> ProcessInfo | Absent:
        """Return pids, uid and command."""
        return self._process or Absent(NOT_AVAILABLE, "no NT_PRPSINFO")

    def auxv(self) -> Mapping[int, int]:
        """Return the auxiliary vector."""
        return self._auxv

    def truncation(self) -> Truncation:
        """Return what is missing of the core file."""
        return self._truncation

    def core_key(self) -> str | Absent:
        """Return the SHA-256 of the notes."""
        return self._core_key or Absent(NOT_AVAILABLE, "no notes")
