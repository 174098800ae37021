# SPDX-License-Identifier: Apache-2.0
"""Times of crashes judged by their neighbours: crashes that arrived beside each other.

Where records arrive soon after the crashes, those of one host that lie days from the others' tell
of its clock. Where they came in bulk only a few that lie apart from all others by months do. A time
that is set aside is unknown from here on; the crash still counts for its host and its signature.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, Floats, Ints
from gdb_epi.fleet.store.days import SECONDS_A_DAY
from gdb_epi.typing_lite import NamedTuple

MIN_GAP = 60  # days without a crash before those of a clock that is wrong
MAX_STRAY = 0.002  # share of the crashes that such a clock may have made
BLOCK = 16  # crashes that arrived beside each other
SPREAD = SECONDS_A_DAY  # of a block that arrived as it happened: median distance from its median
HOST_OFF = 2 * SECONDS_A_DAY  # of at least MIN_OFF crashes of a host, by their median
MIN_OFF = 2
CRASH_OFF = 30 * SECONDS_A_DAY  # of one crash
APART = 20  # times the spread of its block that a crash must lie away


class JudgedTimes(NamedTuple):
    """Times of crashes in the order in which they came in, and what was set aside."""

    ts: Floats  # seconds since the epoch, NaN where it is not known
    place: Floats  # where a crash lies in that order of time: its time, else about when it arrived
    stray: Bools  # far from all others, or from those that arrived with it
    days_off: dict[int, float]  # code of a host whose clock is off -> by how many days


def judge_times(ts: Floats, received: Floats, host: Ints) -> JudgedTimes:
    """Judge times (seconds since the epoch, NaN: unknown), given in the order of arrival.

    `received` is when crashes of unknown time came (NaN where that is not known either), `host` the
    code of each crash's host (below 0: none).
    """
    stray = _far_from_all(ts)
    at = np.flatnonzero(~np.isnan(ts) & ~stray)
    off = np.zeros(at.size)  # seconds from the neighbours; 0 where these tell nothing
    days_off: dict[int, float] = {}
    if at.size >= BLOCK:
        off = _from_neighbours(ts[at], host[at])
        stray[at[np.abs(off) >= CRASH_OFF]] = True
        suspects = np.unique(host[at[np.abs(off) >= HOST_OFF]])
        for code in suspects[suspects >= 0].tolist():
            mine = host[at] == code
            middle = float(np.median(off[mine]))
            if int(mine.sum()) >= MIN_OFF and abs(middle) >= HOST_OFF:
                days_off[code] = round(middle / SECONDS_A_DAY, 1)
                stray[at[mine]] = True
    judged = np.where(stray, np.nan, ts)
    return JudgedTimes(judged, _places(judged, received), stray, days_off)


def _far_from_all(ts: Floats) -> Bools:
    """The few that lie MIN_GAP days before, or after, all others."""
    far = np.zeros(ts.size, dtype=bool)
    order = np.argsort(ts, kind="stable")  # NaN last
    order = order[: int((~np.isnan(ts)).sum())]
    few = int(MAX_STRAY * order.size)
    gaps = np.diff(ts[order]) >= MIN_GAP * SECONDS_A_DAY
    early, late = np.flatnonzero(gaps[:few]), np.flatnonzero(gaps[::-1][:few])
    if early.size:
        far[order[: early[-1] + 1]] = True
    if late.size:
        far[order[order.size - late[-1] - 1 :]] = True
    return far


def _from_neighbours(ts: Floats, host: Ints) -> Floats:
    """Seconds between each time and the median of its block; 0 where a block tells nothing."""
    starts = np.arange(ts.size // BLOCK) * BLOCK
    rows = starts[:, None] + np.arange(BLOCK)
    block = np.minimum(np.arange(ts.size) // BLOCK, starts.size - 1)  # the rest: with the last
    own = np.sort(host[rows], axis=1)
    # Half of a sorted row that is one value spans from some place to half a row further.
    of_one_host = (own[:, : -BLOCK // 2] == own[:, BLOCK // 2 :]).any(axis=1)
    middle = np.median(ts[rows], axis=1)
    spread = np.median(np.abs(ts[rows] - middle[:, None]), axis=1)
    tells = (spread <= SPREAD) & ~of_one_host
    off = ts - middle[block]
    return np.asarray(np.where(tells[block] & (np.abs(off) >= APART * spread[block]), off, 0.0))


def _places(ts: Floats, received: Floats) -> Floats:
    """Where each crash lies in time; one of unknown time is no later than the last known one."""
    unknown = np.flatnonzero(np.isnan(ts))
    place: Floats = ts.copy()
    if not unknown.size:
        return place
    timed = np.flatnonzero(~np.isnan(ts))
    if not timed.size:
        place[unknown] = np.nan_to_num(received[unknown], nan=0.0)
        return place
    beside = ts[timed[np.minimum(np.searchsorted(timed, unknown), timed.size - 1)]]
    arrived = np.where(np.isnan(received[unknown]), beside, received[unknown])
    place[unknown] = np.minimum(arrived, np.nanmax(ts))
    return place


def whole_seconds(ts: Floats) -> Ints:
    """Return times as whole seconds since the epoch; ABSENT: unknown."""
    return np.asarray(np.nan_to_num(np.floor(ts), nan=float(ABSENT)), dtype=np.int64)
