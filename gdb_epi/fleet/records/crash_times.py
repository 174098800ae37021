# SPDX-License-Identifier: Apache-2.0
"""When a core's process died, judged by when its record arrived.

A core holds no wall clock, so the time of a crash is what somebody's clock said. One that cannot be
true must not decide what is new: it is kept aside as the claim that it is, and the crash counts as
one whose time is not known.
"""

from __future__ import annotations

from typing import Any

EARLIEST = 946_684_800.0  # 2000-01-01 UTC: a clock that lost its battery begins in 1970, 1980 ...
AHEAD = 3_600.0  # seconds after its own arrival that a crash may claim: clocks differ by minutes
FILE_DATE = "mtime"  # source of a time: a copy of the file changes it
NO_ZONE = "no zone"  # the same of a text without a time zone: it may be half a day off
UNREADABLE = "unreadable"  # the same of what is no time at all
UNFIT = (FILE_DATE, NO_ZONE)  # sources of which no time is believed


def judge_time(
    ts: float | None, source: Any, received: float | None
) -> tuple[float | None, float | None]:
    """Return the time of a crash and the claim that was set aside; one of them is None.

    All are seconds since the epoch (UTC). `received` is when the record came to the database, None
    where that is not known.
    """
    if ts is None or is_possible_time(ts, source, received):
        return ts, None
    return None, ts


def why_time_is_missing(claimed: float | None, source: Any) -> str:
    """Return why a crash has no time, as a word for `quality`; `claimed` is what was set aside."""
    if claimed is None:
        return UNREADABLE if source == UNREADABLE else "none"
    if source in UNFIT:
        return "file date" if source == FILE_DATE else NO_ZONE
    return "before 2000" if claimed < EARLIEST else "ahead"


def is_possible_time(ts: float, source: Any, received: float | None) -> bool:
    """Whether a claimed time is of a clock and zone, neither ahead of its arrival nor too old."""
    if source in UNFIT or ts < EARLIEST:
        return False
    return received is None or ts <= received + AHEAD
