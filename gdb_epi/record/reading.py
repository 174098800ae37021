# SPDX-License-Identifier: Apache-2.0
"""Read parts of a record that anybody may have made: what has another shape counts as absent."""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.typing_lite import Any


def group_in(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a group of a record, or a map within a group; an empty one when it is not there."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def grouping_line(signature: Mapping[str, Any]) -> str:
    """Return the line of the key that groups a crash (SPEC.md 1.3); "" without one."""
    name = group_in(signature, "group").get("key") or "stable"
    return str(group_in(signature, "text").get(name) or "")
