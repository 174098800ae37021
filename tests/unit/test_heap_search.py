# SPDX-License-Identifier: Apache-2.0
"""Words in memory, several at once; counts of objects with one absurd bit."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest
from support.fake_target import FakeTarget

from gdb_epi.corruption.checks.pymalloc import (
    MAX_COUNT,
    MAX_COUNT_BIT,
    MIN_COUNT_BIT,
    MIN_SHORT_BIT,
    _blocks_with_large_counts,
)
from gdb_epi.target.api import Region
from gdb_epi.target.memory_search import MemorySearch

START = 0x7F0000100000
SIZE = 3 << 17
# Ordinary; with zeros below; nothing but zeros below; what overlaps with itself.
WORDS = (0x7FB258A61860, 0x7FB258A60000, 0x7F00000000, 0x0000617F0000617F, 0x6161616161616161)


def test_several_words_are_found_as_one_by_one() -> None:
    chance = random.Random(3)
    data = bytearray(chance.randbytes(SIZE))
    for _ in range(3000):
        at = chance.randrange(SIZE - 8)  # most of them on no multiple of 8
        if chance.random() < 0.5:
            at &= ~7
        data[at : at + 8] = chance.choice(WORDS).to_bytes(8, "little")
    data[1 << 17 : 1 << 18] = bytes(1 << 17)
    region = Region(START, START + SIZE, "rw-p", None, 0, SIZE)
    search = MemorySearch(FakeTarget(regions=[region], memory={START: bytes(data)}))
    assert len(search.nonzero_ranges(True)) == 2
    for ranges in (None, [(START + 12, START + 1000), (START + 4096, START + SIZE)]):
        places = defaultdict(list)
        for word, address in search.find_any_word(WORDS, ranges):
            places[word].append(address)
        for word in WORDS:
            assert places[word] == list(search.find_word(word, ranges)), f"{word:#x}"
        assert all(places[word] for word in WORDS)


@pytest.mark.parametrize("is_small", [False, True])
@pytest.mark.parametrize("step", [16, 48, 512])
def test_counts_with_an_absurd_bit_are_seen(is_small: bool, step: int) -> None:
    chance = random.Random(step)
    lowest, highest = (MIN_SHORT_BIT, 29) if is_small else (MIN_COUNT_BIT, MAX_COUNT_BIT)
    data = bytearray(chance.randbytes(step * 200 - 8))  # the last one is cut off behind its word
    absurd = set()
    for number in range(200):
        count = chance.randrange(1, MAX_COUNT)
        if number % 5 == 0:
            count |= 1 << chance.randint(lowest, highest)
            absurd.add(number)
        elif number % 5 == 1:
            count = 3 << 30 if is_small else 0x7FB258A61860  # immortal; a pointer
        elif number % 5 == 2 and is_small:
            count |= 1 << 60  # flags
        data[number * step : number * step + 8] = count.to_bytes(8, "little")
    assert (
        set(_blocks_with_large_counts(bytes(data[: 200 * step]), step, is_small=is_small)) == absurd
    )
