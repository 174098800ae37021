# SPDX-License-Identifier: Apache-2.0
"""The files that a debugger opens because a core names them: are they safe to open?

GDB opens every name of NT_FILE and of the dynamic linker's list, and the executable's; an open()
of a FIFO waits for ever, one of a device may do things. Reference: GDB 13 to 18, corelow.c
(build_file_mappings), solib-svr4.c.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterator, Mapping, Sequence

from gdb_epi.errors import UnreadableMemory
from gdb_epi.target import elf
from gdb_epi.target.auxv import AT_EXECFN, AT_PHDR
from gdb_epi.target.core_notes import MappedFile
from gdb_epi.typing_lite import Protocol

AT_PHNUM = 5
MAX_OBJECTS = 65536
MAX_NAMESPACES = 64  # of dlmopen(); glibc has 16
MAX_PATH = 4096
_DT_DEBUG = 21
_PIECE = 256
# Devices that programs map, and that nothing happens to when they are opened.
_MAPPED_DEVICES = (
    "/dev/zero", "/dev/null", "/dev/nvidia", "/dev/dri/", "/dev/kfd", "/dev/infiniband/",
    "/dev/accel/",
)  # fmt: skip


class MemoryWithAuxv(Protocol):
    """What is asked of a process to find the dynamic linker's list."""

    def read(self, address: int, size: int) -> bytes: ...
    def auxv(self) -> Mapping[int, int]: ...


class CoreWithMappedFiles(MemoryWithAuxv, Protocol):
    """What is asked of the core."""

    def mapped_files(self) -> Sequence[MappedFile]: ...


def find_unsafe_file_name(
    target: CoreWithMappedFiles, exe: str | None, sysroot: str | None
) -> str | None:
    """Return what a debugger must not open, and why; None when all names are safe."""
    if exe is not None and (why := _why_unsafe(exe, "")):
        return f"the executable {why}"
    for name in dict.fromkeys(_file_names_in_core(target)):
        if not name.startswith("/") or "\0" in name:
            continue
        why = "leads out of the sysroot" if sysroot and _leads_above_root(name) else None
        why = why or _why_unsafe(name, (sysroot or "").rstrip("/"))
        if why:
            return f"{os.path.basename(name) or name}, which the core names, {why}"
    return None


def _why_unsafe(name: str, root: str) -> str | None:
    try:
        mode = os.stat(root + name).st_mode
    except (OSError, ValueError):
        return None  # a file that is not here is not opened
    if stat.S_ISCHR(mode):
        place = os.path.realpath(root + name).removeprefix(os.path.realpath(root) if root else "")
        return None if place.startswith(_MAPPED_DEVICES) else "is a device"
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    return "is a named pipe" if stat.S_ISFIFO(mode) else "is no regular file"


def _leads_above_root(name: str) -> bool:
    """Tell whether `..` leads above the root."""
    depth = 0
    for part in name.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False


def _file_names_in_core(target: CoreWithMappedFiles) -> Iterator[str]:
    for entry in target.mapped_files():
        yield entry.path
    execfn = target.auxv().get(AT_EXECFN)
    if execfn:
        yield _read_c_string(target, execfn)
    for _, name, _ in read_link_map(target):
        yield name


def read_link_map(target: MemoryWithAuxv) -> Iterator[tuple[int, str, int]]:
    """Yield (base, name, dynamic section) of the dynamic linker's list.

    Reference: struct link_map (l_addr, l_name, l_ld) in glibc's elf/link.h.
    """
    seen: set[int] = set()
    try:
        debug = _address_of_r_debug(target)
        for _ in range(MAX_NAMESPACES):
            if not debug:
                return
            version, address = struct.unpack("<i4xQ", target.read(debug, 16))
            while address and address not in seen and len(seen) < MAX_OBJECTS:
                seen.add(address)
                base, name, dynamic, following = struct.unpack("<4Q", target.read(address, 32))
                yield base, _read_c_string(target, name), dynamic
                address = following
            # glibc 2.35: version 2 has a further list after r_ldbase.
            debug = struct.unpack("<Q", target.read(debug + 40, 8))[0] if version >= 2 else 0
    except UnreadableMemory:
        return


def _address_of_r_debug(target: MemoryWithAuxv) -> int:
    """Return where struct r_debug lies, by the executable's program headers; 0 without."""
    auxv = target.auxv()
    start = auxv.get(AT_PHDR, 0)
    count = min(auxv.get(AT_PHNUM, 0), elf.MAX_HEADERS)
    headers = list(elf.PHDR.iter_unpack(target.read(start, count * elf.PHDR.size)))
    base = next((start - header[3] for header in headers if header[0] == elf.PT_PHDR), 0)
    for kind, _, _, vaddr, _, _, size, _ in headers:
        if kind == elf.PT_DYNAMIC:
            raw = target.read(base + vaddr, min(size, elf.MAX_DYNAMIC * 16) // 16 * 16)
            return int(dict(struct.iter_unpack("<qQ", raw)).get(_DT_DEBUG, 0))
    return 0


def _read_c_string(target: MemoryWithAuxv, address: int) -> str:
    """Return a C string, or what can be read of it."""
    text = b""
    try:
        while b"\0" not in text and len(text) < MAX_PATH:
            at = address + len(text)
            text += target.read(at, _PIECE - at % _PIECE)
    except UnreadableMemory:
        pass
    return os.fsdecode(text.partition(b"\0")[0])
