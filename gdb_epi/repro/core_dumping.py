# SPDX-License-Identifier: Apache-2.0
"""Where the kernel of this machine writes core files, and which of them belong to a run.

core(5): the pattern is a file name, relative to the folder of the dying process, or a pipe. The
kernel adds `.PID` when core_uses_pid is 1 and the pattern has no %p.
"""

from __future__ import annotations

import os
import resource
import struct
from collections.abc import Iterator

from gdb_epi.target.elf import parse_header, read_notes, read_segments
from gdb_epi.typing_lite import NamedTuple

CORE_PATTERN = "/proc/sys/kernel/core_pattern"
CORE_USES_PID = "/proc/sys/kernel/core_uses_pid"
NT_PRPSINFO = 3
_PIDS_OFFSET = 24  # of pr_pid, pr_ppid, pr_pgrp, pr_sid in elf_prpsinfo, x86-64 (linux/elfcore.h)
_PT_NOTE = 4
MAX_NOTES = 16 << 20  # bytes of a core that are read for its notes
MAX_CANDIDATES = 64  # files of one folder that are examined


class CoreDumping(NamedTuple):
    """How the kernel of this machine dumps cores; `why_not` says why it writes no files."""

    writes_files: bool
    folder: str | None  # None: the folder of the process
    prefix: str  # what the file names begin with, up to the first % of the pattern
    overwrites: bool  # two processes in one folder would write the same file
    why_not: str


class DumpedProcess(NamedTuple):
    """The process of which a file is the core: its pid, its parent's, and its session."""

    pid: int
    parent: int
    session: int


def read_core_dumping(pattern: str | None = None, uses_pid: str | None = None) -> CoreDumping:
    """Return how this machine dumps cores; the contents of the files in /proc may be given."""
    text = _read(CORE_PATTERN) if pattern is None else pattern
    with_pid = (_read(CORE_USES_PID) if uses_pid is None else uses_pid) == "1" or "%p" in (
        text or ""
    )
    folder, name = os.path.split(text or "")
    why_not = ""
    if text is None:
        why_not = f"{CORE_PATTERN} cannot be read"
    elif text.startswith("|"):
        why_not = f"core_pattern is a pipe to {text[1:].split(' ')[0]}"
    elif not text:
        why_not = "core_pattern is empty"
    elif resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        why_not = "the hard limit of core sizes is 0 (ulimit -Hc)"
    elif "%" in folder or (folder and not folder.startswith("/")):
        why_not = f"core_pattern {text} names a folder by %"
    if why_not:
        return CoreDumping(False, None, "", False, why_not)
    return CoreDumping(True, folder or None, name.split("%")[0], not with_pid, "")


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read().strip()
    except OSError:
        return None


def find_cores_since(
    dumping: CoreDumping, folder: str, since: float
) -> Iterator[tuple[str, DumpedProcess]]:
    """Yield the cores that any process left since a time (seconds of the epoch), and whose."""
    place = dumping.folder or folder
    try:
        names = sorted(n for n in os.listdir(place) if n.startswith(dumping.prefix))
    except OSError:
        return
    paths = [os.path.join(place, name) for name in names]
    for path in [path for path in paths if modification_time(path) >= since - 1][:MAX_CANDIDATES]:
        if (origin := read_dumped_process(path)) is not None:
            yield path, origin


def find_session_cores(dumping: CoreDumping, folder: str, session: int, since: float) -> list[str]:
    """Return the cores that processes of a session left since a time (seconds of the epoch)."""
    recent = find_cores_since(dumping, folder, since)
    return [path for path, origin in recent if origin.session == session]


def find_core_to_be_overwritten(dumping: CoreDumping, folder: str) -> str | None:
    """Return the file that the next core would overwrite, None when there is none."""
    if not dumping.writes_files or not dumping.overwrites:
        return None
    path = os.path.join(dumping.folder or folder, dumping.prefix)
    return path if os.path.exists(path) else None


def modification_time(path: str) -> float:
    """Return when a file was changed (seconds of the epoch); 0 when it is gone."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def read_dumped_process(path: str) -> DumpedProcess | None:
    """Return the process whose core this is; None for another file."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(1 << 16)
            header = parse_header(head)
            if header is None:
                return None
            for segment in read_segments(head, header):
                if segment.type == _PT_NOTE:
                    stream.seek(segment.offset)
                    return _dumped_process_in_notes(stream.read(min(segment.filesz, MAX_NOTES)))
    except OSError:
        return None
    return None


def _dumped_process_in_notes(raw: bytes) -> DumpedProcess | None:
    for note in read_notes(raw):
        is_process_info = note.type == NT_PRPSINFO and note.name == b"CORE"
        if is_process_info and len(note.desc) >= _PIDS_OFFSET + 16:
            pid, parent, _, session = struct.unpack_from("<4i", note.desc, _PIDS_OFFSET)
            return DumpedProcess(pid, parent, session)
    return None
