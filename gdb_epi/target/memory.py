# SPDX-License-Identifier: Apache-2.0
"""Scans over a target's memory."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.errors import UnreadableMemory
from gdb_epi.target.api import Target

CHUNK = 16 << 20
MAX_HITS = 10_000


def find_bytes(target: Target, needle: bytes, start: int, end: int) -> Iterator[int]:
    """Yield the addresses in [start, end) at which `needle` stands.

    A target may have a method `find(needle, start, end) -> address | None` of its own that copies
    nothing (a core file is searched in place); others are read in chunks.
    """
    search = getattr(target, "find", None)
    for _ in range(MAX_HITS):
        address = search(needle, start, end) if search else _find(target, needle, start, end)
        if address is None:
            return
        yield address
        start = address + 1


def _find(target: Target, needle: bytes, start: int, end: int) -> int | None:
    overlap = len(needle) - 1
    while start < end:
        size = min(CHUNK + overlap, end - start)
        try:
            at = target.read(start, size).find(needle)
        except UnreadableMemory:
            at = -1
        if at >= 0:
            return start + at
        start += CHUNK
    return None
