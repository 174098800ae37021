# SPDX-License-Identifier: Apache-2.0
"""Where GDB finds the debug information of a file: in it, or in a file beside it.

The places are those of GDB's manual, "Debugging Information in Separate Files". What lies there
now is a part of the name under which its answers are kept: a package of debug information that
comes, changes or goes changes them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gdb_epi.target.elf_files import ElfFile
from gdb_epi.target.symbols import read_sections
from gdb_epi.typing_lite import NamedTuple

MAX_LINK = 4096
_CARRIERS = (b".debug_info", b".zdebug_info")
_PACKED = b".gnu_debugdata"

Stamp = tuple[str, int, int]  # of a file: path, size, time of its last change


class DebugInfoStamps(NamedTuple):
    """What a file's names come from: `inside` of itself, and from separate files.

    `packed`: there are but more symbols, in a packed section (MiniDebugInfo).
    """

    inside: bool
    separate: tuple[Stamp, ...]
    packed: bool = False


def debug_files(file: ElfFile, folders: Sequence[str], sysroot: str | None) -> DebugInfoStamps:
    """Return where the debug information of a file is; `folders` are those of GDB's setting."""
    places = {section.name: (section.offset, section.size) for section in read_sections(file)}
    inside = any(name in places for name in _CARRIERS)
    offset, size = places.get(b".gnu_debuglink", (0, 0))
    link = os.fsdecode(file.read(offset, min(size, MAX_LINK)).partition(b"\0")[0])
    names = dict.fromkeys(_candidates(file, link, folders, sysroot))
    stamps = tuple(filter(None, map(file_stamp, names)))
    has_packed = _PACKED in places
    both = has_packed and bool(stamps)  # which one GDB takes is not known here
    return DebugInfoStamps(inside or both, stamps, has_packed and not inside and not both)


def file_stamp(name: str) -> Stamp | None:
    """Return what changes when a file changes; None when there is none."""
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return None
    return name, status.st_size, status.st_mtime_ns


def _candidates(
    file: ElfFile, link: str, folders: Sequence[str], sysroot: str | None
) -> Iterator[str]:
    roots = ["", sysroot.rstrip("/")] if sysroot else [""]
    for root in roots:
        for folder in folders:
            if file.build_id:
                yield f"{root}{folder}/.build-id/{file.build_id[:2]}/{file.build_id[2:]}.debug"
    if not link or "/" in link:
        return
    for path in dict.fromkeys((file.path, os.path.realpath(file.path))):
        place = os.path.dirname(path)
        yield f"{place}/{link}"
        yield f"{place}/.debug/{link}"
        for root in roots:
            for folder in folders:
                yield f"{root}{folder}{place}/{link}"
                yield f"{root}{folder}{place.removeprefix(roots[-1])}/{link}"
