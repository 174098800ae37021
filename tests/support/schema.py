# SPDX-License-Identifier: Apache-2.0
"""The record's schema: validate records, and list the fields of schema, document and records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "gdb_epi" / "schema"
_ROW = re.compile(r"^\| `([a-z0-9_.\[\]*]+)` \|", re.MULTILINE)


@cache
def schema() -> dict[str, Any]:
    """Return record-1.json."""
    found: dict[str, Any] = json.loads((FOLDER / "record-1.json").read_text(encoding="utf-8"))
    return found


def leaves(node: dict[str, Any] | None = None, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, its schema) of every field that has no fields inside; `[]` is an item of a list.

    A map whose keys are free is one field, `name.*`.
    """
    node = schema() if node is None else node
    while "$ref" in node and not node["$ref"].endswith("/address"):
        node = schema()["$defs"][node["$ref"].rpartition("/")[2]]
    if "properties" in node:
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
    found: set[str] = set()
    if isinstance(value, dict) and ("properties" in node or "additionalProperties" in node):
        free = node.get("additionalProperties")
        for key, inner in value.items():
            known = node.get("properties", {}).get(key)
            below = f"{path}.{key}" if path else key
            if known is None and not isinstance(free, dict):
                found |= set() if free is True else {below}
            else:
                found |= unknown_fields(inner, known or free, below)
    elif isinstance(value, dict) and value and "properties" not in node:
        found.add(f"{path}.(object)")
    elif isinstance(value, list) and isinstance(node.get("items"), dict):
        for inner in value:
            found |= unknown_fields(inner, node["items"], f"{path}[]")
    return found


@cache
def _validator() -> Any:
    import jsonschema

    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


def problems(record: Any) -> list[str]:
    """Return what is wrong with a record by the schema, and its keys that the schema lacks."""
    errors = _validator().iter_errors(record)
    told = [f"{error.json_path}: {error.message}"[:300] for error in errors]
    return told + [f"{path}: not in the schema" for path in sorted(unknown_fields(record))]
