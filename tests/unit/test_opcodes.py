# SPDX-License-Identifier: Apache-2.0
"""The table of opcodes by magic number, which tests/tools/emit_opcodes.py wrote."""

from __future__ import annotations

import dis
import json
import opcode
import sys
from pathlib import Path
from typing import Any

import pytest

import gdb_epi
from gdb_epi.cpython.frames.opcodes import opcodes_of_magic, opcodes_of_version
from gdb_epi.cpython.frames.stack_steps import stack_effect
from gdb_epi.hangs.dry_run.dry_run import DryRun
from gdb_epi.hangs.loops.dry_run_starts import can_follow_instruction
from gdb_epi.locks.python.call_sites import _LEAVES, _OPERATIONS

TABLE = Path(gdb_epi.__file__).parent / "cpython" / "frames" / "opcodes.json"
TABLES: dict[str, dict[str, Any]] = json.loads(TABLE.read_text())
VERSIONS = [(3, minor) for minor in range(8, 16)]


def test_every_version_has_one() -> None:
    assert {table["version"] for table in TABLES.values()} == {"{}.{}".format(*v) for v in VERSIONS}
    assert all(opcodes_of_version(version) for version in VERSIONS)
    assert opcodes_of_version((3, 7)) is None


@pytest.mark.parametrize("magic", TABLES)
def test_a_table_maps_opcodes_to_numbers(magic: str) -> None:
    """A frozendict of 3.15 is no dict: its names were once taken for counts of cache entries."""
    assert len(bytes.fromhex(magic)) == 4 and magic.endswith("0d0a")
    opcodes = opcodes_of_magic(bytes.fromhex(magic))
    assert opcodes is not None
    numbers = [*opcodes.base, *opcodes.base.values(), *opcodes.caches, *opcodes.names]
    assert all(0 <= number < 256 for number in [*numbers, *opcodes.rewritten])
    assert opcodes.rewritten.isdisjoint(opcodes.names)
    assert all(isinstance(units, int) and 0 < units < 16 for units in opcodes.caches.values())
    adaptive = int(TABLES[magic]["version"].partition(".")[2]) >= 11
    assert bool(opcodes.base) == bool(opcodes.caches) == adaptive


def test_what_is_followed_has_a_name_in_some_version() -> None:
    """A misspelt name would never be followed."""
    names = {name for table in TABLES.values() for name in table["names"]}
    methods = [name[4:].upper() for name in dir(DryRun) if name.startswith("_do_")]
    assert len(methods) > 90 and names.issuperset(methods)
    assert names | {"LOAD_CONST_IMMORTAL"} >= {*_OPERATIONS, *_LEAVES}
    assert all(
        map(can_follow_instruction, ("BINARY_ADD", "RETURN_CONST", "JUMP_FORWARD", "LOAD_FAST"))
    )
    assert not any(map(can_follow_instruction, ("BINARY_MATRIX_MULTIPLY", "GET_LEN", "")))


# dis counts an error as taken (RERAISE), what is sent first (GEN_START, RETURN_GENERATOR), and the
# arguments of a call of 3.11 with PRECALL; and there is no slice of other than 2 or 3 bounds.
COUNTED_OTHERWISE = (
    "RERAISE", "GEN_START", "RETURN_GENERATOR", "PRECALL", "CALL", "BUILD_SLICE", "SETUP_WITH",
)  # fmt: skip


def test_the_stack_grows_as_dis_says() -> None:
    opcodes = opcodes_of_version(sys.version_info[:2])
    assert opcodes is not None
    checked = 0
    for name in opcodes.instructions - {*COUNTED_OTHERWISE}:
        number = opcode.opmap[name]
        for argument in range(10):
            effect = stack_effect(opcodes, name, argument)
            if effect is not None:
                given = argument if number >= opcode.HAVE_ARGUMENT else None
                says = dis.stack_effect(number, given, jump=False)
                assert effect[1] - effect[0] == says, name
                checked += 1
    assert checked > 500
