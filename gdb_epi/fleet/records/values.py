# SPDX-License-Identifier: Apache-2.0
"""Values out of records that come from afar: of the right kind and size, or absent."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import datetime, timezone, tzinfo
from typing import Any, NamedTuple

MAX_TEXT = 4096  # characters of one text column; `raw` keeps the rest
MAX_ATTRIBUTES = 256  # of one host
INT32 = 1 << 31


def text_or_none(value: Any, most: int = MAX_TEXT) -> str | None:
    """Return a text that every database takes, None when the value is no text."""
    if not isinstance(value, str):
        return None
    if len(value) <= most and value.isascii() and "\0" not in value:
        return value
    # PostgreSQL takes no NUL and nobody takes lone surrogates.
    plain = value[:most].replace("\0", "\\x00")
    return plain.encode("utf-8", "backslashreplace").decode("utf-8")


def number_or_none(value: Any) -> float | None:
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


def int32_or_none(value: Any, limit: int = INT32) -> int | None:
    """Return the value if it is an int with -limit <= value < limit, otherwise None."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if -limit <= value < limit else None


class ClaimedTime(NamedTuple):
    """A time as a record has it; without a zone it may be that of any place on earth."""

    seconds: float | None  # since the epoch, as if it were UTC where it has no zone; None: no time
    has_zone: bool = True


# Seconds, or thousands of them: no clock of this century shows one for the other.
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))  # from which number on, so many a second
# ISO 8601 and what is written for it, the same on every version of Python.
_ISO = re.compile(
    r"(?P<date>\d{4}-?\d\d-?\d\d)(?:[T ]\s*(?P<hour>\d\d):?(?P<minute>\d\d)"
    r"(?::?(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?)?"
    r"\s*(?P<zone>Z|UTC|GMT|(?P<sign>[+-])(?P<off>\d\d):?(?P<offmin>\d\d)?)?",
    re.IGNORECASE | re.ASCII,
)


def claimed_time(value: Any) -> ClaimedTime:
    """Return the time that a number (since the epoch) or an ISO 8601 text says.

    A number too large for seconds is one of milli-, micro- or nanoseconds.
    """
    if isinstance(value, str):
        value = value.strip()
        match = _ISO.fullmatch(value)
        if match is not None:
            return _iso_time(match)
        try:
            value = float(value)
        except ValueError:
            return ClaimedTime(None)
    plain = number_or_none(value)
    for least, a_second in _UNITS if plain is not None and plain >= _UNITS[-1][0] else ():
        if plain is not None and plain >= least:
            return ClaimedTime(plain / a_second)
    return ClaimedTime(plain)


def _iso_time(match: re.Match[str]) -> ClaimedTime:
    part = match.groupdict()
    date = part["date"].replace("-", "")
    try:
        moment = datetime(
            int(date[:4]), int(date[4:6]), int(date[6:]), int(part["hour"] or 0),
            int(part["minute"] or 0), min(int(part["second"] or 0), 59), tzinfo=timezone.utc,
        )  # fmt: skip
        seconds = moment.timestamp() + float(f"0.{part['fraction'] or 0}")
    except (ValueError, OverflowError):
        return ClaimedTime(None)
    if part["sign"]:
        ahead = int(part["off"]) * 3600 + int(part["offmin"] or 0) * 60
        seconds -= ahead if part["sign"] == "+" else -ahead
    return ClaimedTime(seconds, part["zone"] is not None and part["hour"] is not None)


def with_time_zone(record: Mapping[str, Any], zone: tzinfo) -> Mapping[str, Any]:
    """Return a record whose time of the day, where it lacks a zone, is one of this zone."""
    time = record.get("time")
    if not isinstance(time, dict):
        return record
    moment = time.get("crash_ts")
    match = _ISO.fullmatch(moment.strip()) if isinstance(moment, str) else None
    if match is None or match["zone"] or not match["hour"]:
        return record
    seconds = _iso_time(match).seconds
    if seconds is None:
        return record
    local = datetime.fromtimestamp(seconds, timezone.utc).replace(tzinfo=zone)
    return {**record, "time": {**time, "crash_ts": local.isoformat()}}


def scalar_texts(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts, numbers and truth values of a map as texts, at most MAX_ATTRIBUTES."""
    texts: dict[str, str] = {}
    for name, value in sorted(given.items(), key=lambda pair: str(pair[0])):
        if isinstance(value, (str, int, float, bool)) and len(texts) < MAX_ATTRIBUTES:
            clean = text_or_none(value if isinstance(value, str) else json.dumps(value))
            texts[text_or_none(str(name)) or ""] = clean or ""
    return texts
