# SPDX-License-Identifier: Apache-2.0
"""Copies of CPython's trampoline in memory without a file."""

from __future__ import annotations

import pytest
from support.scenes import MMAP, MMAP_SIZE, PC, SP, TEXT, state

from gdb_epi.cpython.frames.merged_stack import END, START, name_trampolines
from gdb_epi.target.api import NativeFrame

CODE = bytes.fromhex("4883ec08ffd14883c408c3")
COPY = MMAP + 0x100


def frame(pc: int, function: str | None = None, module: str | None = None) -> NativeFrame:
    return NativeFrame(pc, SP, function, module, None, None, None, None, False, "normal")


def named(pc: int, *, size: int = len(CODE), at: int = COPY, **more: str) -> str | None:
    symbols = {START: TEXT + 0x800, END: TEXT + 0x800 + size}
    target = state(symbols=symbols).target
    target.write(TEXT + 0x800, CODE)
    target.write(at, CODE)
    (trampoline,) = name_trampolines(target, [frame(pc, **more)])
    return trampoline.function


@pytest.mark.parametrize("offset", [0, 6, len(CODE)])
def test_code_of_a_copy_has_the_name_of_what_was_copied(offset: int) -> None:
    assert named(COPY + offset) == START


def test_at_the_edges_of_a_mapping() -> None:
    assert named(MMAP + 6, at=MMAP) == START
    last = MMAP + MMAP_SIZE - len(CODE)
    assert named(last + 6, at=last) == START


def test_other_code_has_none() -> None:
    assert named(COPY + 0x40) is None
    assert named(COPY - 1) is None
    assert named(0x1000) is None, "not mapped"
    assert named(COPY + 6, size=1 << 40) is None, "a symbol that was damaged"
    assert named(COPY + 6, size=-1) is None


def test_what_has_a_name_or_a_file_keeps_it() -> None:
    assert named(COPY + 6, function="f") == "f"
    assert named(COPY + 6, module="/lib/x.so") is None


def test_without_cpython_nothing_is_named() -> None:
    target = state().target
    (trampoline,) = name_trampolines(target, [frame(PC)])
    assert trampoline.function is None
