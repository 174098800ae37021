# SPDX-License-Identifier: Apache-2.0
"""Times of crashes judged by their neighbours: crashes that arrived beside each other.

Where records arrive soon after the crashes, those of one host that lie days from the others' tell
of its clock. Where they came in bulk only a few that lie apart from all others by months do. A time
that is set aside is unknown from here on; the crash still counts for its host and its signature.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, Floats, Ints, row_blocks
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY
from gdb_epi.typing_lite import NamedTuple

MIN_GAP = 60  # days without a crash before those of a clock that is wrong
MAX_STRAY = 0.002  # share of the crashes that such a clock may have made
# A dead battery sets a clock to its maker's date, of all hosts of a power cut at once.
MIN_YEARS = 730  # days without a crash beside such a date
MAX_RESET, MIN_RESET = 0.05, 5  # of the crashes, and at least so many
BLOCK = 16  # crashes that arrived beside each other
SPREAD = SECONDS_A_DAY  # of a block that arrived as it happened: median distance from its median
HOST_OFF = 2 * SECONDS_A_DAY  # of at least MIN_OFF crashes of a host, and of most of them
MIN_OFF = 2
CRASH_OFF = 30 * SECONDS_A_DAY  # of one crash
BACK = 8  # times the spread of its block that a clock that went back must lie behind
APART = 20  # times the spread of its block that a crash must lie away
AHEAD = 0.75 * SECONDS_A_DAY  # of a host's crashes, by their median
MIN_AHEAD = 3  # crashes
MOSTLY_AHEAD = 0.8  # of its crashes
MIN_SCORE = 5.0  # standard deviations of the sum
MIN_SPREAD = 3_600.0
MIN_DUE = 14.0  # crashes of other hosts between their last one and a lone later host: exp(-14)


class JudgedTimes(NamedTuple):
    """Times of crashes in the order in which they came in, and what was set aside."""

    ts: Floats  # seconds since the epoch, NaN where it is not known
    sort_time: Floats  # by which a crash is sorted: its time, else about when it arrived
    stray: Bools  # far from all others, or from those that arrived with it
    days_off: dict[int, float]  # code of a host whose clock is off -> by how many days
    days_ahead: dict[int, float]  # the same of those that may be ahead: nothing is set aside
    went_back: dict[int, int]  # code of a host whose clock was behind at times -> its crashes so
    after_all: dict[int, float] = {}  # code of the host alone after all hours -> days after others


class ResetClocks(NamedTuple):
    """Crashes whose times lie years from all others: between what they say, and when they came.

    They are known by the crashes that arrived beside them. All times are seconds since the epoch.
    """

    says: tuple[float, float]  # the first and the last of their times
    came: tuple[float, float]  # of the believed times beside them, the 10 % and 90 % points
    hosts: tuple[int, ...]  # codes
    crashes: int


def find_reset_clocks(ts: Floats, judged: Floats, host: Ints) -> ResetClocks | None:
    """Return the crashes that say another year than those beside them, in order of arrival."""
    timed, stray = (
        np.flatnonzero(x) for x in (~np.isnan(judged), np.isnan(judged) & ~np.isnan(ts))
    )
    if not timed.size or not stray.size:
        return None
    place = np.clip(np.searchsorted(timed, stray) - 1, 0, timed.size - 1)
    beside = judged[timed[place]]
    is_far = np.abs(ts[stray] - beside) >= MIN_YEARS * SECONDS_A_DAY
    if not is_far.any():
        return None
    rows, beside = stray[is_far], beside[is_far]
    low, high = np.quantile(beside, (0.1, 0.9)).tolist()
    hosts = np.unique(host[rows][host[rows] >= 0]).tolist()
    says = float(ts[rows].min()), float(ts[rows].max())
    return ResetClocks(says, (low, high), tuple(hosts), int(rows.size))


def judge_times(
    ts: Floats,
    received: Floats,
    host: Ints,
    build: Ints | None = None,
    end_of_hours: float | None = None,
) -> JudgedTimes:
    """Judge times (seconds since the epoch, NaN: unknown), given in the order of arrival.

    `received` is when crashes of unknown time came (NaN where that is not known either), `host` the
    code of each crash's host (below 0: none), `build` that of what it ran. From `end_of_hours` on
    no host has host-hours (None: there are none at all).
    """
    stray = _times_far_from_all_others(ts)
    after_all: dict[int, float] = {}
    stray |= _crashes_alone_after_host_hours(end_of_hours, ts, host, stray, after_all)
    has_time = ~(np.isnan(ts) | stray)
    # Where all are, as a rule, nothing is copied: of ten million each column has 80 MB.
    at = None if has_time.all() else np.flatnonzero(has_time)
    times, hosts = (ts, host) if at is None else (ts[at], host[at])
    days_off: dict[int, float] = {}
    days_ahead: dict[int, float] = {}
    went_back: dict[int, int] = {}
    if times.size >= BLOCK:
        off, back, days_ahead = _distance_to_neighbours(times, hosts)
        is_off = back
        if back.any():
            builds = build if at is None or build is None else build[at]
            is_off = _times_of_clocks_that_went_back(back, times, hosts, builds)
            codes, counts = np.unique(hosts[is_off], return_counts=True)
            went_back = dict(zip(codes.tolist(), counts.tolist(), strict=True))
        is_off[_differs_by_at_least(off, CRASH_OFF)] = True
        suspects = np.unique(hosts[_differs_by_at_least(off, HOST_OFF)])
        for code in suspects[suspects >= 0].tolist():
            mine = hosts == code
            far = off[mine][_differs_by_at_least(off[mine], HOST_OFF)]
            if far.size >= MIN_OFF and 2 * far.size > int(mine.sum()):
                days_off[code] = round(float(np.median(far)) / SECONDS_A_DAY, 1)
                is_off |= mine
        stray[is_off if at is None else at[is_off]] = True
    judged = np.where(stray, np.nan, ts) if stray.any() else ts
    days_ahead = {code: days for code, days in days_ahead.items() if code not in days_off}
    went_back = {code: many for code, many in went_back.items() if code not in days_off}
    sort_time = _effective_times_for_sorting(judged, received)
    return JudgedTimes(judged, sort_time, stray, days_off, days_ahead, went_back, after_all)


def _crashes_alone_after_host_hours(
    end: float | None, ts: Floats, host: Ints, stray: Bools, after_all: dict[int, float]
) -> Bools:
    """Return the crashes of one host that lie alone after all host-hours, days after all others.

    Without host-hours (`end` is None) they lie two days after the last crash of any other host.
    The host is added to `after_all`. None is such where the others may have had no crash by chance,
    nor where most crashes of the host lie there: it may be new.
    """
    known = ~(stray | np.isnan(ts))
    if end is None:
        times, hosts = ts[known], host[known]
        others = times[hosts != hosts[times.argmax()]] if times.size else times
        end = float(others.max(initial=-np.inf)) + HOST_OFF
        if bool((known & (ts < end) & (ts > end - HOST_OFF)).any()):  # it had some before, too
            return np.zeros(ts.size, dtype=bool)
    later = known & (ts >= end)
    hosts = np.unique(host[later])
    others = ts[known & (ts < end)]
    if hosts.size != 1 or hosts[0] < 0 or others.size < BLOCK:
        return np.zeros(ts.size, dtype=bool)
    last = float(others.max())
    gap, span = float(ts[later].min()) - last, max(last - float(others.min()), SECONDS_A_DAY)
    is_new = 2 * np.count_nonzero(later) > np.count_nonzero(host == hosts[0])
    if is_new or others.size * gap / span < MIN_DUE:
        return np.zeros(ts.size, dtype=bool)
    after_all[int(hosts[0])] = round(gap / SECONDS_A_DAY, 1)
    return later


def _times_of_clocks_that_went_back(
    back: Bools, ts: Floats, host: Ints, build: Ints | None
) -> Bools:
    """Return which of the times far `back` from their neighbours' are of clocks that went back.

    What a host sends late it sends in order, and with what it ran then: a time before that of an
    earlier arrival of the same host is none, nor one at which its build was not there yet.
    """
    mine = np.flatnonzero(np.isin(host, np.unique(host[back])) & (host >= 0))
    mine = mine[np.argsort(host[mine], kind="stable")]
    latest: dict[int, float] = {}
    is_wrong = np.zeros(ts.size, dtype=bool)
    for row, code, when in zip(mine.tolist(), host[mine].tolist(), ts[mine].tolist(), strict=True):
        if back[row]:
            is_wrong[row] = when < latest.get(code, -np.inf) - HOST_OFF
        else:
            latest[code] = max(when, latest.get(code, when))
    if build is not None:
        asked = np.flatnonzero(back & (build >= 0) & (host >= 0))
        others = np.flatnonzero(~back & np.isin(build, build[asked]))
        first = dict[int, float]()
        for code, when in zip(build[others].tolist(), ts[others].tolist(), strict=True):
            first[code] = min(when, first.get(code, when))
        for row in asked.tolist():
            is_wrong[row] |= ts[row] < first.get(int(build[row]), -np.inf) - SECONDS_A_DAY
    return is_wrong


def _differs_by_at_least(off: Floats, limit: float) -> Bools:
    return (off >= limit) | (off <= -limit)


def _times_far_from_all_others(ts: Floats) -> Bools:
    """The few that lie MIN_GAP days (more of them MIN_YEARS) before, or after, all others."""
    far = np.zeros(ts.size, dtype=bool)
    unknown = np.isnan(ts)
    times = ts[~unknown] if unknown.any() else ts
    for share, apart in ((MAX_STRAY, MIN_GAP), (MAX_RESET, MIN_YEARS)):
        few = int(share * times.size)
        if few < (MIN_RESET if share == MAX_RESET else 1):
            continue
        gap = apart * SECONDS_A_DAY
        lowest = np.sort(np.partition(times, few)[: few + 1])
        early = np.flatnonzero(np.diff(lowest) >= gap)
        if early.size:
            far |= ts <= lowest[early[-1]]
        highest = np.sort(np.partition(times, times.size - few - 1)[-few - 1 :])
        late = np.flatnonzero(np.diff(highest) >= gap)
        if late.size:
            far |= ts >= highest[late[0] + 1]
    return far


def _distance_to_neighbours(ts: Floats, host: Ints) -> tuple[Floats, Bools, dict[int, float]]:
    """Return the seconds between each time and those beside it, 0 where that may be chance.

    And which lie days behind, and the hosts that may be ahead of what came in beside them, with the
    days.
    """
    off, back, ahead = np.zeros(ts.size), np.zeros(ts.size, dtype=bool), []
    for rows, away, spread in _offsets_from_blocks(ts, host):
        back[rows] = away <= -np.maximum(HOST_OFF, BACK * spread)
        off[rows] = np.where(np.abs(away) >= APART * spread, away, 0.0)
        ahead.append(host[rows][(away >= AHEAD) & np.isfinite(spread)])
    codes, counts = np.unique(np.concatenate(ahead), return_counts=True)
    some = codes[(counts >= MIN_AHEAD) & (codes >= 0)]
    return off, back, _days_ahead_by_host(ts, host, some) if some.size else {}


def _days_ahead_by_host(ts: Floats, host: Ints, some: Ints) -> dict[int, float]:
    """Return which of some hosts are ahead beyond chance, and by how many days.

    A crash can arrive late, and looks behind its neighbours then; none arrives before it happened.
    Times between those of a block are as if drawn evenly, from twice the spread on either side of
    its median, so that one of them has a deviation of 2 / sqrt(3) = 1.15 spreads.
    """
    parts = []
    for rows, away, spread in _offsets_from_blocks(ts, host):
        mine = np.isin(host[rows], some) & np.isfinite(spread)
        parts.append((host[rows][mine], away[mine], np.broadcast_to(spread, away.shape)[mine]))
    hosts, away, spread = (np.concatenate(column) for column in zip(*parts, strict=True))
    days: dict[int, float] = {}
    for code in some.tolist():
        mine = hosts == code
        by, error = away[mine], 2 / np.sqrt(3) * np.maximum(spread[mine], MIN_SPREAD)
        middle = float(np.median(by))
        score = float(np.minimum(by, 2 * middle).sum() / np.sqrt((error**2).sum()))
        if middle >= AHEAD and score >= MIN_SCORE and (by > 0).mean() >= MOSTLY_AHEAD:
            days[code] = round(middle / SECONDS_A_DAY, 1)
    return days


def _offsets_from_blocks(ts: Floats, host: Ints) -> Iterator[tuple[slice, Floats, Floats]]:
    """Yield some rows, their seconds from the median of their block, and the block's spread.

    That is infinite where a block tells nothing.
    """
    whole = ts.size // BLOCK * BLOCK
    for part in row_blocks(whole):  # of many blocks
        end = min(part.stop, whole)
        times = ts[part.start : end].reshape(-1, BLOCK)
        own = np.sort(host[part.start : end].reshape(-1, BLOCK), axis=1)
        # Half of a sorted row that is one value spans from some place to half a row further.
        of_one_host = (own[:, : -BLOCK // 2] == own[:, BLOCK // 2 :]).any(axis=1)
        middle = np.median(times, axis=1)[:, None]
        spread = np.median(np.abs(times - middle), axis=1)
        spread = np.where((spread <= SPREAD) & ~of_one_host, spread, np.inf)
        yield slice(part.start, end), (times - middle).ravel(), np.repeat(spread, BLOCK)
        if end == whole < ts.size:  # the rest goes with the last block
            yield slice(end, ts.size), ts[end:] - middle[-1], spread[-1:]


def _effective_times_for_sorting(ts: Floats, received: Floats) -> Floats:
    """Where each crash lies in time; one of unknown time is no later than the last known one."""
    unknown = np.flatnonzero(np.isnan(ts))
    if not unknown.size:
        return ts
    sort_time: Floats = ts.copy()
    timed = np.flatnonzero(~np.isnan(ts))
    if not timed.size:
        sort_time[unknown] = np.nan_to_num(received[unknown], nan=0.0)
        return sort_time
    beside = ts[timed[np.minimum(np.searchsorted(timed, unknown), timed.size - 1)]]
    arrived = np.where(np.isnan(received[unknown]), beside, received[unknown])
    sort_time[unknown] = np.minimum(arrived, np.nanmax(ts))
    return sort_time


def whole_seconds(ts: Floats) -> Ints:
    """Return times as whole seconds since the epoch; ABSENT: unknown."""
    return np.asarray(np.nan_to_num(np.floor(ts), nan=float(ABSENT)), dtype=np.int64)
