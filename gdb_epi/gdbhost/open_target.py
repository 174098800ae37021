# SPDX-License-Identifier: Apache-2.0
"""Open the right Target for what GDB has loaded, and find the file behind a core.

GDB's output is not parsed for that: its open files and command line are read instead.

Of a core, memory, regions, registers and provenance come from our own reading of the file: for
pages that are not in the core GDB silently answers with the contents of files, or with zeros. GDB
adds native frames, symbols of separate debug files, and types.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import gdb

from gdb_epi.errors import NOT_AVAILABLE, UNREADABLE, Absent, InputError, SoftError
from gdb_epi.gdbhost.debug_info import symbol_address, type_layout
from gdb_epi.gdbhost.native_unwinder import GdbUnwinder
from gdb_epi.gdbhost.process_target import GdbProcessTarget, proc_folder
from gdb_epi.target import elf
from gdb_epi.target.api import Module, NativeFrame, StructType, Target
from gdb_epi.target.core_notes import NT_PRSTATUS
from gdb_epi.target.corefile import CoreFileTarget

_PRSTATUS_PID = slice(32, 36)  # pr_pid of struct elf_prstatus on 64-bit Linux
MAX_CANDIDATES = 1000


class GdbTarget(CoreFileTarget):
    """A core file read by us and unwound by GDB. Open it with GdbTarget.open()."""

    @cached_property
    def unwinder(self) -> GdbUnwinder:
        """GDB's unwinder over the modules of this core."""
        return GdbUnwinder(self, self.soft_errors, self.region_at)

    def native_frames(self, tid: int) -> Sequence[NativeFrame] | Absent:
        """Return the native stack of one LWP from GDB's unwinder, innermost first."""
        return self.unwinder.frames(tid)

    def loaded_build_id(self, module: Module) -> str | None:
        """Return the build-id of the file that GDB has loaded for an object, or None."""
        return self.unwinder.loaded_build_id_of(module, self.regions())

    def symbol(self, name: str) -> int | None:
        """Return the address of a symbol: of build-id-checked files first, then GDB's."""
        try:
            address = super().symbol(name)
        except ImportError:  # GDB's Python often lacks pyelftools
            self._note_missing_pyelftools(f"symbol {name}")
            address = None
        if address is not None:
            return address
        address = symbol_address(name)
        module = self.unwinder.module_at(address) if address else None
        if address and module and self.unwinder.is_other_build(module, address):
            return None
        return address

    def section(self, module: Module, name: str) -> tuple[int, int] | None:
        """Return (address, size) of a section of the module's file, or None."""
        try:
            return super().section(module, name)
        except ImportError:
            self._note_missing_pyelftools(f"section {name}")
            return None

    def _note_missing_pyelftools(self, subject: str) -> None:
        error = SoftError("elf", subject, "pyelftools is missing in GDB's Python: not looked up")
        if error not in self.soft_errors:
            self.soft_errors.append(error)

    def debug_folders(self) -> list[str]:
        """Return where GDB looks for separate files of debug information."""
        return str(gdb.parameter("debug-file-directory") or "").split(":")

    def type_layout(self, name: str) -> StructType | None:
        """Return a C type from the debug information that GDB has, or None."""
        return type_layout(name)


def core_path(inferior: gdb.Inferior) -> str | Absent:
    """Return the path of the inferior's core file.

    Newer GDBs (18.1) tell it. With older ones it is the ELF core that GDB has open and whose
    threads are GDB's threads. Absent when it was deleted or is not on this file system.
    """
    corefile = getattr(inferior, "corefile", None)  # gdb.Corefile, not in 13.1
    with contextlib.suppress(UnicodeDecodeError):  # GDB cannot return a path that is not UTF-8
        if corefile is not None:
            path = corefile.filename
            gone = Absent(NOT_AVAILABLE, f"{path}: the core file is gone")
            return path if os.path.isfile(path) else gone
    lwps = {lwp or pid for pid, lwp, _ in (thread.ptid for thread in inferior.threads())}
    best, most = "", 0
    for path in dict.fromkeys((*_open_files(), *_argument_files())):
        common = len(lwps & core_lwps(path))
        if common > most:
            best, most = path, common
    if not best:
        return Absent(NOT_AVAILABLE, "no core file with GDB's threads is open")
    return best


def core_lwps(path: str) -> set[int]:
    """Return the LWPs in the NT_PRSTATUS notes of a core file; empty for any other file."""
    try:
        with Path(path).open("rb") as stream:
            header = elf.parse_header(stream.read(64))
            if header is None or header.type != elf.ET_CORE or not header.phoff:
                return set()
            stream.seek(0)
            head = stream.read(header.phoff + min(header.phnum, 65535) * header.phentsize)
            return set(_lwps_in_notes(stream, elf.read_segments(head, header)))
    except OSError:
        return set()


def _lwps_in_notes(stream: BinaryIO, segments: Iterable[elf.Segment]) -> Iterator[int]:
    for segment in segments:
        if segment.type == elf.PT_NOTE:
            stream.seek(segment.offset)
            raw = stream.read(min(segment.filesz, elf.MAX_NOTE_BYTES))
            for note in elf.read_notes(raw):
                if note.type == NT_PRSTATUS and note.name == b"CORE":
                    yield int.from_bytes(note.desc[_PRSTATUS_PID], "little")


def _open_files() -> Iterator[str]:
    """Yield the regular files that this GDB has open."""
    folder = Path("/proc/self/fd")
    try:
        numbers = sorted(os.listdir(folder))[:MAX_CANDIDATES]
    except OSError:
        return
    for number in numbers:
        try:
            path = str((folder / number).readlink())
        except OSError:
            continue
        if path.startswith("/") and os.path.isfile(path):
            yield path


def _argument_files() -> Iterator[str]:
    """Yield the files named on GDB's command line, as BFD closes files when it has too many."""
    try:
        words = Path("/proc/self/cmdline").read_bytes().split(b"\0")
    except OSError:
        return
    for word in words[1:MAX_CANDIDATES]:
        path = os.fsdecode(word.partition(b"=")[2] or word)
        if path and os.path.isfile(path):
            yield os.path.abspath(path)


def open_process(inferior: gdb.Inferior, lwp: int) -> Target:
    """Return a target for a live process; `lwp` is the thread that stopped it."""
    return GdbProcessTarget(inferior, kind="live", proc=proc_folder(inferior), lwp=lwp)


def open_core(inferior: gdb.Inferior) -> Target:
    """Return a target for the loaded core.

    When its file cannot be found or read, memory comes from GDB, which proves nothing.
    """
    path = core_path(inferior)
    if not isinstance(path, Absent):
        try:
            return GdbTarget.open(path, exe=inferior.progspace.filename, sysroot=local_sysroot())
        except InputError as error:
            path = Absent(UNREADABLE, str(error))
    thread = gdb.selected_thread()
    lwp = thread.ptid[1] if thread is not None else inferior.pid
    target = GdbProcessTarget(inferior, kind="core", proc=None, lwp=lwp)
    target.soft_errors.append(
        SoftError("core", "file", f"{path.detail}: memory comes from GDB and proves nothing")
    )
    return target


def local_sysroot() -> str | None:
    """Return `set epi sysroot`, else GDB's own sysroot without its "target:" prefixes."""
    own = str(gdb.parameter("epi sysroot") or "")
    if own:
        return os.path.expanduser(own)
    sysroot = str(gdb.parameter("sysroot") or "")
    for prefix in ("target:", "remote:"):
        sysroot = sysroot.removeprefix(prefix)
    return sysroot if sysroot not in ("", "/") else None


def install_missing_file_handler() -> None:
    """Let GDB 16+ look for missing files below `set epi sysroot`, by path or build-id.

    Registered once. Older GDBs have no such handlers and look only in their own folders.
    """
    try:
        from gdb.missing_objfile import MissingObjfileHandler, register_handler
    except ImportError:
        return

    from gdb_epi.target.elf_files import ElfFile, FileFinder

    class Handler(MissingObjfileHandler):  # type: ignore[misc]
        """Called for each file of a core that is missing here, or is of another build."""

        def __call__(self, space: gdb.Progspace, buildid: str, filename: str) -> str | None:
            """Return the path of the file with this build-id; None when there is none."""
            if not gdb.parameter("epi sysroot"):
                return None
            file = FileFinder(None, local_sysroot()).find_by_build_id(filename, buildid, False)
            return file.path if isinstance(file, ElfFile) else None

    register_handler(None, Handler("epi"), replace=True)
