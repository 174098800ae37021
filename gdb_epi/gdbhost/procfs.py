# SPDX-License-Identifier: Apache-2.0
"""What /proc tells of a live process on this machine; each function takes None for "not here"."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from gdb_epi.errors import NOT_AVAILABLE, Absent, SoftError, UnreadableMemory
from gdb_epi.sizes import PAGE
from gdb_epi.target import elf
from gdb_epi.target.api import Module, ProcessInfo, Region
from gdb_epi.target.auxv import AT_SYSINFO_EHDR
from gdb_epi.target.files import FileFinder
from gdb_epi.target.modules import FileMapping, is_data_only, loaded_mappings

MAX_MAPS_BYTES = 256 << 20
NOT_HERE = Absent(NOT_AVAILABLE, "the process is not on this machine")

Read = Callable[[int, int], bytes]


def process_regions(pid: int | None, errors: list[SoftError]) -> Sequence[Region]:
    """Return the mappings in /proc/PID/maps; what can be read counts as dumped."""
    if pid is None:
        errors.append(SoftError("regions", "process", "no mappings: not a process of this machine"))
        return ()
    try:
        with Path(f"/proc/{pid}/maps").open("rb") as stream:
            lines = stream.read(MAX_MAPS_BYTES).splitlines()
    except OSError as error:
        errors.append(SoftError("regions", "process", f"/proc/{pid}/maps: {error.strerror}"))
        return ()
    return [_region(line) for line in lines]


def _region(line: bytes) -> Region:
    """Parse one line: start-end perms offset device inode [path]."""
    span, perms, offset, _device, _inode, *rest = line.split(None, 5)
    start, end = (int(number, 16) for number in span.split(b"-"))
    name = os.fsdecode(rest[0]) if rest else None
    path = name if name and name.startswith("/") else None
    readable = perms.startswith(b"r") and name not in ("[vvar]", "[vvar_vclock]", "[vsyscall]")
    return Region(start, end, perms[:3].decode(), path, int(offset, 16), (end - start) * readable)


def process_info(pid: int | None) -> ProcessInfo | Absent:
    """Return pids, uid, comm and the command line, cut to 80 bytes as in a core."""
    if pid is None:
        return NOT_HERE
    folder = Path(f"/proc/{pid}")
    try:
        status = dict(
            line.split(":", 1)
            for line in (folder / "status").read_text().splitlines()
            if ":" in line
        )
        arguments = (folder / "cmdline").read_bytes().replace(b"\0", b" ")[:80]
        comm = os.fsdecode((folder / "comm").read_bytes().rstrip(b"\n"))
    except OSError as error:
        return Absent(NOT_AVAILABLE, f"{folder}: {error.strerror}")
    uid = int(status["Uid"].split()[0])
    return ProcessInfo(pid, int(status["PPid"]), uid, comm, os.fsdecode(arguments).rstrip(" "))


def process_auxv(pid: int | None) -> Mapping[int, int]:
    """Return /proc/PID/auxv."""
    try:
        raw = Path(f"/proc/{pid}/auxv").read_bytes() if pid is not None else b""
    except OSError:
        return {}
    return dict(struct.iter_unpack("<QQ", raw[: len(raw) // 16 * 16]))


def mapped_modules(
    pid: int | None, regions: Sequence[Region], read: Read, auxv: Mapping[int, int]
) -> Sequence[Module]:
    """Return the ELF objects whose headers are mapped, the executable first."""
    if pid is None:
        return ()
    try:
        exe = str(Path(f"/proc/{pid}/exe").readlink())
    except OSError:
        exe = None
    # Files are looked for under the root that the process sees (it may be in a container).
    root = None
    with suppress(OSError):
        if not os.path.samefile(f"/proc/{pid}/root", "/"):
            root = f"/proc/{pid}/root"
    files = FileFinder(None, root)
    spans: dict[str, list[Region]] = {}
    for region in regions:
        name = region.path
        if region.start == auxv.get(AT_SYSINFO_EHDR):
            name = "linux-vdso.so.1"
        if name:
            spans.setdefault(name, []).append(region)
    candidates = [_module(path, parts, read, files, path == exe) for path, parts in spans.items()]
    modules = [module for module in candidates if module is not None]
    return sorted(modules, key=lambda module: (module.path != exe, module.start))


def _module(
    path: str, parts: list[Region], read: Read, files: FileFinder, is_executable: bool
) -> Module | None:
    runs = {part.start for part in parts if "x" in part.perms}.__contains__
    spans = _loaded(parts, read, runs)
    first = next((span for span in spans if span.offset == 0), None)
    if first is None:
        return None
    try:
        image = elf.parse_image(read(first.start, PAGE), first.start)
        if image is None:
            return None
        base, segments = image
        if is_data_only(spans, segments, runs):
            return None
        notes = [read(base + s.vaddr, s.filesz) for s in segments if _is_small_note(s)]
    except UnreadableMemory:
        return None
    build_id = next(filter(None, map(elf.build_id_of, notes)), None)
    matching = files.match(path, build_id, is_executable)
    file = matching if isinstance(matching, Absent) else matching.path
    return Module(path, base, first.start, max(span.end for span in spans), build_id, file)


def _loaded(
    parts: Sequence[Region], read: Read, runs: Callable[[int], bool]
) -> Sequence[FileMapping]:
    """Return the mappings of an object without those that only read its file."""

    def first_page(address: int) -> bytes | None:
        try:
            return read(address, PAGE)
        except UnreadableMemory:
            return None

    spans = [FileMapping(part.start, part.end, part.file_offset) for part in parts]
    return loaded_mappings(spans, first_page, runs)


def _is_small_note(segment: elf.Segment) -> bool:
    return segment.type == elf.PT_NOTE and segment.filesz <= PAGE
