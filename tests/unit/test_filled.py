# SPDX-License-Identifier: Apache-2.0
"""What of a core file is zeros is told rightly, whatever the file system keeps of its holes."""

from __future__ import annotations

import mmap
from pathlib import Path

from gdb_epi.target.corefile import PIECE, NonZeroRanges


def made(path: Path, size: int, parts: dict[int, bytes]) -> NonZeroRanges:
    with path.open("wb+") as file:
        file.truncate(size)
        for at, data in parts.items():
            file.seek(at)
            file.write(data)
        file.flush()
        return NonZeroRanges(str(path), mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ))


def covers(ranges: list[tuple[int, int]], at: int, size: int) -> bool:
    return any(low <= at and at + size <= high for low, high in ranges)


def test_everything_that_is_not_zero_is_covered_and_most_zeros_are_not(tmp_path: Path) -> None:
    size = 64 * PIECE
    parts = {3: b"a", 7 * PIECE - 2: b"abcd", 20 * PIECE + 5000: b"b", size - 1: b"c"}
    ranges = made(tmp_path / "core", size, parts).ranges(0, size)
    for at, data in parts.items():
        assert all(covers(ranges, at + n, 1) for n in range(len(data)))
    assert sum(high - low for low, high in ranges) <= 5 * PIECE
    assert ranges == sorted(ranges)
    assert covers(ranges, 7 * PIECE - 2, 4)  # pieces side by side are one range


def test_a_file_without_holes_gives_the_same(tmp_path: Path) -> None:
    size = 32 * PIECE
    parts = {PIECE * 9 + 100: b"x" * 10, PIECE * 30: b"y"}
    dense = {0: bytes(size), **parts}
    sparse = made(tmp_path / "sparse", size, parts).ranges(100, size - 100)
    full = made(tmp_path / "full", size, dense).ranges(100, size - 100)
    for record in (sparse, full):
        assert covers(record, PIECE * 9 + 100, 10)
        assert covers(record, PIECE * 30, 1)
        assert sum(high - low for low, high in record) <= 3 * PIECE


def test_a_file_that_was_replaced_says_nothing_of_holes(tmp_path: Path) -> None:
    path = tmp_path / "core"
    filled = made(path, 8 * PIECE, {0: b"first", 5 * PIECE: b"here"})
    path.unlink()
    with path.open("wb") as file:
        file.write(b"other")
        file.truncate(8 * PIECE)
    assert covers(filled.ranges(0, 8 * PIECE), 5 * PIECE, 4)


def test_nothing_but_zeros_is_no_range(tmp_path: Path) -> None:
    assert made(tmp_path / "core", 4 * PIECE, {}).ranges(0, 4 * PIECE) == []
