# SPDX-License-Identifier: Apache-2.0
"""Line tables, against the interpreter that runs the tests: its own code objects are the oracle."""

from __future__ import annotations

import argparse
import ast
import dis
import json.decoder
import sys
import types
from collections.abc import Iterator

import pytest

from gdb_epi.cpython.frames.code_objects import line_in_locations, linetable_runs, lnotab_runs

MODULES = (argparse, ast, json.decoder, pytest)


def code_objects(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from code_objects(constant)


def all_codes() -> list[types.CodeType]:
    codes = []
    for module in MODULES:
        with open(module.__file__, encoding="utf-8") as stream:
            code = compile(stream.read(), module.__file__, "exec")
        codes += code_objects(code)
    return codes


def expected(code: types.CodeType) -> dict[int, int | None]:
    return {offset: line for start, end, line in code.co_lines() for offset in range(start, end, 2)}


def line_in_lnotab(table: bytes, first: int, offset: int) -> int | None:
    return next((line for a, b, line in lnotab_runs(table, first) if a <= offset < b), None)


def line_in_linetable(table: bytes, first: int, offset: int) -> int | None:
    return next((line for a, b, line in linetable_runs(table, first) if a <= offset < b), None)


def test_linetable_of_this_interpreter() -> None:
    decode = line_in_locations if sys.version_info >= (3, 11) else line_in_linetable
    checked = 0
    for code in all_codes():
        for offset, line in expected(code).items():
            assert decode(code.co_linetable, code.co_firstlineno, offset) == line
            checked += 1
    assert checked > 10_000


@pytest.mark.skipif(sys.version_info >= (3, 15), reason="co_lnotab is gone from 3.15 on")
@pytest.mark.filterwarnings("ignore:co_lnotab")
def test_lnotab_of_this_interpreter() -> None:
    checked = 0
    for code in all_codes():
        for offset, line in dis.findlinestarts(code):
            if line is not None:
                assert line_in_lnotab(code.co_lnotab, code.co_firstlineno, offset) == line
                checked += 1
    assert checked > 1_000


@pytest.mark.parametrize(
    "table", [b"", b"\x80", b"\xf8", b"\x00" * 40, b"\xff" * 40, b"\xe8" + b"\x7f" * 99]
)
def test_damaged_tables_end(table: bytes) -> None:
    for decode in (line_in_lnotab, line_in_linetable, line_in_locations):
        for offset in (-2, 0, 2, 10_000):
            position = decode(table, 7, offset)
            assert position is None or isinstance(position, int)
