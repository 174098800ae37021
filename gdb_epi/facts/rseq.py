# SPDX-License-Identifier: Apache-2.0
"""The CPU that a thread last ran on, from the area that the kernel keeps for restartable sequences.

glibc registers it for every thread since 2.35 (sysdeps/unix/sysv/linux/rseq-internal.h) and exports
where it lies relative to the thread pointer. The kernel writes it on each return to user space
(kernel/rseq.c), so it is the CPU on which the thread ran last, wherever the dump was written.
"""

from __future__ import annotations

import struct

from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, UNREADABLE, Absent, UnreadableMemory
from gdb_epi.facts.symbols import exported
from gdb_epi.fault import read_word
from gdb_epi.lean import NamedTuple
from gdb_epi.target.api import DUMPED, Target, Thread
from gdb_epi.target.auxv import AT_RSEQ_FEATURE_SIZE

NODE_END = 24  # struct rseq: node_id is the word at 20, valid when the feature size covers it
MAX_CPU = 1 << 16
MAX_NODE = 1 << 12
MAX_OFFSET = 1 << 20  # bytes between the thread pointer and the area
_AREA = struct.Struct("<IIQII")  # cpu_id_start, cpu_id, rseq_cs, flags, node_id
_SIGN = 1 << 63


class LastCpu(NamedTuple):
    """The CPU number, and the NUMA node where the kernel tells it."""

    number: int
    node: int | None


def last_cpu(target: Target, thread: Thread) -> LastCpu | Absent:
    """Return the CPU of a thread's last return to user space.

    Absent before glibc 2.35, with other C libraries, when the area was never registered (a kernel
    or a tunable without rseq, a thread that glibc did not start), or when it is not dumped.
    """
    symbol = exported(target, "__rseq_offset")
    if symbol is None:
        return Absent(NOT_AVAILABLE, "no __rseq_offset: glibc before 2.35, or another C library")
    # ld.so writes the word at start; a file's copy of it holds 0, which is no offset.
    word = read_word(target, symbol)
    base = thread.registers.get("fs_base")
    if word is None or not base:
        return Absent(UNREADABLE, "the offset of the rseq area is not in the core")
    offset = word - (1 << 64) if word & _SIGN else word
    if not 0 < abs(offset) < MAX_OFFSET:
        return Absent(NOT_APPLICABLE, "glibc registered no rseq area")
    area = base + offset
    try:
        if target.provenance(area, _AREA.size) != DUMPED:
            return Absent(UNREADABLE, "the rseq area is not in the core")
        start, number, _, _, node = _AREA.unpack(target.read(area, _AREA.size))
    except UnreadableMemory:
        return Absent(UNREADABLE, "the rseq area is not in the core")
    if number >= MAX_CPU or start != number:  # -1, -2: not registered, or refused
        return Absent(NOT_APPLICABLE, "the thread's rseq area is not registered")
    knows_node = target.auxv().get(AT_RSEQ_FEATURE_SIZE, 0) >= NODE_END and node < MAX_NODE
    return LastCpu(number, node if knows_node else None)
