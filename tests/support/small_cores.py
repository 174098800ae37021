# SPDX-License-Identifier: Apache-2.0
"""Core files of a megabyte or less, written from the recordings in tests/data/snapshots.

They hold the recorded pages, registers and notes of real processes and nothing else, so that many
thousands of runs over them are cheap. A shift of the pid makes another process of one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from gdb_epi.errors import Absent
from gdb_epi.machine.x86_64 import X86_64
from gdb_epi.sizes import PAGE
from gdb_epi.target import core_notes, elf
from gdb_epi.target.api import DUMPED
from support.snapshot import SnapshotTarget

SNAPSHOTS = Path(__file__).resolve().parents[1] / "data" / "snapshots"
_PRSTATUS_SIZE = 336


def small_cores() -> dict[str, bytes]:
    """Return the cores of the recordings of one program, by name."""
    paths = sorted(SNAPSHOTS.glob("*-generators.json.xz"))
    return {path.name.split(".json")[0]: core_of(SnapshotTarget.load(path)) for path in paths}


def core_of(snapshot: SnapshotTarget, *, pid_shift: int = 0, memory: bool = True) -> bytes:
    """Return the core file of a recorded process; its pids are moved by `pid_shift`.

    Without memory it has headers and notes only, as a core that a full disk has cut.
    """
    loads = [(*load[:3], load[3] if memory else b"") for load in _loads(snapshot)]
    note_bytes = _notes(snapshot, pid_shift)
    table_size = elf.PHDR.size * (1 + len(loads))
    note_at = elf.EHDR.size + table_size
    at = _up(note_at + len(note_bytes))
    heads = [elf.PHDR.pack(elf.PT_NOTE, 0, note_at, 0, 0, len(note_bytes), 0, 4)]
    for start, size, flags, content in loads:
        heads.append(elf.PHDR.pack(elf.PT_LOAD, flags, at, start, 0, len(content), size, PAGE))
        at += _up(len(content))
    ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    header = elf.EHDR.pack(
        ident, elf.ET_CORE, X86_64.number, 1, 0, elf.EHDR.size, 0, 0, elf.EHDR.size,
        elf.PHDR.size, len(heads), 0, 0, 0,
    )  # fmt: skip
    body = b"".join(content.ljust(_up(len(content)), b"\0") for *_, content in loads)
    return (header + b"".join(heads) + note_bytes).ljust(
        _up(note_at + len(note_bytes)), b"\0"
    ) + body


def _up(size: int) -> int:
    return -(-size // PAGE) * PAGE


def _loads(snapshot: SnapshotTarget) -> Iterator[tuple[int, int, int, bytes]]:
    """Yield (start, size, flags, bytes) of each run of recorded pages and of what lies between."""
    pages = snapshot._pages
    for region in snapshot.regions():
        flags = 4 * ("r" in region.perms) | 2 * ("w" in region.perms) | ("x" in region.perms)
        run_start, content = region.start, b""
        for page in range(region.start & -PAGE, region.end, PAGE) if region.size < 1 << 32 else ():
            held, provenance = pages.get(page, (b"", ""))
            if provenance == DUMPED and len(held) == PAGE:
                if not content and page > run_start:
                    yield run_start, page - run_start, flags, b""
                    run_start = page
                content += held
            elif content:
                yield run_start, page - run_start, flags, content
                run_start, content = page, b""
        if region.end > run_start:
            yield run_start, region.end - run_start, flags, content


def _notes(snapshot: SnapshotTarget, pid_shift: int) -> bytes:
    crash, process = snapshot.crash(), snapshot.process()
    assert not isinstance(crash, Absent) and not isinstance(process, Absent)
    parts = []
    for number, thread in enumerate(snapshot.threads()):
        status = bytearray(_PRSTATUS_SIZE)
        struct.pack_into("<iiiH", status, 0, crash.signo, 0, 0, crash.signo)
        struct.pack_into("<i", status, 32, thread.tid + pid_shift)
        values = [thread.registers.get(name, 0) for name in X86_64.registers]
        struct.pack_into("<27Q", status, 112, *values)
        parts.append(_note(b"CORE", core_notes.NT_PRSTATUS, bytes(status)))
        if number == 0:
            info = struct.pack(
                "<4B4xQIIiiii16s80s", 0, ord("R"), 0, 0, 0, process.uid, process.uid,
                process.pid + pid_shift, process.ppid, 0, 0,
                process.comm.encode(), process.psargs.encode(),
            )  # fmt: skip
            parts.append(_note(b"CORE", core_notes.NT_PRPSINFO, info))
            signal = bytearray(128)
            struct.pack_into(
                "<iii", signal, 0, crash.signo, crash.si_errno or 0, crash.si_code or 0
            )
            if crash.fault_address is not None:
                struct.pack_into("<Q", signal, 16, crash.fault_address)
            else:
                sender = (crash.sender_pid or 0) + pid_shift
                struct.pack_into("<iI", signal, 16, sender, crash.sender_uid or 0)
            parts.append(_note(b"CORE", core_notes.NT_SIGINFO, bytes(signal)))
            auxv = b"".join(struct.pack("<QQ", *pair) for pair in snapshot.auxv().items())
            parts.append(_note(b"CORE", core_notes.NT_AUXV, auxv))
            parts.append(_note(b"CORE", core_notes.NT_FILE, _files(snapshot)))
    return b"".join(parts)


def _files(snapshot: SnapshotTarget) -> bytes:
    named = [region for region in snapshot.regions() if region.path]
    table = b"".join(
        struct.pack("<QQQ", region.start, region.end, region.file_offset // PAGE)
        for region in named
    )
    names = b"".join(str(region.path).encode() + b"\0" for region in named)
    return struct.pack("<QQ", len(named), PAGE) + table + names


def _note(name: bytes, kind: int, desc: bytes) -> bytes:
    name += b"\0"
    head = struct.pack("<III", len(name), len(desc), kind)
    return (
        head + name.ljust(-(-len(name) // 4) * 4, b"\0") + desc.ljust(-(-len(desc) // 4) * 4, b"\0")
    )
