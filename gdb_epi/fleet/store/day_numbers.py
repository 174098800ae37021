# SPDX-License-Identifier: Apache-2.0
"""Days as the fleet counts them: since 1970-01-01, in UTC."""

from __future__ import annotations

import re
from datetime import MAXYEAR, MINYEAR, date, datetime, timedelta, timezone
from typing import Any

from gdb_epi.fleet.records.values import number_or_none

EPOCH = date(1970, 1, 1)
SECONDS_A_DAY = 86_400.0
MAX_DAY = 100_000  # in the year 2243
_PERIOD = re.compile(r"(\d{4})(?:-(\d{2}))?")  # a year, or a month of it


def iso_day(day: int) -> str:
    """Return a day number as YYYY-MM-DD."""
    return (EPOCH + timedelta(days=day)).isoformat()


def iso_moment(second: int) -> str:
    """Return seconds since the epoch as YYYY-MM-DD HH:MM UTC."""
    minute = second % int(SECONDS_A_DAY) // 60
    return f"{iso_day(second // int(SECONDS_A_DAY))} {minute // 60:02}:{minute % 60:02} UTC"


def utc_day_text(moment: float | None) -> str:
    """Return the day (UTC) of a moment, which is seconds since the epoch; `?` of none."""
    return iso_day(int(moment // SECONDS_A_DAY)) if moment is not None else "?"


def parse_day(value: Any) -> int | None:
    """Return days since 1970-01-01 (UTC) from an ISO date or time, epoch seconds or day number.

    A number below MAX_DAY is a day, else seconds; None for what is neither, or beyond MAX_DAY.
    """
    if isinstance(value, str):
        stripped = value.strip()
        try:
            moment = datetime.fromisoformat(stripped.replace("Z", "+00:00"))
        except ValueError:
            try:
                value = float(stripped)
            except ValueError:
                return None
        else:
            zoned = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
            return _day_or_none(zoned.timestamp() // SECONDS_A_DAY)
    plain = number_or_none(value)
    if plain is None:
        return None
    return _day_or_none(plain if abs(plain) < MAX_DAY else plain // SECONDS_A_DAY)


def parse_day_range(words: str) -> tuple[int, int] | None:
    """Return the first and last day of what a user wrote: a year, a month, a day or a time.

    `2026` is a year here, never the day of that number; None for what is none of these.
    """
    period = _PERIOD.fullmatch(words.strip())
    if period is None:
        day = parse_day(words)
        return None if day is None else (day, day)
    year, month = int(period[1]), int(period[2] or 0)
    if not MINYEAR <= year < MAXYEAR or month > 12 or (period[2] and not month):
        return None
    after = date(year + 1, 1, 1) if month in (0, 12) else date(year, month + 1, 1)
    first, last = date(year, month or 1, 1) - EPOCH, after - EPOCH
    return first.days, last.days - 1


def parse_written_day(words: str) -> int | None:
    """Return the one day that a user wrote; None for a month or a year, and for what is no day."""
    days = parse_day_range(words)
    return days[0] if days is not None and days[0] == days[1] else None


def _day_or_none(day: float) -> int | None:
    return int(day) if abs(day) <= MAX_DAY else None
