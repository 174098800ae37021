# SPDX-License-Identifier: Apache-2.0
"""Jobs that run by local time: their hour in UTC changes when the clocks do.

A night job of Europe comes an hour later in UTC from the end of summer time on. To who looks at UTC
it seems to have moved, and what came with it on hosts that got something new that month seems to
have clocks that are wrong. The zone is looked for among those whose clocks change on other days.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.statistics.arrays import Bools, Ints, count_codes, row_blocks
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_day
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

DAY = int(SECONDS_A_DAY)
HOUR = 3_600
ZONES = (
    "Europe/Berlin", "America/New_York", "America/Chicago", "America/Denver",
    "America/Los_Angeles", "Australia/Sydney", "Pacific/Auckland",
)  # fmt: skip
STEP = 28 * DAY  # clocks change twice a year
MIN_EACH_SIDE = 4  # crashes of a job before the change, and after it
MOST_SPREAD = 2.5 * HOUR  # half of its crashes lie in a window of this length
HOURS_OF_WINDOW = 4  # that a window of up to three hours touches
MIN_SCORE = 3.0  # standard errors of the shift from none
MAX_SCORE = 2.5  # and from the change of the clocks


class SignaturesByLocalTime(NamedTuple):
    """Signatures whose hour moves in UTC as the clocks of a zone do (others change with them)."""

    zone: str
    at: int  # the second of the change
    by: int  # seconds: what is added to local time to have UTC is so much more
    signatures: list[int]
    crashes: int

    def words(self) -> str:
        """Say it."""
        later = "later" if self.by > 0 else "earlier"
        many = len(self.signatures) > 1
        which = f"{len(self.signatures)} signatures come" if many else "it comes"
        return (
            f"{which} {abs(self.by) / HOUR:g} h {later} in UTC since {iso_day(self.at // DAY)}, "
            f"when clocks changed (as in {self.zone}): the same local hour, so a job that runs by "
            f"local time ({counted(self.crashes, 'crash')})"
        )


def find_signatures_by_local_time(
    population: Population, crashes: Bools | None = None
) -> SignaturesByLocalTime | None:
    """Return the zone whose change of clocks explains the most signatures; None where none does.

    Of some `crashes` alone, or of all.
    """
    if crashes is None:
        return population.computed_once(_find_signatures_by_local_time, population)
    return _find_signatures_by_local_time(population, crashes)


def _find_signatures_by_local_time(
    population: Population, crashes: Bools | None = None
) -> SignaturesByLocalTime | None:
    second = population.second
    rows = population.has_time & (population.signature >= 0)
    if crashes is not None:
        rows &= crashes
    if second is None or not rows.any():
        return None
    first = int(second.min(where=rows, initial=np.iinfo(second.dtype).max))
    last = int(second.max(where=rows, initial=0))
    rows &= are_of_signatures_of_few_hours(population, second, rows, (2 * MIN_EACH_SIDE, 0.5))
    if not rows.any():
        return None
    codes, times = population.signature[rows], second[rows]
    best: SignaturesByLocalTime | None = None
    for zone, at, by in clock_changes(first, last):
        moved = list(_signatures_moved_by(codes, times, at, by))
        candidate = SignaturesByLocalTime(
            zone, at, by, [code for code, _ in moved], sum(n for _, n in moved)
        )
        if moved and (best is None or candidate.crashes > best.crashes):
            best = candidate
    return best


def are_of_signatures_of_few_hours(
    population: Population, second: Ints, among: Bools, least: tuple[int, float]
) -> Bools:
    """Tell which crashes are of signatures that have enough in a few hours of the day.

    `least` is how many such a signature has `among` all, and the share of these in its best window.
    """
    sizes = count_codes(population.signature, len(population.signatures), among)
    often = np.append(sizes >= least[0], False)  # the last place is of no signature
    number = np.cumsum(often) - 1
    hourly = np.zeros(24 * np.count_nonzero(often), dtype=np.int64)
    for part in row_blocks(among.size):
        codes = population.signature[part]
        some = among[part] & often[codes]
        np.add.at(hourly, number[codes[some]] * 24 + second[part][some] % DAY // HOUR, 1)
    most = circular_window_sums(hourly.reshape(-1, 24), HOURS_OF_WINDOW).max(axis=1, initial=0)
    few = often.copy()
    few[often] = most >= least[1] * sizes[often[:-1]]
    return np.asarray(few[population.signature])


def circular_window_sums(counts: Ints, width: int) -> Ints:
    """Return the sums of so many columns, starting at each one; rows are circular."""
    sums = np.cumsum(np.hstack((counts[:, :1] * 0, counts, counts[:, : width - 1])), axis=1)
    return np.asarray(sums[:, width:] - sums[:, :-width])


def clock_changes(first: int, last: int) -> Iterator[tuple[str, int, int]]:
    """Yield zone, second, and by how much UTC is further from local time, of each change."""
    from datetime import datetime
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    for zone in ZONES:
        try:
            place = ZoneInfo(zone)
        except ZoneInfoNotFoundError:  # no list of zones on this machine
            return

        def utc_offset_at(at: int, place: ZoneInfo = place) -> int:
            delta = datetime.fromtimestamp(at, place).utcoffset()
            return int(delta.total_seconds()) if delta is not None else 0

        for day in range(first, last, STEP):
            low, high = day, min(day + STEP, last)
            if utc_offset_at(low) == (after := utc_offset_at(high)):
                continue
            change = utc_offset_at(low) - after
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if utc_offset_at(middle) == after else (middle, high)
            yield zone, high, change


def _signatures_moved_by(codes: Ints, second: Ints, at: int, by: int) -> Iterator[tuple[int, int]]:
    """Yield the signatures that come at another hour since a moment, by as much, and their size."""
    order = np.argsort(codes, kind="stable")
    codes, second = codes[order], second[order].astype(np.int64)
    begins = np.flatnonzero(np.diff(codes.astype(np.int64), prepend=-1))
    ends = np.append(begins[1:], codes.size)
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        if end - begin < 2 * MIN_EACH_SIDE:
            continue
        times = second[begin:end]
        before = times < at
        if min(np.count_nonzero(before), np.count_nonzero(~before)) < MIN_EACH_SIDE:
            continue
        angle = times % DAY * (2 * np.pi / DAY)
        middle = np.arctan2(np.sin(angle).mean(), np.cos(angle).mean()) * DAY / (2 * np.pi)
        away = (times - middle + DAY / 2) % DAY - DAY / 2
        if np.median(np.abs(away)) > MOST_SPREAD / 2:
            continue
        own = np.abs(away) <= MOST_SPREAD  # some crash at other times of the day
        parts = away[before & own], away[~before & own]
        if min(part.size for part in parts) < MIN_EACH_SIDE:
            continue
        shift = float(parts[1].mean() - parts[0].mean())
        error = float(sum(part.var(ddof=1) / part.size for part in parts)) ** 0.5
        error = max(error, 60.0)
        moves = shift * by > 0 and abs(shift) >= MIN_SCORE * error
        if moves and abs(shift - by) <= MAX_SCORE * error:
            yield int(codes[begin]), end - begin
