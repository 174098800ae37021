# SPDX-License-Identifier: Apache-2.0
"""Days as the fleet counts them: since 1970-01-01, in UTC."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Any

from gdb_epi.fleet.records.values import number

EPOCH = date(1970, 1, 1)
SECONDS_A_DAY = 86_400.0
MAX_DAY = 100_000  # in the year 2243


def iso_day(day: int) -> str:
    """Return a day number as YYYY-MM-DD."""
    return (EPOCH + timedelta(days=day)).isoformat()


def day_of(moment: float | None) -> str:
    """Return the day (UTC) of a moment, which is seconds since the epoch; `?` of none."""
    return iso_day(int(moment // SECONDS_A_DAY)) if moment is not None else "?"


def day_number(value: Any) -> int | None:
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
            return _near(zoned.timestamp() // SECONDS_A_DAY)
    plain = number(value)
    if plain is None:
        return None
    return _near(plain if abs(plain) < MAX_DAY else plain // SECONDS_A_DAY)


def _near(day: float) -> int | None:
    return int(day) if abs(day) <= MAX_DAY else None
