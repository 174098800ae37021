# SPDX-License-Identifier: Apache-2.0
"""What is no table of methods: nothing names it, and no function is named there."""

from __future__ import annotations

import struct

import pytest
from support.fake_target import FakeTarget
from support.faults import failed, fault_at

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.pointers import one_bit_neighbours
from gdb_epi.corruption.pointers.one_bit_neighbours import is_only_right_word_a_method_table
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Module, Region
from gdb_epi.target.function_bounds import Function

TEXT, DATA = 0x7F00_0000_0000, 0x7F00_0000_1000
RIGHT, WRONG = DATA + 0xDC0, DATA + 0xD40


def made(
    monkeypatch: pytest.MonkeyPatch, *, named: tuple[int, ...] = (RIGHT,), entries: int = 0
) -> Context:
    """A library whose code has leas of `named`; at WRONG are `entries` functions."""
    code = bytearray(b"\x90" * 0x400)
    for number, address in enumerate(named):
        at = 16 * number + 0x100
        code[at : at + 7] = b"\x48\x8d\x05" + struct.pack("<i", address - (TEXT + at + 7))
    data = bytearray(0x1000)
    struct.pack_into("<4Q", data, RIGHT - DATA, TEXT, TEXT + 16, TEXT + 32, TEXT + 48)
    struct.pack_into(f"<{entries}Q", data, WRONG - DATA, *(TEXT for _ in range(entries)))
    target = FakeTarget(
        regions=[
            Region(TEXT, TEXT + 0x400, "r-x", "/lib/a.so", 0, 0x400),
            Region(DATA, DATA + 0x1000, "r--", "/lib/a.so", 0x1000, 0x1000),
        ],
        memory={TEXT: bytes(code), DATA: bytes(data)},
        modules=[Module("/lib/a.so", TEXT, TEXT, DATA + 0x1000, None, "/lib/a.so")],
    )
    context = Context(ProcessState(target))
    monkeypatch.setattr(one_bit_neighbours, "image_files_of_modules", lambda _context: ([], []))
    monkeypatch.setattr(
        context.functions,
        "function_at",
        lambda at: Function(at & -16, (at & -16) + 16) if TEXT <= at < TEXT + 0x400 else None,
    )
    return context


def test_what_nothing_names_is_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_only_right_word_a_method_table(made(monkeypatch), WRONG, RIGHT)


def test_a_table_with_empty_entries_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_only_right_word_a_method_table(
        made(monkeypatch, named=(RIGHT, WRONG)), WRONG, RIGHT
    )


def test_where_a_function_is_named_may_be_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_only_right_word_a_method_table(made(monkeypatch, entries=1), WRONG, RIGHT)


def test_what_should_be_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_only_right_word_a_method_table(made(monkeypatch, named=()), WRONG, RIGHT)


def test_an_address_of_no_file_is_not_judged() -> None:
    assert not is_only_right_word_a_method_table(failed("90", fault_at(0)), WRONG, RIGHT)
