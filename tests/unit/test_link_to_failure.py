# SPDX-License-Identifier: Apache-2.0
"""Whether damaged code is tied to what a process that went on does: it runs, or is about to."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from support.fake_target import FakeTarget

from gdb_epi.corruption.evidence import Evidence
from gdb_epi.corruption.link_to_fault import is_tied_to_failure
from gdb_epi.errors import Absent
from gdb_epi.target.api import Module, Region, Thread

CODE, STACK = 0x7F0000001000, 0x7FFC00000000
FUNCTION = SimpleNamespace(start=CODE + 0x100, end=CODE + 0x180)


@pytest.mark.parametrize(
    ("pc", "returns_to", "tied"),
    [
        (CODE + 0x130, 0, True),  # a thread runs that function
        (CODE + 0x800, CODE + 0x170, True),  # what it called is to return into it
        (CODE + 0x800, CODE + 0x900, False),
    ],
)
def test_damaged_code_matters_where_a_thread_is_in_it(pc: int, returns_to: int, tied: bool) -> None:
    target = FakeTarget(
        regions=[Region(CODE, CODE + 0x1000, "r-xp", 0, "/usr/lib/libc.so.6", 0x1000)],
        modules=[Module("libc.so.6", CODE, CODE, CODE + 0x1000, None, None)],
        memory={STACK: returns_to.to_bytes(8, "little") * 64},
        threads=[
            Thread(1, {"rip": CODE + 0x900, "rsp": STACK + 8 * 64}, "idle"),
            Thread(2, {"rip": pc, "rsp": STACK}, "works"),
        ],
    )
    absent = Absent("not_available", "no crash")
    context = SimpleNamespace(
        target=target,
        fault=absent,
        functions=SimpleNamespace(function_at=lambda _: FUNCTION),
        state=SimpleNamespace(exceptions=(), fault_account=absent),
    )
    damage = Evidence("R2", CODE + 0x140, 0x41564104099C753D, None, (34,), "memory", "", {})
    assert is_tied_to_failure(context, [damage]) is tied
