# SPDX-License-Identifier: Apache-2.0
"""Find 64-bit words in the dumped writable memory of a process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gdb_epi.errors import UnreadableMemory
from gdb_epi.target.api import Target

CHUNK = 1 << 20  # bytes read at once
MAX_SEARCHED = 1 << 29  # bytes of one search; about a second at the speed of bytes.find
MAX_HITS = 64  # places reported of one word


class Hits(NamedTuple):
    """Where a word was found, ascending; `searched` bytes, `complete` unless a cap was hit."""

    addresses: tuple[int, ...]
    searched: int
    complete: bool


def find_word(target: Target, value: int, *, limit: int = MAX_HITS) -> Hits:
    """Return the 8-aligned addresses of a word in dumped, writable memory.

    The search stops after `limit` hits or MAX_SEARCHED bytes; `complete` says so.
    """
    pattern = value.to_bytes(8, "little")
    hits: list[int] = []
    searched = 0
    for start, data in _chunks(target):
        if searched >= MAX_SEARCHED:
            return Hits(tuple(hits), searched, False)
        searched += len(data)
        for offset in _aligned(data, pattern):
            hits.append(start + offset)
            if len(hits) >= limit:
                return Hits(tuple(hits), searched, False)
    return Hits(tuple(hits), searched, True)


def _chunks(target: Target) -> Iterator[tuple[int, bytes]]:
    for region in target.regions():
        if "w" not in region.perms:
            continue
        end = region.start + min(region.dumped, region.size)
        for start in range(region.start, end, CHUNK):
            try:
                yield start, target.read(start, min(CHUNK, end - start))
            except UnreadableMemory:
                continue


def _aligned(data: bytes, pattern: bytes) -> Iterator[int]:
    """Yield aligned offsets; searching without the zero bytes at the end is far faster."""
    needle = pattern.rstrip(b"\0") or pattern
    at = data.find(needle)
    while at >= 0:
        if at % 8 == 0 and data[at : at + 8] == pattern:
            yield at
        at = data.find(needle, at + 1)
