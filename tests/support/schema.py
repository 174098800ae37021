# SPDX-License-Identifier: Apache-2.0
"""The record's schema: validate records, and list the fields of schema, document and records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "gdb_epi" / "record" / "schema"
_ROW = re.compile(r"^\| `([A-Za-z0-9_.\[\]*]+)` \|", re.MULTILINE)


@cache
def schema() -> dict[str, Any]:
    """Return record-1.json."""
    content: dict[str, Any] = json.loads((FOLDER / "record-1.json").read_text(encoding="utf-8"))
    return content


def leaves(node: dict[str, Any] | None = None, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, its schema) of every field that has no fields inside; `[]` is an item of a list.

    A map whose keys are free is one field, `name.*`. What several places share (`$defs`) comes
    under its own name.
    """
    if node is None:
        yield from leaves(schema())
        for name, inner in schema()["$defs"].items():
            yield from leaves(inner, name) if "properties" in inner else ()
    elif "properties" in node:
        for name, inner in node["properties"].items():
            yield from leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(node.get("additionalProperties"), dict):
        yield from leaves(node["additionalProperties"], f"{path}.*")
    elif "items" in node:
        yield from leaves(node["items"], f"{path}[]")
    else:
        yield path, node


def documented() -> list[str]:
    """Return the fields that SCHEMA.md has a row for."""
    return _ROW.findall((FOLDER / "SCHEMA.md").read_text(encoding="utf-8"))


def unknown_fields(value: Any, node: dict[str, Any] | None = None, path: str = "") -> set[str]:
    """Return the paths of a record's keys that the schema does not name."""
    node = schema() if node is None else node
    while "$ref" in node and not node["$ref"].endswith("/address"):
        node = schema()["$defs"][node["$ref"].rpartition("/")[2]]
    unknown: set[str] = set()
    if isinstance(value, dict) and ("properties" in node or "additionalProperties" in node):
        free = node.get("additionalProperties")
        for key, inner in value.items():
            inner_schema = node.get("properties", {}).get(key)
            below = f"{path}.{key}" if path else key
            if inner_schema is None and not isinstance(free, dict):
                unknown |= set() if free is True else {below}
            else:
                unknown |= unknown_fields(inner, inner_schema or free, below)
    elif isinstance(value, dict) and value and "properties" not in node:
        unknown.add(f"{path}.(object)")
    elif isinstance(value, list) and isinstance(node.get("items"), dict):
        for inner in value:
            unknown |= unknown_fields(inner, node["items"], f"{path}[]")
    return unknown


_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,),
    "object": (dict,), "array": (list,), "null": (type(None),),
}  # fmt: skip


def problems(record: Any) -> list[str]:
    """Return what is wrong with a record by the schema, and its keys that the schema lacks.

    Twenty times as fast as jsonschema, because every test that makes a record asks; a test holds
    the two against each other.
    """
    wrong = [f"{path}: {what}"[:300] for path, what in _wrong(record, schema(), "$")]
    return wrong + [f"{path}: not in the schema" for path in sorted(unknown_fields(record))]


def _wrong(value: Any, node: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
    if "$ref" in node:
        node = schema()["$defs"][node["$ref"].rpartition("/")[2]]
    if "anyOf" in node:
        if all(any(_wrong(value, choice, path)) for choice in node["anyOf"]):
            yield path, f"{value!r} fits none of anyOf"
        return
    if "type" in node and not _is_of(value, node["type"]):
        yield path, f"{value!r} is not {node['type']}"
        return
    if "enum" in node and value not in node["enum"]:
        yield path, f"{value!r} is not one of {node['enum']}"
    if "const" in node and value != node["const"]:
        yield path, f"{value!r} is not {node['const']!r}"
    if isinstance(value, str) and not re.search(node.get("pattern", ""), value):
        yield path, f"{value!r} does not match {node['pattern']}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not node.get("minimum", value) <= value <= node.get("maximum", value):
            yield path, f"{value!r} is out of range"
    if isinstance(value, dict):
        yield from _wrong_members(value, node, path)
    if isinstance(value, list) and len(value) > node.get("maxItems", len(value)):
        yield path, f"more than {node['maxItems']} items"
    if isinstance(value, list) and isinstance(node.get("items"), dict):
        for number, inner in enumerate(value):
            yield from _wrong(inner, node["items"], f"{path}[{number}]")


def _wrong_members(
    value: dict[str, Any], node: dict[str, Any], path: str
) -> Iterator[tuple[str, str]]:
    for name in node.get("required", ()):
        if name not in value:
            yield path, f"{name!r} is a required property"
    for name in node.get("not", {}).get("required", ()):
        if name in value:
            yield path, f"{name!r} must not be there"
    free = node.get("additionalProperties")
    for name, inner in value.items():
        own = node.get("properties", {}).get(name)
        if own is not None or isinstance(free, dict):
            yield from _wrong(inner, own if own is not None else free, f"{path}.{name}")


def _is_of(value: Any, kinds: str | list[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in kinds
    names = [kinds] if isinstance(kinds, str) else kinds
    return any(isinstance(value, _TYPES[name]) for name in names)


def unstable() -> tuple[set[str], set[str]]:
    """Return the fields that may still change: by the schema, and by the document."""
    text = (FOLDER / "SCHEMA.md").read_text(encoding="utf-8")
    marked = {path for path, node in leaves() if node.get("$comment") == "unstable"}
    rows = re.findall(r"^\| `([^`]+)` \|[^|]*\| (\[unstable\])?", text, re.MULTILINE)
    return marked, {path for path, mark in rows if mark}
