# SPDX-License-Identifier: Apache-2.0
"""M:stuck: one bit of a container's slots, cache line after cache line."""

from __future__ import annotations

from typing import Any

import pytest
from support.faults import failed, fault_at

from gdb_epi.corruption.checks import typed_slot
from gdb_epi.corruption.heap.object_walk import ContainerSlot

OWNER, START, BIT = 0x7F00_0000_0040, 0x7F00_0001_0008, 18
OBJECTS = [0x7F00_0100_0000 + 64 * n for n in range(5)]


class Walk:
    """What begins at an address: OBJECTS are Points, and one is a Circle."""

    def type_name_at(self, address: int) -> str:
        kinds = dict.fromkeys(OBJECTS[:4], "Point") | {OBJECTS[4]: "Circle"}
        return kinds.get(address, "")


def slots(*flips: int, step: int = 64) -> list[ContainerSlot]:
    """Slots of one list, `step` bytes apart, of which the n-th holds OBJECTS[n] ^ flips[n]."""
    return [
        ContainerSlot(START + step * n, OBJECTS[n] ^ flip, OWNER, "list")
        for n, flip in enumerate(flips)
    ]


def found(monkeypatch: pytest.MonkeyPatch, wrong: list[ContainerSlot], lost: int = 9) -> list[Any]:
    missing = OBJECTS[:lost]
    monkeypatch.setattr(typed_slot, "has_lost_reference", lambda _c, right, _w: right in missing)
    made = failed("90", fault_at(0))
    return [
        (stuck_lane.id, stuck_lane.bits)
        for stuck_lane in typed_slot._evidence_of_stuck_bits(made, Walk(), wrong)
    ]  # type: ignore[arg-type]


def test_one_bit_in_line_after_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, slots(*[1 << BIT] * 3)) == [("M:stuck", (BIT,))]
    assert found(monkeypatch, slots(*[1 << BIT] * 4, step=192)) == [("M:stuck", (BIT,))]


def test_near_misses_are_no_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    lane = 1 << BIT
    assert not found(monkeypatch, slots(lane, lane)), "two slots"
    assert not found(monkeypatch, slots(lane, lane, lane, step=72)), "other places of the lines"
    assert not found(monkeypatch, slots(lane, lane, lane << 1)), "another bit"
    assert not found(monkeypatch, slots(*[lane] * 5)), "another type"
    assert not found(monkeypatch, slots(*[lane] * 3), lost=1), "one reference is missing"
