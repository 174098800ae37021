# SPDX-License-Identifier: Apache-2.0
"""How layout tables are made and compared: what the tools and the tests of tables share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdb_epi.cpython.layout.layout import (
    DebugOffsets,
    _raw_words,
    _split_believable_words,
    load_layout,
)
from gdb_epi.cpython.layout.struct_specs import STRUCTS, TRANSPARENT


def canonical_path(path: str) -> str:
    """Return a C member path without the wrappers: "ob_base.ob_size" gives "ob_size"."""
    return ".".join(part for part in path.split(".") if part not in TRANSPARENT)


def struct_key(c_name: str) -> str:
    """Return the key under which a table holds the struct that C calls `c_name`."""
    if c_name in STRUCTS:
        return c_name
    for key, spec in STRUCTS.items():
        if c_name in spec.spellings:
            return key
    return c_name


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


def parse_asyncio_offsets(
    raw: bytes, version: tuple[int, int], free_threaded: bool = False
) -> DebugOffsets:
    """Read the ELF section `.AsyncioDebug` (CPython 3.14+) out of untrusted bytes.

    The section has no header, so the caller must know the version. It lies in the `_asyncio`
    module, or in the executable where that is built in. Never raises. The words fit
    `Layout.with_debug_offsets`.
    """
    table = load_layout(version, free_threaded)
    # A header table lacks this struct, whose words are the same everywhere.
    gil = load_layout(version)
    places = gil.struct("_Py_AsyncioModuleDebugOffsets") if gil else None
    if table is None or places is None:
        return DebugOffsets(None, free_threaded, {}, ("no asyncio table for this version",))
    words, complaints = _split_believable_words(_raw_words(raw, places), table)
    return DebugOffsets(None, free_threaded, words, tuple(complaints))
