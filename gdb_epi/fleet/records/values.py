# SPDX-License-Identifier: Apache-2.0
"""Values out of records that come from afar: of the right kind and size, or absent."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

MAX_TEXT = 4096  # characters of one text column; `raw` keeps the rest
MAX_ATTRIBUTES = 256  # of one host
INT32 = 1 << 31


def text(value: Any, most: int = MAX_TEXT) -> str | None:
    """Return a text that every database takes, None when the value is no text."""
    if not isinstance(value, str):
        return None
    if len(value) <= most and value.isascii() and "\0" not in value:
        return value
    # PostgreSQL takes no NUL and nobody takes lone surrogates.
    plain = value[:most].replace("\0", "\\x00")
    return plain.encode("utf-8", "backslashreplace").decode("utf-8")


def number(value: Any) -> float | None:
    """Return a finite float, None when the value is no number."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        plain = float(value)
    except OverflowError:
        return None
    return plain if math.isfinite(plain) else None


def integer(value: Any, limit: int = INT32) -> int | None:
    """Return an int within +-limit, None when the value is none."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if -limit <= value < limit else None


def timestamp(value: Any) -> float | None:
    """Return seconds since the epoch from a number or an ISO 8601 text."""
    if not isinstance(value, str):
        return number(value)
    try:
        moment = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
        return zoned.timestamp()
    except (ValueError, OverflowError):
        return None


def scalars(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts, numbers and truth values of a map as texts, at most MAX_ATTRIBUTES."""
    texts: dict[str, str] = {}
    for name, value in sorted(given.items(), key=lambda pair: str(pair[0])):
        if isinstance(value, (str, int, float, bool)) and len(texts) < MAX_ATTRIBUTES:
            clean = text(value if isinstance(value, str) else json.dumps(value))
            texts[text(str(name)) or ""] = clean or ""
    return texts
