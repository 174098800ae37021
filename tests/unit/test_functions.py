# SPDX-License-Identifier: Apache-2.0
"""Where functions begin, by .eh_frame_hdr: right, absent, damaged."""

from __future__ import annotations

import struct

import pytest
from support.fake_target import FakeTarget

from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.machine import X86_64
from gdb_epi.sizes import PAGE
from gdb_epi.target import elf
from gdb_epi.target.api import Module
from gdb_epi.target.function_bounds import PT_GNU_EH_FRAME, Function, FunctionBounds

BASE = 0x7F0000000000
TABLE, ENTRIES = 0x2000, 0x3000  # relative to BASE
FUNCTIONS = [(0x10000, 0x40), (0x10040, 0x100), (0x10200, 0x10)]


def headers() -> bytes:
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    start = elf.EHDR.pack(ident, elf.ET_DYN, X86_64.number, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    load = elf.PHDR.pack(elf.PT_LOAD, 5, 0, 0, 0, 0x20000, 0x20000, 4096)
    return start + load + elf.PHDR.pack(PT_GNU_EH_FRAME, 4, TABLE, TABLE, 0, 64, 64, 4)


def tables(functions: list[tuple[int, int]], *, count_as: int = 3, rows_as: int = 0x3B) -> bytes:
    """Return .eh_frame_hdr and, at ENTRIES, the entries it leads to."""
    head = struct.pack("<BBBBiI", 1, 0x1B, count_as, rows_as, 0, len(functions))
    rows = entries = b""
    for number, (start, size) in enumerate(functions):
        entry = ENTRIES + 32 * number
        rows += struct.pack("<ii", start - TABLE, entry - TABLE)
        entries += struct.pack("<IIiI", 28, 0, start - (entry + 8), size).ljust(32, b"\0")
    return (head + rows).ljust(ENTRIES - TABLE, b"\0") + entries


def functions(data: bytes) -> FunctionBounds:
    absent = Absent(NOT_AVAILABLE, "none")
    module = Module("/lib/l.so", BASE, BASE, BASE + 0x20000, None, absent)
    memory = {BASE: headers().ljust(PAGE, b"\0"), BASE + TABLE: data}
    return FunctionBounds(FakeTarget(modules=[module], memory=memory))


@pytest.mark.parametrize(
    ("offset", "expected"),
    [
        (0x10000, 0),
        (0x1003F, 0),
        (0x10040, 1),
        (0x1013F, 1),
        (0x10140, None),  # between two functions
        (0x1020F, 2),
        (0x10210, None),  # behind the last
        (0xFFFF, None),  # before the first
        (0x20000, None),  # outside of the object
    ],
)
def test_the_function_of_an_address(offset: int, expected: int | None) -> None:
    function = functions(tables(FUNCTIONS)).function_at(BASE + offset)
    if expected is None:
        assert function is None
    else:
        start, size = FUNCTIONS[expected]
        assert function == Function(BASE + start, BASE + start + size)


def test_another_encoding_is_not_misread() -> None:
    assert functions(tables(FUNCTIONS, count_as=0xFF)).function_at(BASE + 0x10000) is None
    assert functions(tables(FUNCTIONS, rows_as=0x1B)).function_at(BASE + 0x10000) is None


def test_an_entry_that_tells_another_start_is_not_believed() -> None:
    data = bytearray(tables(FUNCTIONS))
    data[ENTRIES - TABLE + 8] ^= 1
    assert functions(bytes(data)).function_at(BASE + 0x10000) is None


def test_an_absurd_count_ends_the_search() -> None:
    data = bytearray(tables(FUNCTIONS))
    data[8:12] = b"\xff" * 4
    assert functions(bytes(data)).function_at(BASE + 0x10000) is None


def test_no_tables() -> None:
    assert FunctionBounds(FakeTarget()).function_at(BASE) is None
    assert functions(b"").function_at(BASE + 0x10000) is None


def test_a_return_address_may_lie_behind_the_end() -> None:
    function_table = functions(tables(FUNCTIONS))
    assert function_table.function_returned_to(BASE + 0x10040) == function_table.function_at(
        BASE + 0x10000
    )
