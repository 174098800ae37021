# SPDX-License-Identifier: Apache-2.0
"""Links that lists are walked by: the one that a collection died of, and those of allocators."""

from __future__ import annotations

import shutil

import pytest
from corruption.examine import Row, examine
from corruption.kept import kept_cores
from corruption.scene import ANY_BIT, Bits
from support.cores import why_no_core_dumps

SEED = 9003
pytestmark = [
    pytest.mark.skipif(why_no_core_dumps() is not None, reason=str(why_no_core_dumps())),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed"),
]


def rows_of(kinds: str, attempts: int, bits: Bits = ANY_BIT) -> list[Row]:
    return [examine(core) for core in kept_cores(SEED, kinds, attempts, bits=bits)[0]]


def test_the_link_that_a_collection_died_of_is_named() -> None:
    """prev words hold counts up to the break; whatever it died of, the lists tell where."""
    rows = rows_of("gc_next", 4)
    named = [
        row
        for row in rows
        for sign in row["evidence"]
        if sign["id"] == "R8" and hex(sign["where"]) == row["label"]["address"]
        and hex(sign["corrected"] & ~3) == hex(int(row["label"]["original"], 16) & ~3)
    ]  # fmt: skip
    assert len(rows) >= 2 and len(named) >= len(rows) - 1, [row["evidence"] for row in rows]
    assert all(row["word"] == "strong" for row in named)


def test_no_mark_is_suspected_in_links_of_allocators() -> None:
    """A top bit of a pool's or a bin's own link is nobody's tag."""
    rows = rows_of("pymalloc_link,malloc_link", 8, bits=(47, 63))
    assert len(rows) >= 2, "a link whose top bit is set cannot be followed"
    assert all(row["label"]["bits"][0] >= 47 for row in rows)
    assert all(row["word"] == "strong" for row in rows), [row["evidence"] for row in rows]
