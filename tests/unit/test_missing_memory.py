# SPDX-License-Identifier: Apache-2.0
"""What of the memory a core lacks: what was never there is not missing."""

from __future__ import annotations

import pytest
from support.fake_target import FakeTarget

from gdb_epi.target.api import Region, Thread, Truncation
from gdb_epi.target.missing_memory import measure_missing_memory, missing_memory_sentence

STACK = Region(0x7000_0000, 0x7010_0000, "rw-", None, 0, 0x10_0000)
GUARD = Region(0x6FFF_F000, 0x7000_0000, "---", None, 0, 0)
ARENA = Region(0x5000_0000, 0x5800_0000, "rw-", None, 0, 0)
DATA = Region(0x4000_0000, 0x4000_1000, "rw-", "/lib/x.so", 0, 0)


def target(*regions: Region, sp: int = STACK.start + 64, cut: bool = False) -> FakeTarget:
    return FakeTarget(
        regions=regions,
        threads=[Thread(7, {"rsp": sp}, "p")],
        truncation=Truncation(cut, int(cut), ""),
    )


def test_anonymous_memory_that_was_never_used_is_not_missing() -> None:
    memory = measure_missing_memory(target(ARENA, STACK))
    assert (memory.missing, memory.expected, memory.stacks) == (0, STACK.size, ())
    assert missing_memory_sentence(memory) == ""


@pytest.mark.parametrize(
    ("regions", "sp", "cut"),
    [
        ((ARENA, STACK), STACK.start + 64, True),  # the file may have ended before it
        ((ARENA, STACK._replace(dumped=0)), STACK.start + 64, False),  # left out by the filter
        ((ARENA, STACK), ARENA.start + 64, False),  # a thread runs there: it was used
        ((ARENA._replace(dumped=4096), STACK), STACK.start + 64, False),
    ],
)
def test_what_may_have_been_used_is_missing(
    regions: tuple[Region, ...], sp: int, cut: bool
) -> None:
    memory = measure_missing_memory(target(*regions, sp=sp, cut=cut))
    assert memory.missing == sum(r.size - r.dumped for r in regions)


def test_the_data_of_a_file_is_missing() -> None:
    assert measure_missing_memory(target(DATA, STACK)).missing == DATA.size


def test_a_stack_pointer_in_a_guard_is_no_lost_stack() -> None:
    assert measure_missing_memory(target(GUARD, STACK, sp=GUARD.start + 16)).stacks == ()
    lost = STACK._replace(dumped=0)
    assert measure_missing_memory(target(GUARD, lost, sp=GUARD.start + 16)).stacks == (7,)
