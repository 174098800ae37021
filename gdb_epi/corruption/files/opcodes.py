# SPDX-License-Identifier: Apache-2.0
"""What CPython's opcodes mean in each version of the bytecode: opcodes.json.

tests/tools/emit_opcodes.py makes it.
"""

from __future__ import annotations

from functools import cache

from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import shipped_json


class OpcodeTable(NamedTuple):
    """One version: what each specialized opcode was made of, and the cache entries after it.

    `consts` and `variables` are those whose argument is an index into co_consts, and into the
    variables of a frame; empty where the table does not know them. `extended` is EXTENDED_ARG.
    """

    base: dict[int, int]
    caches: dict[int, int]
    rewritten: frozenset[int]
    consts: frozenset[int]
    variables: frozenset[int]
    extended: int | None


@cache
def opcodes_of_magic(magic: bytes) -> OpcodeTable | None:
    """Return the table of the magic number of .pyc files; None without one."""
    return _read(shipped_json(__file__, "opcodes.json").get(magic.hex()))


@cache
def opcodes_of_version(version: str) -> OpcodeTable | None:
    """Return the table of a release like "3.12"; None without one."""
    tables = shipped_json(__file__, "opcodes.json").values()
    return _read(next((table for table in tables if table["version"] == version), None))


def _read(table: dict[str, Any] | None) -> OpcodeTable | None:
    if table is None:
        return None
    base, caches = ({int(k): v for k, v in table[name].items()} for name in ("base", "caches"))
    names = ("rewritten", "consts", "variables")
    rewritten, consts, variables = (frozenset(table.get(name, ())) for name in names)
    return OpcodeTable(base, caches, rewritten, consts, variables, table.get("extended"))
