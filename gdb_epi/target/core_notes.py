# SPDX-License-Identifier: Apache-2.0
"""The notes of a Linux core: threads, signal, process, mapped files, auxv.

All 64-bit machines share their layout but for the registers.
Reference: linux fs/binfmt_elf.c, include/linux/elfcore.h, arch/arm64/kernel/ptrace.c (6.x).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, UNPARSABLE, Absent, SoftError
from gdb_epi.machine import X86_64, Architecture
from gdb_epi.sizes import WORD, WORD_MASK
from gdb_epi.target.api import CrashInfo, ProcessInfo, Thread
from gdb_epi.target.elf import Note
from gdb_epi.typing_lite import NamedTuple

NT_PRSTATUS, NT_PRFPREG, NT_PRPSINFO, NT_AUXV = 1, 2, 3, 6
NT_SIGINFO, NT_FILE = 0x53494749, 0x46494C45

NT_ARM_TLS, NT_ARM_SYSTEM_CALL = 0x401, 0x404  # of owner "LINUX", after the thread's NT_PRSTATUS

_PRSTATUS_BLOCKED, _PRSTATUS_PID, _PRSTATUS_REGS = 24, 32, 112  # pr_sighold, ...
# SDM, FXSAVE: its size, where xmm0 is in it, and the low halves of 16 registers.
_FXSAVE, _XMM, _LOW_HALVES = 512, 160, struct.Struct("<" + "Q8x" * 16)
_PRSTATUS_TIMES, _TIMES = 48, struct.Struct("<4q")  # pr_utime, pr_stime: struct timeval
_MAX_SECONDS = 10**10
_PRPSINFO = struct.Struct("<4B4xQIIiiii16s80s")

MAX_THREADS = 1_000_000
MAX_MAPPED_FILES = 1_000_000
MAX_AUXV = 4096

# Signals whose default action dumps core (signal(7)); any other one in a core means that a
# debugger took a snapshot.
CORE_SIGNALS = frozenset({3, 4, 5, 6, 7, 8, 11, 24, 25, 31})
# Fault signals carry si_addr; SI_USER and friends carry the sender instead.
FAULT_SIGNALS = frozenset({4, 5, 7, 8, 11})
# Registers that a machine writes into notes of their own: their names, and how they are packed.
_SINGLE_REGISTERS = {NT_ARM_TLS: ("tpidr", "<Q"), NT_ARM_SYSTEM_CALL: ("syscall", "<i")}


class MappedFile(NamedTuple):
    """One entry of NT_FILE; `offset` is in bytes."""

    start: int
    end: int
    offset: int
    path: str


class CoreNotes(NamedTuple):
    """Everything the notes say."""

    threads: tuple[Thread, ...]
    crash: CrashInfo | Absent
    process: ProcessInfo | Absent
    files: tuple[MappedFile, ...]
    auxv: dict[int, int]
    soft_errors: tuple[SoftError, ...]


def decode_notes(all_notes: Iterable[Note], architecture: Architecture = X86_64) -> CoreNotes:
    """Decode the notes of a core; what is malformed becomes a SoftError."""
    threads: list[Thread] = []
    errors: list[SoftError] = []
    siginfo: bytes | None = None
    process: ProcessInfo | Absent = Absent(NOT_AVAILABLE, "the core has no NT_PRPSINFO note")
    files: list[MappedFile] = []
    auxv: dict[int, int] = {}
    cursig = 0
    for note in all_notes:
        if note.type == NT_PRSTATUS and note.name == b"CORE":
            if len(threads) >= MAX_THREADS:
                errors.append(SoftError("notes", "NT_PRSTATUS", f"stopped at {MAX_THREADS}"))
                break
            thread = _decode_prstatus(note.desc, architecture)
            if isinstance(thread, Absent):
                errors.append(SoftError("notes", "NT_PRSTATUS", thread.detail))
                continue
            if not threads:
                cursig = struct.unpack_from("<H", note.desc, 12)[0]
            threads.append(thread)
        elif note.name == b"LINUX" and threads and note.type in _SINGLE_REGISTERS:
            threads[-1] = _add_register(threads[-1], note)
        elif note.type == NT_PRFPREG and note.name == b"CORE" and threads:
            if architecture is X86_64 and len(note.desc) == _FXSAVE:
                threads[-1] = threads[-1]._replace(vectors=_LOW_HALVES.unpack_from(note.desc, _XMM))
        elif note.type == NT_SIGINFO and siginfo is None:
            siginfo = note.desc
        elif note.type == NT_PRPSINFO and note.name == b"CORE":
            process = _decode_prpsinfo(note.desc)
        elif note.type == NT_FILE:
            files, problem = _decode_nt_file(note.desc)
            errors += [SoftError("notes", "NT_FILE", problem)] if problem else []
        elif note.type == NT_AUXV:
            whole = min(len(note.desc), MAX_AUXV) // 16 * 16
            auxv = dict(struct.iter_unpack("<QQ", note.desc[:whole]))
    crash = _crash_info(siginfo, cursig, threads)
    return CoreNotes(tuple(threads), crash, process, tuple(files), auxv, tuple(errors))


def _decode_prstatus(desc: bytes, architecture: Architecture) -> Thread | Absent:
    count = len(architecture.registers)
    if len(desc) < _PRSTATUS_REGS + WORD * count:
        return Absent(UNPARSABLE, f"{len(desc)} bytes is too short for {architecture.name}")
    tid = struct.unpack_from("<i", desc, _PRSTATUS_PID)[0]
    values = struct.unpack_from(f"<{count}Q", desc, _PRSTATUS_REGS)
    registers = dict(zip(architecture.registers, values, strict=True))
    blocked = struct.unpack_from("<Q", desc, _PRSTATUS_BLOCKED)[0]
    return Thread(tid, registers, None, _decode_cpu_times(desc), architecture, blocked)


def _add_register(thread: Thread, note: Note) -> Thread:
    name, packed = _SINGLE_REGISTERS[note.type]
    if len(note.desc) < struct.calcsize(packed):
        return thread
    value = struct.unpack_from(packed, note.desc)[0] & WORD_MASK
    return thread._replace(registers={**thread.registers, name: value})


def _decode_cpu_times(desc: bytes) -> tuple[float, float] | None:
    user, user_micro, kernel, kernel_micro = _TIMES.unpack_from(desc, _PRSTATUS_TIMES)
    for seconds, micro in ((user, user_micro), (kernel, kernel_micro)):
        if not (0 <= seconds < _MAX_SECONDS and 0 <= micro < 10**6):
            return None
    return round(user + user_micro / 1e6, 6), round(kernel + kernel_micro / 1e6, 6)


def _decode_c_string(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")


def _decode_prpsinfo(desc: bytes) -> ProcessInfo | Absent:
    if len(desc) < _PRPSINFO.size:
        return Absent(UNPARSABLE, f"NT_PRPSINFO of {len(desc)} bytes")
    *_, uid, _gid, pid, ppid, _pgrp, _sid, fname, psargs = _PRPSINFO.unpack_from(desc)
    return ProcessInfo(
        pid, ppid, uid, _decode_c_string(fname), _decode_c_string(psargs).rstrip(" ")
    )


def _crash_info(siginfo: bytes | None, cursig: int, threads: list[Thread]) -> CrashInfo | Absent:
    if not threads:
        return Absent(NOT_AVAILABLE, "the core has no NT_PRSTATUS note")
    tid = threads[0].tid
    if siginfo is None or len(siginfo) < 24:
        if cursig in CORE_SIGNALS:
            return CrashInfo(cursig, None, None, None, None, None, tid)
        return Absent(NOT_APPLICABLE, "no NT_SIGINFO: a snapshot (gcore), not a crash")
    signo, errno, code = struct.unpack_from("<iii", siginfo)
    if signo not in CORE_SIGNALS:
        return Absent(NOT_APPLICABLE, "a snapshot of a process that ran on")
    address: int | None = None
    pid: int | None = None
    uid: int | None = None
    if code <= 0:  # SI_USER, SI_TKILL, SI_QUEUE: sent by a process
        pid, uid = struct.unpack_from("<iI", siginfo, 16)
    elif signo in FAULT_SIGNALS:
        address = struct.unpack_from("<Q", siginfo, 16)[0]
    return CrashInfo(signo, code, errno, address, pid, uid, tid)


def _decode_nt_file(desc: bytes) -> tuple[list[MappedFile], str]:
    if len(desc) < 16:
        return [], "too short"
    count, page = struct.unpack_from("<QQ", desc)
    names_at = 16 + 24 * count
    if count > MAX_MAPPED_FILES or names_at > len(desc):
        return [], f"{count} mapped files do not fit into {len(desc)} bytes"
    names = desc[names_at:].split(b"\0")
    entries = [
        MappedFile(start, end, offset * page, name.decode("utf-8", "surrogateescape"))
        for (start, end, offset), name in zip(
            struct.iter_unpack("<QQQ", desc[16:names_at]), names, strict=False
        )
        if start < end
    ]
    problem = "" if len(entries) == count else f"{count - len(entries)} entries are damaged"
    return sorted(entries), problem
