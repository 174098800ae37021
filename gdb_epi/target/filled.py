# SPDX-License-Identifier: Apache-2.0
"""Which parts of a core file hold anything but zeros.

Free-threaded builds reserve a gigabyte for mimalloc, thread stacks and big arrays are mostly
untouched: the kernel leaves holes in the file for such pages (dump_skip, fs/coredump.c), and
searching their zeros costs more than a second. A copied core may have lost its holes, so pieces
are looked at too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from gdb_epi.lean import TYPE_CHECKING

if TYPE_CHECKING:
    import mmap

PIECE = 1 << 17  # bytes that are told to be all zero, or not
PAGE = 4096  # of a piece, that is looked at first
_ZEROS = bytes(PIECE)


class Filled:
    """The parts of a core file that are not all zero; each window is looked at once."""

    def __init__(self, path: str, data: mmap.mmap) -> None:
        self._path = path
        self._data = data
        self._windows: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def ranges(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return (low, high) file offsets in [start, end), ascending; the rest is zeros."""
        found = self._windows.get((start, end))
        if found is None:
            found = self._windows[start, end] = list(self._look(start, end))
        return found

    def _look(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        low = high = start
        for first, last in self._data_extents(start, end):
            for at in range(first, last, PIECE):
                stop = min(at + PIECE, last)
                if self._is_zero(at, stop):
                    continue
                if at != high and high > low:
                    yield low, high
                if at != high or high == low:
                    low = at
                high = stop
        if high > low:
            yield low, high

    def _is_zero(self, start: int, end: int) -> bool:
        head = min(start + PAGE, end)
        if self._data[start:head] != _ZEROS[: head - start]:
            return False
        return self._data[head:end] == _ZEROS[: end - head]

    def _data_extents(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield what is no hole of the file; all of it where holes cannot be told.

        A core that was decompressed in memory has a file of another size or content.
        """
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            yield start, end
            return
        try:
            same = os.fstat(descriptor).st_size == len(self._data)
            if not same or os.pread(descriptor, PAGE, 0) != self._data[:PAGE]:
                yield start, end
                return
            yield from _extents(descriptor, start, end)
        finally:
            os.close(descriptor)


def _extents(descriptor: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    while at < end:
        try:
            low = max(at, os.lseek(descriptor, at, os.SEEK_DATA))
        except OSError:  # ENXIO: nothing but a hole up to the end of the file
            return
        if low >= end:
            return
        try:
            high = min(end, os.lseek(descriptor, low, os.SEEK_HOLE))
        except OSError:
            high = end
        yield low, max(high, low + 1)
        at = max(high, low + 1)
