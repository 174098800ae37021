# SPDX-License-Identifier: Apache-2.0
"""Trampolines of `-X perf` (3.12 and later): code without a file between calls of the eval loop.

Each code object gets a copy of one small function, so that profilers see an address for it. The
copies say nothing that the Python frames beside them do not say.
Reference: CPython 3.12 Objects/asm_trampoline.S, Python/perf_trampoline.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.errors import UnreadableMemory
from gdb_epi.target.api import NativeFrame, Target

START, END = "_Py_trampoline_func_start", "_Py_trampoline_func_end"
MAX_SIZE = 64  # bytes; 11 to 15 in 3.12 to 3.15


def name_trampolines(target: Target, native: Sequence[NativeFrame]) -> Sequence[NativeFrame]:
    """Return the frames, those in copies of the trampoline with its name."""
    if all(one.function or one.module for one in native):
        return native
    code = _trampoline(target)
    if not code:
        return native
    return [
        one._replace(function=START)
        if not (one.function or one.module) and _lies_in_copy(target, one.pc, code)
        else one
        for one in native
    ]


def _trampoline(target: Target) -> bytes:
    start, end = target.symbol(START), target.symbol(END)
    if start is None or end is None or not 0 < end - start <= MAX_SIZE:
        return b""
    try:
        return target.read(start, end - start)
    except UnreadableMemory:
        return b""


def _lies_in_copy(target: Target, pc: int, code: bytes) -> bool:
    """Whether a copy begins less than its own size before an address, or at it."""
    start = pc - len(code)
    region = target.region_at(pc)
    if region is None:
        return False
    start = max(start, region.start)
    try:
        around = target.read(start, min(pc + len(code), region.end) - start)
    except UnreadableMemory:
        return False
    return code in around
