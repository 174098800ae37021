# SPDX-License-Identifier: Apache-2.0
"""Small made-up processes for tests of categories, detectors, locks and records."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from gdb_epi.errors import NOT_APPLICABLE, Absent
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import CrashInfo, Module, NativeFrame, ProcessInfo, Region, Thread
from support.fake_target import FakeTarget

PID = 1000
TEXT, TEXT_SIZE = 0x5555_5555_4000, 0x1000
HEAP, HEAP_SIZE = 0x5555_5600_0000, 0x4000
MMAP, MMAP_SIZE = 0x7F12_3456_0000, 0x4000
STACK, STACK_SIZE = 0x7FFC_1000_0000, 0x8000
SP = STACK + 0x4000
PC = TEXT + 0x100
FS_BASE = MMAP + 0x700
PATH = "/usr/bin/prog"


def regions(*extra: Region) -> list[Region]:
    """Return text (elided), heap, an anonymous mapping and a stack, all dumped but the text."""
    return [
        Region(TEXT, TEXT + TEXT_SIZE, "r-x", PATH, 0, 0),
        Region(HEAP, HEAP + HEAP_SIZE, "rw-", None, 0, HEAP_SIZE),
        Region(MMAP, MMAP + MMAP_SIZE, "rw-", None, 0, MMAP_SIZE),
        Region(STACK, STACK + STACK_SIZE, "rw-", None, 0, STACK_SIZE),
        *extra,
    ]


def crash(
    signo: int = 11, code: int | None = 1, address: int | None = None, sender: int | None = None
) -> CrashInfo:
    return CrashInfo(signo, code, 0, address, sender, 0 if sender else None, PID)


def state(
    died: CrashInfo | None = None,
    *,
    registers: Mapping[str, int] | None = None,
    code: bytes = b"",
    words: Mapping[int, int] | None = None,
    extra_regions: Sequence[Region] = (),
    extra_memory: Mapping[int, bytes] | None = None,
    native: Sequence[NativeFrame] | None = None,
    threads: Sequence[Thread] | None = None,
    symbols: Mapping[str, int] | None = None,
    psargs: str = "prog",
    python: Any = None,
    ppid: int = 1,
) -> ProcessState:
    """Return the state of a process with one thread; `words` are written into its memory."""
    held = {"rip": PC, "rsp": SP, "fs_base": FS_BASE, **(registers or {})}
    target = FakeTarget(
        regions=regions(*extra_regions),
        memory={
            TEXT: bytes(TEXT_SIZE),
            HEAP: bytes(HEAP_SIZE),
            MMAP: bytes(MMAP_SIZE),
            STACK: bytes(STACK_SIZE),
            **(extra_memory or {}),
        },
        threads=threads if threads is not None else [Thread(PID, held, "prog")],
        crash=died,
        process=ProcessInfo(PID, ppid, 0, "prog", psargs),
        modules=[Module(PATH, TEXT, TEXT, TEXT + TEXT_SIZE, "cd" * 20, PATH)],
        symbols=symbols,
        native=None if native is None else {PID: native},
        core_key="0" * 32,
    )
    if code:
        target.write(held["rip"], code)
    for address, word in (words or {}).items():
        target.write(address, struct.pack("<Q", word))
    made = ProcessState(target)
    made.python = python if python is not None else Absent(NOT_APPLICABLE, "no CPython")
    return made


def frame(function: str | None, pc: int = PC, kind: str = "normal") -> NativeFrame:
    return NativeFrame(pc, SP, function, PATH, "cd" * 20, 0x100, None, None, False, kind)
