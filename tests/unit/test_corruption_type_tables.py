# SPDX-License-Identifier: Apache-2.0
"""R14: the tables of a class lie in its own struct, at one distance in all classes."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pytest

from gdb_epi.corruption.checks.type_slots import _compare_method_tables
from gdb_epi.errors import UnreadableMemory
from gdb_epi.target.api import Region

CLASSES = [0x5555_5600_0000 + 0x1000 * number for number in range(3)]
NUMBER_AT, SIZE, APART = 96, 400, 0x1C0


def told(values: list[int], *, file: str | None = None) -> list[tuple[int | str, int | None]]:
    """What is said of classes of which tp_as_number holds these values."""
    held = dict(zip(CLASSES, values, strict=False))

    def read(at: int, size: int) -> bytes:
        if at not in held:
            raise UnreadableMemory(at, size)
        return bytes(NUMBER_AT) + struct.pack("<Q", held[at]) + bytes(size - NUMBER_AT - 8)

    layout = SimpleNamespace(
        size=lambda _name: SIZE,
        offset=lambda _name, member: NUMBER_AT if member == "tp_as_number" else None,
    )
    reader = SimpleNamespace(layout=layout, target=SimpleNamespace(read=read))
    heap: Any = SimpleNamespace(reader=reader)
    region = Region(0, 1 << 47, "rw-", file, 0, 0)
    context: Any = SimpleNamespace(target=SimpleNamespace(region_at=lambda _at: region))
    return [
        (compare_method_table.where, compare_method_table.corrected)
        for compare_method_table in _compare_method_tables(context, heap, CLASSES)
    ]


SOUND = [table + APART for table in CLASSES]


@pytest.mark.parametrize("bit", [4, 23, 58])
def test_the_class_that_differs(bit: int) -> None:
    values = [SOUND[0], SOUND[1] ^ 1 << bit, SOUND[2]]
    assert told(values) == [(CLASSES[1] + NUMBER_AT, SOUND[1])]
    assert told(values, file="[heap]") == told(values)


def test_other_classes_say_nothing() -> None:
    assert told(SOUND) == []
    assert told([SOUND[0], SOUND[1] ^ 3 << 23, SOUND[2]]) == [], "two bits"
    assert told([table ^ 1 << 23 for table in SOUND]) == [], "too far from all"
    assert told([SOUND[0], SOUND[1] ^ 1 << 23, SOUND[2] ^ 1 << 24]) == [], "two classes"
    assert told([SOUND[0], SOUND[1] ^ 1 << 23, SOUND[2]], file="/lib/x.so") == [], "static types"
    assert told([SOUND[0], SOUND[1] ^ 1 << 9]) == [], "which of two is wrong?"
