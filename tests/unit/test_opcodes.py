# SPDX-License-Identifier: Apache-2.0
"""The tables of opcodes by magic number, which tests/tools/emit_opcodes.py wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gdb_epi
from gdb_epi.hangs.loops.dry_run import DryRun

TABLE = Path(gdb_epi.__file__).parent / "corruption" / "files" / "opcodes.json"
TABLES: dict[str, dict[str, Any]] = json.loads(TABLE.read_text())


def test_every_version_has_one() -> None:
    assert {one["version"] for one in TABLES.values()} == {f"3.{minor}" for minor in range(8, 16)}


@pytest.mark.parametrize("magic", TABLES)
def test_a_table_maps_opcodes_to_numbers(magic: str) -> None:
    """A frozendict of 3.15 is no dict: its names were once taken for counts of cache entries."""
    told = TABLES[magic]
    assert len(bytes.fromhex(magic)) == 4 and magic.endswith("0d0a")
    opcodes = [*map(int, told["base"]), *told["base"].values(), *map(int, told["caches"])]
    assert all(0 <= one < 256 for one in [*opcodes, *told["rewritten"]])
    assert all(isinstance(count, int) and 0 < count < 16 for count in told["caches"].values())
    adaptive = int(told["version"].partition(".")[2]) >= 11
    assert bool(told["base"]) == bool(told["caches"]) == adaptive


def test_every_instruction_that_is_followed_has_its_method() -> None:
    """A name that the table has and no method stands for would never be followed."""
    path = Path(gdb_epi.__file__).parent / "cpython" / "values" / "opcodes.json"
    tables = json.loads(path.read_text())
    names = {name for table in tables.values() for name in table["names"].values()}
    steps = {name for name in names if "JUMP" not in name and not name.startswith("RETURN")}
    steps = {name for name in steps if not name.startswith(("BINARY", "INPLACE", "EXTENDED"))}
    assert len(steps) > 30
    assert not [name for name in steps if not hasattr(DryRun, f"_do_{name.lower()}")]
