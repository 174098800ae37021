# SPDX-License-Identifier: Apache-2.0
"""Times of crashes judged by their neighbours: crashes that arrived beside each other.

Where records arrive soon after the crashes, those of one host that lie days from the others' tell
of its clock. Where they came in bulk only a few that lie apart from all others by months do. A time
that is set aside is unknown from here on; the crash still counts for its host and its signature.
"""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, Floats, Ints, blocks
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
    known = ~(np.isnan(ts) | stray)
    # Where all are, as a rule, nothing is copied: of ten million each column has 80 MB.
    at = None if known.all() else np.flatnonzero(known)
    times, hosts = (ts, host) if at is None else (ts[at], host[at])
    days_off: dict[int, float] = {}
    if times.size >= BLOCK:
        off = _from_neighbours(times, hosts)
        is_off = np.zeros(off.size, dtype=bool)
        is_off[_beyond(off, CRASH_OFF)] = True
        suspects = np.unique(hosts[_beyond(off, HOST_OFF)])
        for code in suspects[suspects >= 0].tolist():
            mine = hosts == code
            middle = float(np.median(off[mine]))
            if int(mine.sum()) >= MIN_OFF and abs(middle) >= HOST_OFF:
                days_off[code] = round(middle / SECONDS_A_DAY, 1)
                is_off |= mine
        stray[is_off if at is None else at[is_off]] = True
    judged = np.where(stray, np.nan, ts) if stray.any() else ts
    return JudgedTimes(judged, _places(judged, received), stray, days_off)


def _beyond(off: Floats, limit: float) -> Bools:
    return (off >= limit) | (off <= -limit)


def _far_from_all(ts: Floats) -> Bools:
    """The few that lie MIN_GAP days before, or after, all others."""
    far = np.zeros(ts.size, dtype=bool)
    unknown = np.isnan(ts)
    known = ts[~unknown] if unknown.any() else ts
    few = int(MAX_STRAY * known.size)
    if not few:
        return far
    apart = MIN_GAP * SECONDS_A_DAY
    lowest = np.sort(np.partition(known, few)[: few + 1])
    early = np.flatnonzero(np.diff(lowest) >= apart)
    if early.size:
        far |= ts <= lowest[early[-1]]
    highest = np.sort(np.partition(known, known.size - few - 1)[-few - 1 :])
    late = np.flatnonzero(np.diff(highest) >= apart)
    if late.size:
        far |= ts >= highest[late[0] + 1]
    return far


def _from_neighbours(ts: Floats, host: Ints) -> Floats:
    """Seconds between each time and the median of its block; 0 where a block tells nothing."""
    off = np.zeros(ts.size)
    whole = ts.size // BLOCK * BLOCK
    for part in blocks(whole):  # of many blocks
        end = min(part.stop, whole)
        times = ts[part.start : end].reshape(-1, BLOCK)
        own = np.sort(host[part.start : end].reshape(-1, BLOCK), axis=1)
        # Half of a sorted row that is one value spans from some place to half a row further.
        of_one_host = (own[:, : -BLOCK // 2] == own[:, BLOCK // 2 :]).any(axis=1)
        middle = np.median(times, axis=1)[:, None]
        spread = np.median(np.abs(times - middle), axis=1)
        tells = (spread <= SPREAD) & ~of_one_host
        limit = np.where(tells, APART * spread, np.inf)[:, None]
        off[part.start : end] = _if_beyond(times - middle, limit).ravel()
        if end == whole:  # the rest goes with the last block
            off[end:] = _if_beyond(ts[end:] - middle[-1], limit[-1])
    return off


def _if_beyond(off: Floats, limit: Floats) -> Floats:
    return np.where(np.abs(off) >= limit, off, 0.0)


def _places(ts: Floats, received: Floats) -> Floats:
    """Where each crash lies in time; one of unknown time is no later than the last known one."""
    unknown = np.flatnonzero(np.isnan(ts))
    if not unknown.size:
        return ts
    place: Floats = ts.copy()
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
