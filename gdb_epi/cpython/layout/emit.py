# SPDX-License-Identifier: Apache-2.0
"""Turn C types into a layout document (schema gdb-epi/layout/1). Pure: types come from outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gdb_epi.cpython.layout.struct_specs import CONSTANTS, STRUCTS
from gdb_epi.target.api import StructType
from gdb_epi.typing_lite import Any

SCHEMA = "gdb-epi/layout/1"


def _encode_struct(struct: StructType) -> list[Any]:
    members = {  # bit fields have their bit's number and the width too
        path: list(member) if member.bit_size else [member.offset, member.size]
        for path, member in struct.fields.items()
    }
    return [struct.size, members]


def emit_layout(
    type_layout: Callable[[str], StructType | None],
    constants: Callable[[str], int | None],
    header: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the layout document of one interpreter build.

    `header` must hold version ([major, minor]), free_threaded and debug; whatever else it holds
    (arch, how, build_id, command) is kept. Structs that `type_layout` does not know are named in
    header["missing"].
    """
    structs = {name: type_layout(name) for name in STRUCTS}
    values = {name: constants(name) for name in CONSTANTS}
    return {
        "schema": SCHEMA,
        "header": {**header, "missing": sorted(n for n, s in structs.items() if s is None)},
        "constants": {n: v for n, v in values.items() if v is not None},
        "debug_offsets": {},
        "structs": {n: _encode_struct(s) for n, s in structs.items() if s is not None},
    }
