# SPDX-License-Identifier: Apache-2.0
"""Find 64-bit words in the dumped writable memory of a process."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.errors import UnreadableMemory
from gdb_epi.lean import NamedTuple
from gdb_epi.target.api import Target
from gdb_epi.target.memory import find_bytes

MAX_SEARCHED = 1 << 29  # bytes of one search; about a second at the speed of bytes.find
MAX_HITS = 64  # places reported of one word


class Hits(NamedTuple):
    """Where a word was found, ascending; `searched` bytes, `complete` unless a cap was hit."""

    addresses: tuple[int, ...]
    searched: int
    complete: bool


class WordSearch:
    """A search for one word in dumped, writable memory, of at most MAX_SEARCHED bytes.

    `searched` is how many it has looked at, `cut` whether there are more.
    """

    def __init__(self, target: Target, value: int) -> None:
        self._target, self._pattern = target, value.to_bytes(8, "little")
        self.searched = 0
        self.cut = False

    def addresses(self) -> Iterator[int]:
        """Yield the 8-aligned addresses that hold the word, ascending."""
        target, pattern = self._target, self._pattern
        needle = pattern.rstrip(b"\0") or pattern  # far faster than with the zero bytes at the end
        for region in target.regions():
            size = min(region.dumped, region.size, MAX_SEARCHED - self.searched)
            if "w" not in region.perms or region.dumped <= 0:
                continue
            if size <= 0:
                self.cut = True
                return
            self.searched += size
            for address in find_bytes(target, needle, region.start, region.start + size):
                if address % 8 == 0 and _is_word(target, address, pattern):
                    yield address


def find_word(target: Target, value: int, *, limit: int = MAX_HITS) -> Hits:
    """Return the 8-aligned addresses of a word in dumped, writable memory.

    The search stops after `limit` hits or MAX_SEARCHED bytes; `complete` says so.
    """
    search = WordSearch(target, value)
    hits: list[int] = []
    for address in search.addresses():
        hits.append(address)
        if len(hits) >= limit:
            return Hits(tuple(hits), search.searched, False)
    return Hits(tuple(hits), search.searched, not search.cut)


def _is_word(target: Target, address: int, pattern: bytes) -> bool:
    try:
        return target.read(address, 8) == pattern
    except UnreadableMemory:
        return False
