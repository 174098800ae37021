# SPDX-License-Identifier: Apache-2.0
"""The few facts of an x86-64 ELF core that make.py and check.py need, read with `struct` alone.

Deliberately apart from gdb_epi: the expectations must not come from the code under test.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from typing import NamedTuple

PT_LOAD, PT_NOTE = 1, 4
NT_PRSTATUS, NT_PRPSINFO, NT_SIGINFO, NT_FILE = 1, 3, 0x53494749, 0x46494C45
PRSTATUS_PID, PRSTATUS_REGISTERS = 32, 112
PRPSINFO_PID = 24
REGISTERS = (
    "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss"
    " fs_base gs_base"
).split()


class ThreadNote(NamedTuple):
    """One NT_PRSTATUS."""

    tid: int
    registers: dict[str, int]


class CoreNotes(NamedTuple):
    """What the notes say; threads in the kernel's order, the dying one first."""

    signo: int
    si_code: int
    fault_address: int
    sender_pid: int
    pid: int
    ppid: int
    threads: list[ThreadNote]
    files: list[str]
    core_key: str


def hexa(address: int) -> str:
    """Write an address as the project's JSON does."""
    return f"0x{address:016x}"


def iter_headers(core: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield (type, address, bytes in the file, file offset) of every program header."""
    (table,) = struct.unpack_from("<Q", core, 32)
    size, count = struct.unpack_from("<HH", core, 54)
    for index in range(count):
        kind, _, offset, address, _, length = struct.unpack_from(
            "<IIQQQQ", core, table + index * size
        )
        yield kind, address, length, offset


def iter_segments(core: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield (address, bytes in the file, file offset) of every memory segment."""
    return (header[1:] for header in iter_headers(core) if header[0] == PT_LOAD)


def note_segment(core: bytes) -> bytes:
    """Return the bytes of the PT_NOTE segment."""
    for kind, _, length, offset in iter_headers(core):
        if kind == PT_NOTE:
            return core[offset : offset + length]
    raise SystemExit("no PT_NOTE segment: not a core")


def iter_notes(segment: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (type, descriptor) of every note."""
    at = 0
    while at + 12 <= len(segment):
        name_size, size, kind = struct.unpack_from("<III", segment, at)
        start = at + 12 + (name_size + 3 & ~3)
        yield kind, segment[start : start + size]
        at = start + (size + 3 & ~3)


def read_thread(descriptor: bytes) -> ThreadNote:
    """Decode struct elf_prstatus."""
    (tid,) = struct.unpack_from("<i", descriptor, PRSTATUS_PID)
    values = struct.unpack_from(f"<{len(REGISTERS)}Q", descriptor, PRSTATUS_REGISTERS)
    return ThreadNote(tid, dict(zip(REGISTERS, values)))


def read_files(descriptor: bytes) -> list[str]:
    """Return the paths of NT_FILE, each once, sorted."""
    (count,) = struct.unpack_from("<Q", descriptor)
    names = descriptor[16 + 24 * count :].split(b"\0")
    return sorted({name.decode() for name in names if name})


def read(core: bytes) -> CoreNotes:
    """Read the notes of a core."""
    segment = note_segment(core)
    notes = list(iter_notes(segment))
    threads = [read_thread(data) for kind, data in notes if kind == NT_PRSTATUS]
    siginfo = next(data for kind, data in notes if kind == NT_SIGINFO)
    psinfo = next(data for kind, data in notes if kind == NT_PRPSINFO)
    files = read_files(next(data for kind, data in notes if kind == NT_FILE))
    signo, _, si_code = struct.unpack_from("<iii", siginfo)
    (fault_address,) = struct.unpack_from("<Q", siginfo, 16)
    (sender_pid,) = struct.unpack_from("<i", siginfo, 16)
    pid, ppid = struct.unpack_from("<ii", psinfo, PRPSINFO_PID)
    key = hashlib.sha256(segment).hexdigest()[:32]
    return CoreNotes(signo, si_code, fault_address, sender_pid, pid, ppid, threads, files, key)
