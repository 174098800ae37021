# SPDX-License-Identifier: Apache-2.0
"""Record what an analysis read of a process, and replay it without the core.

A recording holds the 4 KiB pages that were touched, the answers that are not memory, and nothing
else: some tens of kilobytes stand for a core of many megabytes, so that tests run everywhere.
"""

from __future__ import annotations

import json
import lzma
from base64 import b64decode, b64encode
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from gdb_epi.errors import NOT_AVAILABLE, Absent, InputError, SoftError, UnreadableMemory
from gdb_epi.machine import ARCHITECTURES, X86_64
from gdb_epi.sizes import PAGE
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
    Target,
    Thread,
    Truncation,
)
from gdb_epi.typing_lite import Any

SCHEMA = "gdb-epi/snapshot/1"
MAX_READ = 1 << 30


class RecordingTarget:
    """Pass everything through to `inner` and remember it."""

    kind = "snapshot"

    def __init__(self, inner: Target) -> None:
        self._inner = inner
        self.soft_errors = inner.soft_errors
        self._pages: dict[int, tuple[bytes, str]] = {}
        self._symbols: dict[str, int | None] = {}
        self._finds: dict[str, int | None] = {}
        self._native: dict[int, Sequence[NativeFrame] | Absent] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def read(self, address: int, size: int) -> bytes:
        """Read, and remember the pages."""
        content = self._inner.read(address, size)
        for page in range(address & -PAGE, address + size, PAGE):
            self._remember(page)
        return content

    def provenance(self, address: int, size: int = 1) -> str:
        """Tell the provenance, and remember the pages."""
        for page in range(address & -PAGE, address + max(size, 1), PAGE):
            self._remember(page)
        return self._inner.provenance(address, size)

    def _remember(self, page: int) -> None:
        if page in self._pages:
            return
        region = self._inner.region_at(page)
        size = min(PAGE, region.end - page) if region else PAGE
        try:
            content = self._inner.read(page, size)
        except UnreadableMemory:
            return
        self._pages[page] = (content, self._inner.provenance(page, size))

    def symbol(self, name: str) -> int | None:
        """Look a symbol up, and remember the answer."""
        return self._symbol(name, self._inner.symbol)

    def dynamic_symbol(self, name: str) -> int | None:
        """Look a dynamic symbol up, and remember the answer."""
        return self._symbol(name, getattr(self._inner, "dynamic_symbol", self._inner.symbol))

    def _symbol(self, name: str, look_up: Callable[[str], int | None]) -> int | None:
        if name not in self._symbols:
            self._symbols[name] = look_up(name)
        return self._symbols[name]

    def find(self, needle: bytes, start: int, end: int) -> int | None:
        """Search, and remember the answer."""
        from gdb_epi.target.memory_search import find_bytes

        address = next(find_bytes(self._inner, needle, start, end), None)
        self._finds[f"{needle.hex()} {start:x} {end:x}"] = address
        return address

    def native_frames(self, tid: int) -> Sequence[NativeFrame] | Absent:
        """Return native frames, and remember them."""
        if tid not in self._native:
            self._native[tid] = self._inner.native_frames(tid)
        return self._native[tid]

    def save(self, path: Path) -> None:
        """Write the recording (JSON, compressed with xz)."""
        inner = self._inner
        document = {
            "schema": SCHEMA,
            "regions": inner.regions(),
            "threads": [
                {**t._asdict(), "architecture": t.architecture.number} for t in inner.threads()
            ],
            "modules": inner.modules(),
            "crash": _packed(inner.crash()),
            "process": _packed(inner.process()),
            "core_key": _packed(inner.core_key()),
            "auxv": {str(tag): value for tag, value in inner.auxv().items()},
            "truncation": inner.truncation(),
            "soft_errors": inner.soft_errors,
            "symbols": self._symbols,
            "finds": self._finds,
            "native": {str(tid): _packed(frames) for tid, frames in self._native.items()},
            "pages": {
                f"{page:x}": [b64encode(content).decode(), provenance]
                for page, (content, provenance) in sorted(self._pages.items())
            },
        }
        path.write_bytes(lzma.compress(json.dumps(document).encode(), preset=9))


def _packed(answer: object) -> dict[str, object]:
    return {"absent" if isinstance(answer, Absent) else "value": answer}


class SnapshotTarget(MappedRegions):
    """A recording, replayed. What was not recorded is unreadable, and says so."""

    kind = "snapshot"

    def __init__(self, document: Mapping[str, Any]) -> None:
        if document.get("schema") != SCHEMA:
            raise InputError(f"not a snapshot of schema {SCHEMA}: {document.get('schema')!r}")
        self._document = document
        self.soft_errors = [SoftError(*error) for error in document["soft_errors"]]
        self.set_regions([Region(*region) for region in document["regions"]])
        self._pages = {
            int(page, 16): (b64decode(content), provenance)
            for page, (content, provenance) in document["pages"].items()
        }

    @classmethod
    def load(cls, path: Path) -> SnapshotTarget:
        """Read a recording."""
        return cls(json.loads(lzma.decompress(path.read_bytes())))

    def read(self, address: int, size: int) -> bytes:
        """Return recorded bytes, or raise UnreadableMemory."""
        at = address % PAGE
        held = self._pages.get(address - at)
        if held is not None and 0 < size <= len(held[0]) - at:  # nearly all reads
            return held[0][at : at + size]
        if not 0 <= size <= MAX_READ:
            raise UnreadableMemory(address, size, "an absurd size")
        parts = []
        end = address + size
        for page in range(address & -PAGE, end, PAGE):
            content = self._pages.get(page, (b"", ABSENT))[0]
            part = content[max(address - page, 0) : end - page]
            if len(part) < min(end, page + PAGE) - max(address, page):
                raise UnreadableMemory(address, size, "not in the recording")
            parts.append(part)
        return b"".join(parts)

    def pages(self) -> list[int]:
        """Return the addresses of the recorded whole pages."""
        return sorted(page for page, (content, _) in self._pages.items() if len(content) == PAGE)

    def provenance(self, address: int, size: int = 1) -> str:
        """Return the weakest recorded provenance."""
        pages = range(address & -PAGE, address + max(size, 1), PAGE)
        provenances = {self._pages.get(page, (b"", ABSENT))[1] for page in pages}
        return next((p for p in (ABSENT, FILE, DUMPED) if p in provenances), ABSENT)

    def find(self, needle: bytes, start: int, end: int) -> int | None:
        """Return the recorded answer, else search the recorded pages."""
        key = f"{needle.hex()} {start:x} {end:x}"
        if key in self._document["finds"]:
            address: int | None = self._document["finds"][key]
            return address
        order = self._in_order
        for index in range(bisect_left(order, start & -PAGE), bisect_left(order, end)):
            page = order[index]
            at = self._pages[page][0].find(needle, max(start - page, 0))
            if 0 <= at < end - page:
                return page + at
        return None

    @cached_property
    def _in_order(self) -> list[int]:
        return sorted(self._pages)

    def threads(self) -> Sequence[Thread]:
        """Return the LWPs."""
        machine = X86_64.number  # of recordings that do not tell
        return [
            Thread(**{**t, "architecture": ARCHITECTURES[t.get("architecture", machine)]})
            for t in self._document["threads"]
        ]

    def modules(self) -> Sequence[Module]:
        """Return the mapped ELF objects."""
        modules = []
        for path, base, start, end, build_id, file in self._document["modules"]:
            here = file if isinstance(file, str) else Absent(*file)
            modules.append(Module(path, base, start, end, build_id, here))
        return modules

    def symbol(self, name: str) -> int | None:
        """Return a recorded symbol."""
        address: int | None = self._document["symbols"].get(name)
        return address

    def type_layout(self, name: str) -> StructType | None:
        """Return None: types are not recorded."""
        return None

    def native_frames(self, tid: int) -> Sequence[NativeFrame] | Absent:
        """Return recorded native frames."""
        frames = _unpacked(self._document["native"].get(str(tid)))
        if isinstance(frames, Absent):
            return frames
        return [NativeFrame(*frame) for frame in frames]

    def crash(self) -> CrashInfo | Absent:
        """Return how the process died."""
        crash = _unpacked(self._document["crash"])
        return crash if isinstance(crash, Absent) else CrashInfo(*crash)

    def process(self) -> ProcessInfo | Absent:
        """Return pids and command."""
        process = _unpacked(self._document["process"])
        return process if isinstance(process, Absent) else ProcessInfo(*process)

    def auxv(self) -> Mapping[int, int]:
        """Return the auxiliary vector."""
        return {int(tag): value for tag, value in self._document["auxv"].items()}

    def truncation(self) -> Truncation:
        """Return what was missing of the core file."""
        return Truncation(*self._document["truncation"])

    def core_key(self) -> str | Absent:
        """Return the key of the core that was recorded."""
        key: str | Absent = _unpacked(self._document["core_key"])
        return key


def _unpacked(packed: Mapping[str, Any] | None) -> Any:
    """Return what _packed() was given, tuples as lists."""
    if packed is None:
        return Absent(NOT_AVAILABLE, "not in the recording")
    return Absent(*packed["absent"]) if "absent" in packed else packed["value"]
