# SPDX-License-Identifier: Apache-2.0
"""The running kernel, from the notes of the vDSO that it maps into every process.

Sources: arch/x86/entry/vdso/note.S (ELFNOTE_START(Linux, 0, "a") with LINUX_VERSION_CODE), Linux
2.6 to 6.18; include/linux/kernel.h for the code; the build-id is that of the vDSO image, which is
built with the kernel.
"""

from __future__ import annotations

from gdb_epi.errors import NOT_AVAILABLE, UNPARSABLE, UNREADABLE, Absent, UnreadableMemory
from gdb_epi.lean import NamedTuple
from gdb_epi.target import elf
from gdb_epi.target.api import DUMPED, Target
from gdb_epi.target.auxv import AT_SYSINFO_EHDR
from gdb_epi.target.elf import parse_image

PAGE = 4096
MAX_NOTES = 4096
NT_VERSION = 0  # of owner "Linux": u32 major << 16 | minor << 8 | patch (at most 255)


class Kernel(NamedTuple):
    """`version` is what uname -r begins with; `saturated`: a patch level of 255 or more."""

    version: str
    saturated: bool
    build_id: str | None


def running_kernel(target: Target) -> Kernel | Absent:
    """Return the kernel's version and the build-id of its vDSO.

    Absent without a vDSO (vdso=0, a core cut before it) or without its note.
    """
    start = target.auxv().get(AT_SYSINFO_EHDR)
    if not start:
        return Absent(NOT_AVAILABLE, "the core names no vDSO")
    try:
        if target.provenance(start, PAGE) != DUMPED:
            return Absent(UNREADABLE, "the vDSO is not in the core")
        image = parse_image(target.read(start, PAGE), start)
        if image is None:
            return Absent(UNPARSABLE, "the vDSO has no ELF header")
        return _from_notes(target, *image)
    except UnreadableMemory:
        return Absent(UNREADABLE, "the vDSO is not in the core")


def _from_notes(target: Target, base: int, segments: tuple[elf.Segment, ...]) -> Kernel | Absent:
    """Raises UnreadableMemory when the notes are not there."""
    code = build_id = None
    for segment in segments:
        if segment.type != elf.PT_NOTE:
            continue
        raw = target.read(base + segment.vaddr, min(segment.filesz, MAX_NOTES))
        build_id = build_id or elf.build_id_of(raw)
        for note in elf.notes(raw):
            if note.name == b"Linux" and note.type == NT_VERSION and len(note.desc) >= 4:
                code = int.from_bytes(note.desc[:4], "little")
    if not code:
        return Absent(NOT_AVAILABLE, "the vDSO has no version note")
    version = f"{code >> 16}.{code >> 8 & 0xFF}.{code & 0xFF}"
    return Kernel(version, code & 0xFF == 0xFF, build_id)
