# SPDX-License-Identifier: Apache-2.0
"""Files on this machine that stand in for pages the core left out, matched by build-id."""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Iterator

from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.target import elf
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import memoized

_PT_NOTE_CAP = 1 << 20
MAX_KEPT = 384  # files that stay open; a process has about 25, and archives have many Pythons
ANOTHER_BUILD = "another build"  # in why a file with the path of a core's does not do
MAX_LINKS = 40  # symbolic links on the way to one file, as Linux has it


SEVERAL = "\0"  # between the folders of a sysroot that is several: in no path
# Where distributions and debuginfod's stores keep files under their build-ids (ab/cdef...).
BUILD_ID_FOLDERS = ("/.build-id", "/usr/lib/.build-id", "/usr/lib/debug/.build-id")


def sysroot_folders(sysroot: str | None) -> list[str]:
    """Return the folders of a sysroot, the one to look in first first; none without one."""
    return [root for root in (sysroot or "").split(SEVERAL) if root]


def locate_in_sysroot(path: str, sysroot: str | None) -> str | Absent:
    """Return where an absolute path of the dead process lies here.

    Of a sysroot that is several folders, in the first that has it; where none has, in the first.
    """
    roots = sysroot_folders(sysroot)
    if len(roots) < 2:
        return _locate_below_folder(path, sysroot)
    places = [_locate_below_folder(path, root) for root in roots]
    return next((p for p in places if isinstance(p, str) and os.path.lexists(p)), places[0])


def _locate_below_folder(path: str, sysroot: str | None) -> str | Absent:
    """Return where a path lies below one folder.

    Symbolic links below a sysroot are followed as the process saw them, never out of it: an
    absolute one begins at the sysroot again, and no `..` leads above it. A core that was taken from
    outside of a container or chroot names its mappings as they are seen there: below the sysroot.
    """
    if "\0" in path or not path.startswith("/"):
        return Absent(NOT_AVAILABLE, f"{path}: no absolute path")
    if not sysroot:
        return path
    root = sysroot.rstrip("/")
    seen_outside = f"{os.path.realpath(root)}/" if root else ""
    if seen_outside and path.startswith(seen_outside) and not os.path.lexists(root + path):
        path = path[len(seen_outside) - 1 :]
    todo = path.split("/")[::-1]
    parts: list[str] = []
    links = 0
    while todo:
        part = todo.pop()
        if part in ("", "."):
            continue
        if part == "..":
            del parts[-1:]
            continue
        try:
            linked = os.readlink("/".join([root, *parts, part]))
        except (OSError, ValueError):
            parts.append(part)
            continue
        links += 1
        if links > MAX_LINKS:
            return Absent(NOT_AVAILABLE, f"{path}: more than {MAX_LINKS} symbolic links")
        if linked.startswith("/"):
            parts = []
        todo += linked.split("/")[::-1]
    return "/".join([root, *parts])


class ElfFile(NamedTuple):
    """An ELF file that is mapped for reading.

    `kept`: what its readers derived from the file alone, under keys that they choose.
    """

    path: str
    data: mmap.mmap
    build_id: str | None
    kept: dict[Any, Any]

    def read(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes at a file offset."""
        return self.data[offset : offset + size]


def open_elf(path: str) -> ElfFile | Absent:
    """Map an ELF file and read its build-id. Absent when it is missing or not ELF.

    Names come from cores: devices and FIFOs are not even opened.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return Absent(NOT_AVAILABLE, f"{path}: empty or not a regular file")
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Absent(NOT_AVAILABLE, f"{path}: {reason}")
    try:
        data = mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)
    except (OSError, ValueError):
        return Absent(NOT_AVAILABLE, f"{path}: empty or not a regular file")
    finally:
        os.close(descriptor)
    header = elf.parse_header(data[:64])
    if header is None or not header.is_64:
        return Absent(NOT_AVAILABLE, f"{path}: not a 64-bit ELF file")
    build_id = None
    for segment in elf.read_segments(data, header):
        if segment.type == elf.PT_NOTE and build_id is None:
            size = min(segment.filesz, _PT_NOTE_CAP)
            build_id = elf.read_build_id(data[segment.offset : segment.offset + size])
    return ElfFile(path, data, build_id, {})


class OpenElfFiles:
    """ELF files that stay open from core to core, with what was found in them.

    One that was replaced or changed meanwhile is opened anew.
    """

    def __init__(self) -> None:
        self._files: dict[str, tuple[tuple[int, ...], ElfFile]] = {}  # the latest used last

    def open(self, path: str) -> ElfFile | Absent:
        """Do what open_elf() does."""
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return open_elf(path)
        now = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        before, kept = self._files.pop(path, (None, None))
        file = kept if kept is not None and before == now else open_elf(path)
        if isinstance(file, ElfFile):
            self._files[path] = (now, file)
            if len(self._files) > MAX_KEPT:
                del self._files[next(iter(self._files))]
        return file

    def release_pages(self) -> None:
        """Give the pages of the files back to the kernel; those read again come from its cache."""
        for _, file in self._files.values():
            if hasattr(mmap, "MADV_DONTNEED"):
                file.data.madvise(mmap.MADV_DONTNEED)


class FileFinder:
    """Find the file that was mapped at a path of the dead process.

    `sysroot` is the folder under which the process' file system lies here, or several; no path of
    the core leads out of it. `exe` overrides the executable's path.
    """

    def __init__(
        self, exe: str | None, sysroot: str | None, kept: OpenElfFiles | None = None
    ) -> None:
        self.exe = exe
        self.sysroot = sysroot
        self._opened = open_elf if kept is None else kept.open

    def candidate_paths(self, path: str, is_executable: bool) -> list[str]:
        """Return where the file may lie, best first."""
        paths = [self.exe] if is_executable and self.exe else []
        for root in sysroot_folders(self.sysroot) or (None,):
            here = locate_in_sysroot(path, root)
            paths += [here] if isinstance(here, str) else []
        return paths

    def open_candidates(self, path: str, is_executable: bool) -> list[ElfFile]:
        """Return the ELF files that may be the one, best first; nothing is compared."""
        files = [
            self.elf_file_at(candidate) for candidate in self.candidate_paths(path, is_executable)
        ]
        return [file for file in files if isinstance(file, ElfFile)]

    def find_by_build_id(
        self, path: str, build_id: str | None, is_executable: bool
    ) -> ElfFile | Absent:
        """Return the file with this build-id, or an Absent that says what is wrong."""
        why = f"{path}: no such file here"
        for candidate in self.candidate_paths(path, is_executable):
            file = self.elf_file_at(candidate)
            if isinstance(file, Absent):
                why = file.detail
            elif build_id is None:
                why = f"{path}: the core holds no build-id of it, so no file can be trusted"
            elif file.build_id != build_id:
                here = file.build_id or "none"
                why = (
                    f"{candidate}: {ANOTHER_BUILD} (build-id {here[:16]}, in the core "
                    f"{build_id[:16]})"
                )
            else:
                return file
        if build_id is not None:
            for candidate in self._paths_in_build_id_store(path, build_id):
                file = self.elf_file_at(candidate)
                if isinstance(file, ElfFile) and file.build_id == build_id:
                    return file
        return Absent(NOT_AVAILABLE, why)

    def _paths_in_build_id_store(self, path: str, build_id: str) -> Iterator[str]:
        """Yield where a store below the sysroot may have the file: by its build-id, or flat."""
        stored = [f"{folder}/{build_id[:2]}/{build_id[2:]}" for folder in BUILD_ID_FOLDERS]
        for root in sysroot_folders(self.sysroot):
            for name in (*stored, f"/{os.path.basename(path)}"):
                here = locate_in_sysroot(name, root)
                if isinstance(here, str):
                    yield here

    @memoized
    def elf_file_at(self, path: str) -> ElfFile | Absent:
        """Return the ELF file at a path of this machine; each is opened once."""
        return self._opened(path)
