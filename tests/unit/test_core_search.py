# SPDX-License-Identifier: Apache-2.0
"""Searches in a core's file: the same places as bytes.find, and no file kept in memory."""

from __future__ import annotations

import mmap
import random
from pathlib import Path

import pytest

from gdb_epi.target import elf
from gdb_epi.target.corefile import MAX_LOOKED_AT, WINDOW, CoreFileTarget
from gdb_epi.target.mapped_bytes import (
    WORTH_A_PATTERN,
    WORTH_AN_IMPORT,
    MappedBytes,
    find_first_by_re,
)
from gdb_epi.target.memory_search import find_word, find_words

START = 0x7F0000000000
SIZE = MAX_LOOKED_AT + 2 * WINDOW
WORD = 0x00007F12345678A0
EM_X86_64 = 62  # elf.h


@pytest.mark.parametrize(
    "needle", [b"ab", b"\0\0ab", b"\0\0\0", b"b\0\0", b".*", b"\n\0", b"a\0\0b"]
)
def test_places_are_those_of_bytes_find(needle: bytes) -> None:
    size = 2 * WORTH_A_PATTERN
    chosen = random.Random(needle)
    data = mmap.mmap(-1, size)
    for _ in range(200):
        at = chosen.randrange(size - 8)
        data[at : at + 4] = bytes(chosen.choices(b"\0\0ab.*\n", k=4))
    text = data[:]
    by_pattern, by_memmem = MappedBytes(data), MappedBytes(data)
    by_memmem.searched = WORTH_AN_IMPORT
    for low, high in ((0, size), (17, size - 3), (size // 2, size // 2 + 100), (7, 2 * size)):
        at = low
        while at >= 0:
            right = text.find(needle, at, high)
            assert find_first_by_re(data, needle, at, high) == right
            assert by_pattern.find(needle, at, high) == by_memmem.find(needle, at, high) == right
            at = text.find(needle, at + 1 + size // 50, high)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> CoreFileTarget:
    """A core of one mapping that nothing leaves out: 96 MB, with a word at ends of windows."""
    path = tmp_path_factory.mktemp("large") / "core"
    at = 4096  # of the mapping in the file
    head = elf.EHDR.pack(
        b"\x7fELF\x02\x01\x01" + bytes(9), elf.ET_CORE, EM_X86_64, 1, 0, 64, 0, 0, 64, 56, 1,
        0, 0, 0,
    )  # fmt: skip
    load = elf.PHDR.pack(elf.PT_LOAD, 6, at, START, 0, SIZE, SIZE, 4096)
    with path.open("wb") as file:
        file.write((head + load).ljust(at, b"\0"))
        for _ in range(SIZE // WINDOW):
            file.write(b"\x11" * (WINDOW - 8) + WORD.to_bytes(8, "little"))
    return CoreFileTarget.open(path)


def test_words_are_found_at_the_ends_of_windows(large: CoreFileTarget) -> None:
    places = tuple(START + end - 8 for end in range(WINDOW, SIZE + 1, WINDOW))
    assert find_word(large, WORD).addresses == places
    assert find_word(large, WORD << 8 & (1 << 64) - 1).addresses == ()  # not at odd places
    both = find_words(large, [WORD, WORD + 1, 5], 4)
    assert both == {WORD: places[:4], WORD + 1: (), 5: ()}
    lower = WORD & 0xFFFFFFFF
    assert find_word(large, lower).addresses == ()  # no word without an upper half
    of_a_byte = find_words(large, [lower + n for n in range(8)], 4)  # searched for as bytes
    assert not any(of_a_byte.values())
    filling = 0x11111111  # half of nearly every word
    assert find_word(large, filling).addresses == ()
    assert len(find_word(large, filling << 32 | filling, limit=3).addresses) == 3


def test_words_of_mappings_side_by_side_are_told_apart(tmp_path: Path) -> None:
    """Of the file's pages: writable, read-only, writable and far away, one that is not aligned."""
    word = WORD.to_bytes(8, "little")
    pages = [0, 0x1000, 0x100000, 0x200000]
    offsets = [0x1000, 0x2000, 0x3000, 0x4003]
    head = elf.EHDR.pack(
        b"\x7fELF\x02\x01\x01" + bytes(9), elf.ET_CORE, EM_X86_64, 1, 0, 64, 0, 0, 64, 56, 4,
        0, 0, 0,
    )  # fmt: skip
    for flags, page, offset in zip((6, 4, 6, 6), pages, offsets, strict=True):
        head += elf.PHDR.pack(elf.PT_LOAD, flags, offset, START + page, 0, 4096, 4096, 1)
    held = [[0, 4088], [8], [0, 16, 4084], [24, 35]]  # 4084, 35: no multiples of 8
    data = bytearray(b"\x11" * 0x5003)
    data[: len(head)] = head
    for offset, places in zip(offsets, held, strict=True):
        for at in places:
            data[offset + at : offset + at + 8] = word
    path = tmp_path / "core"
    path.write_bytes(data)
    right = [START, START + 4088, *(START + 0x100000 + at for at in (0, 16)), START + 0x200018]
    target = CoreFileTarget.open(path)
    assert find_word(target, WORD).addresses == tuple(right)
    assert find_word(target, WORD, limit=3) == (tuple(right[:3]), False)
    ranges = [(START + page, START + page + 4096) for page in (0, 0x100000, 0x200000)]
    first_of_each = [right[0], right[2], right[4]]
    assert list(target.word_places(word, ranges, 1)) == first_of_each


def test_what_was_searched_does_not_stay_in_memory(
    large: CoreFileTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resident() -> int:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("RssFile:")[2].split()[0]) << 10

    monkeypatch.setattr("gdb_epi.target.corefile.MAX_LOOKED_AT", WINDOW)
    fresh = CoreFileTarget.open(large.path)
    before = resident()
    assert find_word(fresh, WORD ^ 1 << 40).addresses == ()
    assert resident() - before <= 3 * WINDOW < SIZE
