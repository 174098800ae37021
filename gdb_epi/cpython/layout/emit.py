# SPDX-License-Identifier: Apache-2.0
"""Turn C types into a layout document (schema gdb-epi/layout/1). Pure: types come from outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gdb_epi.cpython.layout.spec import CONSTANTS, STRUCTS
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


def add_variants(document: dict[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Add the structs that another patch release of the same build lays out differently.

    Growth at the end is no difference. A variant is known by its size, so one of equal size cannot
    be kept. Return the names of the structs that got one.
    """
    names = []
    for name, (size, members) in other["structs"].items():
        old_size, old_members = document["structs"].get(name, (size, members))
        kept = all(members.get(path, [-1])[0] == m[0] for path, m in old_members.items())
        if kept or size == old_size or name in ("_PyRuntimeState", "PyInterpreterState"):
            continue
        variants = document.setdefault("variants", {}).setdefault(name, [])
        if all(size != variant[0] for variant in variants):
            variants.append([size, members])
            names.append(name)
    return names


def dump_layout(document: Mapping[str, Any]) -> str:
    """Return the document as JSON with one struct or header entry per line, for diffs."""
    import json

    def line(value: Any) -> str:
        return json.dumps(value, separators=(",", ":"))

    parts = [f'"schema":{line(document["schema"])}']
    for section in ("header", "constants", "debug_offsets", "structs", "variants"):
        if section not in document:
            continue
        rows = (f"{line(key)}:{line(value)}" for key, value in document[section].items())
        parts.append(f'"{section}":{{\n' + ",\n".join(rows) + "\n}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
