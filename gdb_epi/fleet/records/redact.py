# SPDX-License-Identifier: Apache-2.0
"""What may be kept: locals and exception messages never go into the database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Keys whose value is dropped wherever it stands.
DROPPED = frozenset({"locals", "variables", "globals"})
# Groups of the record in which these keys hold texts of a Python exception.
EXCEPTION_GROUPS = frozenset({"exception", "exceptions"})
EXCEPTION_TEXTS = frozenset({"message", "args", "notes"})
MAX_DEPTH = 64  # a record is about 8 deep; deeper is not ours


# Looking for exact types first is three times as fast as isinstance with Mapping.
_SCALARS = (str, int, float, bool, type(None))


def is_storable_text(line: bytes) -> bool:
    """Whether `storable` would surely drop nothing from the record that this JSON text holds.

    A backslash could spell a key another way; NULs are another encoding.
    """
    if b"\\" in line or b"\0" in line or not line.isascii():
        return False
    if b'"locals"' in line or b'"variables"' in line or b'"globals"' in line:
        return False
    if b'"exception' not in line:
        return True
    return not (b'"message"' in line or b'"args"' in line or b'"notes"' in line)


def storable_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a record without locals and exception messages."""
    return {
        key: value if type(value) in _SCALARS else _clean(value, key, 1)
        for key, value in record.items()
        if key not in DROPPED
    }


def _clean(value: Any, group: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        return None
    inside = depth + 1
    if isinstance(value, (list, tuple)):
        return [x if type(x) in _SCALARS else _clean(x, group, inside) for x in value]
    if not isinstance(value, Mapping):
        return value
    in_exception = group in EXCEPTION_GROUPS
    kept = {}
    for key, inner in value.items():
        if key in DROPPED or (in_exception and key in EXCEPTION_TEXTS):
            continue
        if type(inner) not in _SCALARS:
            # A list or map inside an exception group (cause, context) stays one.
            inner = _clean(inner, group if in_exception else key, inside)
        kept[key] = inner
    return kept
