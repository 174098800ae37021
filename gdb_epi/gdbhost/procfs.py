# SPDX-License-Identifier: Apache-2.0
"""What /proc says about a live process, on this machine or through its gdbserver.

Each function takes None for a process that neither of them can reach.
"""

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
from gdb_epi.target.core_notes import MappedFile
from gdb_epi.target.elf_files import FileFinder
from gdb_epi.target.modules import is_mapped_as_data_only, loaded_mappings

MAX_MAPS_BYTES = 256 << 20
NOT_HERE = Absent(NOT_AVAILABLE, "the process is not on this machine")

Read = Callable[[int, int], bytes]


class LocalProcFolder:
    """The folder /proc/PID of a process on this machine."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def read(self, name: str) -> bytes:
        """Return a file of the folder. Raises OSError."""
        with Path(f"/proc/{self.pid}/{name}").open("rb") as stream:
            return stream.read(MAX_MAPS_BYTES)

    def executable(self) -> str | None:
        """Return the path of the executable, None when that is unknown."""
        try:
            return str(Path(f"/proc/{self.pid}/exe").readlink())
        except OSError:
            return None

    def root(self) -> str | None:
        """Return the root of the process if it sees other files, as in a container.

        `unshare --mount` leaves the root where it is and mounts something else below it.
        """
        root, mounts = f"/proc/{self.pid}/root", f"/proc/{self.pid}/ns/mnt"
        with suppress(OSError):
            if not os.path.samefile(root, "/") or not os.path.samefile(mounts, "/proc/self/ns/mnt"):
                return root
        return None


class RemoteProcFolder(LocalProcFolder):
    """/proc/PID on the machine of a gdbserver, which sends files (vFile of its protocol).

    It reads only files that GDB's `remote get` can write into a folder of its own.
    """

    def __init__(self, pid: int, executable: str | None) -> None:
        super().__init__(pid)
        self._executable = executable
        self._files: dict[str, bytes] = {}

    def read(self, name: str) -> bytes:
        """Return a file of the folder. Raises OSError."""
        import tempfile

        import gdb

        if name not in self._files:
            with tempfile.TemporaryDirectory(prefix="gdb-epi-") as folder:
                copy = os.path.join(folder, name)
                try:
                    gdb.execute(f"remote get /proc/{self.pid}/{name} {copy}", to_string=True)
                except gdb.error as error:
                    raise OSError(0, f"the other side does not send it: {error}") from None
                with open(copy, "rb") as stream:
                    self._files[name] = stream.read(MAX_MAPS_BYTES)
        return self._files[name]

    def executable(self) -> str | None:
        """Return the path that GDB has for the executable, without its "target:" prefix."""
        return self._executable

    def root(self) -> str | None:
        """Return None: files are looked up on this machine, and trusted by their build-id."""
        return None


def process_regions(proc: LocalProcFolder | None, errors: list[SoftError]) -> Sequence[Region]:
    """Return the mappings in /proc/PID/maps; what can be read counts as dumped."""
    if proc is None:
        errors.append(
            SoftError(
                "regions",
                "process",
                "no mappings: the process is not on this machine, and nobody sends them",
            )
        )
        return ()
    try:
        return [_parse_maps_line(line) for line in proc.read("maps").splitlines()]
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        errors.append(SoftError("regions", "process", f"/proc/{proc.pid}/maps: {why}"))
        return ()


def _parse_maps_line(line: bytes) -> Region:
    """Parse one line: start-end perms offset device inode [path]."""
    span, perms, offset, _device, _inode, *rest = line.split(None, 5)
    start, end = (int(number, 16) for number in span.split(b"-"))
    name = os.fsdecode(rest[0]) if rest else None
    path = name if name and name.startswith("/") else None
    readable = perms.startswith(b"r") and name not in ("[vvar]", "[vvar_vclock]", "[vsyscall]")
    return Region(start, end, perms[:3].decode(), path, int(offset, 16), (end - start) * readable)


def process_info(proc: LocalProcFolder | None) -> ProcessInfo | Absent:
    """Return pids, uid, comm and the command line, cut to 80 bytes as in a core."""
    if proc is None:
        return NOT_HERE
    try:
        status = dict(
            line.split(":", 1)
            for line in proc.read("status").decode("utf-8", "replace").splitlines()
            if ":" in line
        )
        arguments = proc.read("cmdline").replace(b"\0", b" ")[:80]
        comm = os.fsdecode(proc.read("comm").rstrip(b"\n"))
        uid, parent = int(status["Uid"].split()[0]), int(status["PPid"])
    except (OSError, ValueError, LookupError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return Absent(NOT_AVAILABLE, f"/proc/{proc.pid}: {why}")
    return ProcessInfo(proc.pid, parent, uid, comm, os.fsdecode(arguments).rstrip(" "))


def process_auxv(proc: LocalProcFolder | None) -> Mapping[int, int]:
    """Return /proc/PID/auxv."""
    try:
        raw = proc.read("auxv") if proc is not None else b""
    except OSError:
        return {}
    return dict(struct.iter_unpack("<QQ", raw[: len(raw) // 16 * 16]))


def mapped_modules(
    proc: LocalProcFolder | None, regions: Sequence[Region], read: Read, auxv: Mapping[int, int]
) -> Sequence[Module]:
    """Return the ELF objects whose headers are mapped, the executable first."""
    if proc is None:
        return ()
    exe, root = proc.executable(), proc.root()
    files = FileFinder(None, root)
    spans: dict[str, list[Region]] = {}
    for region in regions:
        name = region.path
        if region.start == auxv.get(AT_SYSINFO_EHDR):
            name = "linux-vdso.so.1"
        if name:
            spans.setdefault(name, []).append(region)
    candidates = [
        _module_of_mappings(path, parts, read, files, path == exe) for path, parts in spans.items()
    ]
    modules = [module for module in candidates if module is not None]
    return sorted(modules, key=lambda module: (module.path != exe, module.start))


def _module_of_mappings(
    path: str, parts: list[Region], read: Read, files: FileFinder, is_executable: bool
) -> Module | None:
    runs = {part.start for part in parts if "x" in part.perms}.__contains__
    spans = _loaded_mappings(parts, read, runs)
    first = next((span for span in spans if span.offset == 0), None)
    if first is None:
        return None
    try:
        image = elf.base_and_headers(read(first.start, PAGE), first.start)
        if image is None:
            return None
        base, segments = image
        if is_mapped_as_data_only(spans, segments, runs):
            return None
        notes = [
            read(base + segment.vaddr, segment.filesz)
            for segment in segments
            if segment.type == elf.PT_NOTE and segment.filesz <= PAGE
        ]
    except UnreadableMemory:
        return None
    build_id = next(filter(None, map(elf.read_build_id, notes)), None)
    matching = files.find_by_build_id(path, build_id, is_executable)
    file = matching if isinstance(matching, Absent) else matching.path
    return Module(path, base, first.start, max(span.end for span in spans), build_id, file)


def _loaded_mappings(
    parts: Sequence[Region], read: Read, runs: Callable[[int], bool]
) -> Sequence[MappedFile]:
    """Return the mappings of an object without those that only read its file."""

    def first_page(address: int) -> bytes | None:
        try:
            return read(address, PAGE)
        except UnreadableMemory:
            return None

    spans = [MappedFile(part.start, part.end, part.file_offset, "") for part in parts]
    return loaded_mappings(spans, first_page, runs)
