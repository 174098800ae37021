# SPDX-License-Identifier: Apache-2.0
"""What may be kept: locals and exception messages never go into the database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Keys whose value is dropped wherever it stands.
DROPPED = frozenset({"locals"})
# Groups of the record in which "message" is the text of a Python exception.
EXCEPTION_GROUPS = frozenset({"exception", "exceptions"})
MAX_DEPTH = 64  # a record is about 8 deep; deeper is not ours


def storable(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a record without locals and exception messages."""
    return {key: _clean(value, key, 1) for key, value in record.items() if key not in DROPPED}


def _clean(value: Any, group: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        return None
    if isinstance(value, Mapping):
        kept = {}
        for key, inner in value.items():
            if key in DROPPED or (key == "message" and group in EXCEPTION_GROUPS):
                continue
            # A list or map inside an exception group (cause, context) stays one.
            kept[key] = _clean(inner, group if group in EXCEPTION_GROUPS else key, depth + 1)
        return kept
    if isinstance(value, (list, tuple)):
        return [_clean(item, group, depth + 1) for item in value]
    return value
