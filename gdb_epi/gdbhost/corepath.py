# SPDX-License-Identifier: Apache-2.0
"""Find the file behind GDB's loaded core without parsing GDB's output."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import gdb

from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.target import elf
from gdb_epi.target.notes import NT_PRSTATUS

_PRSTATUS_PID = slice(32, 36)  # pr_pid of struct elf_prstatus on 64-bit Linux
MAX_CANDIDATES = 1000


def core_path(inferior: gdb.Inferior) -> str | Absent:
    """Return the path of the inferior's core file.

    Newer GDBs (18.1) tell it. Before, the core is the ELF core that GDB holds open and whose
    threads are GDB's threads. Absent when it was deleted, or is not on this file system.
    """
    known = getattr(inferior, "corefile", None)  # gdb.Corefile, not in 13.1
    if known is not None:
        return _existing(known.filename)
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
            return set(_lwps(stream, elf.segments(head, header)))
    except OSError:
        return set()


def _lwps(stream: BinaryIO, segments: Iterable[elf.Segment]) -> Iterator[int]:
    for segment in segments:
        if segment.type == elf.PT_NOTE:
            stream.seek(segment.offset)
            raw = stream.read(min(segment.filesz, elf.MAX_NOTE_BYTES))
            for note in elf.notes(raw):
                if note.type == NT_PRSTATUS and note.name == b"CORE":
                    yield int.from_bytes(note.desc[_PRSTATUS_PID], "little")


def _existing(path: str) -> str | Absent:
    if os.path.isfile(path):
        return path
    return Absent(NOT_AVAILABLE, f"{path}: the core file is gone")


def _open_files() -> Iterator[str]:
    """Yield the regular files that this GDB holds open."""
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
    """Yield the files named on GDB's command line: BFD closes files when it has too many."""
    try:
        words = Path("/proc/self/cmdline").read_bytes().split(b"\0")
    except OSError:
        return
    for word in words[1:MAX_CANDIDATES]:
        path = os.fsdecode(word.partition(b"=")[2] or word)
        if path and os.path.isfile(path):
            yield os.path.abspath(path)
