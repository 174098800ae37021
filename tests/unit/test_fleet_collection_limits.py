# SPDX-License-Identifier: Apache-2.0
"""Collectors that take so many records a day, and fleets that only look so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.population.population import Attribute, CoreKeys, Population
from gdb_epi.fleet.questions.collection_limits import (
    DailyCollectionLimit,
    find_collection_limit,
    rise_within_limit_words,
)

DAYS, HOSTS, DAY = 30, 90, 86_400
FIRST = 20_100 * DAY


def crashes_of(rng: np.random.Generator, a_day: Sequence[float]) -> list[tuple[int, int]]:
    """(second, host) of crashes at any time of the day, by the mean number of each day."""
    drawn = []
    for number, mean in enumerate(a_day):
        size = rng.poisson(mean)
        seconds, hosts = rng.integers(0, DAY, size), rng.integers(0, HOSTS, size)
        drawn += list(zip((FIRST + number * DAY + seconds).tolist(), hosts.tolist(), strict=True))
    return sorted(drawn)


def limited(rows: Sequence[tuple[int, int]], most: int, starts: int = 0) -> list[tuple[int, int]]:
    """The first `most` of each day that begins at an hour of UTC."""
    taken: dict[int, int] = {}
    kept = []
    for second, host in rows:
        day = (second - starts * 3600) // DAY
        taken[day] = taken.get(day, 0) + 1
        if taken[day] <= most:
            kept.append((second, host))
    return kept


def limit_of(rows: Sequence[tuple[int, int]]) -> DailyCollectionLimit | None:
    return find_collection_limit(population_of(rows))


def population_of(rows: Sequence[tuple[int, int]]) -> Population:
    second, host = (np.array(column) for column in zip(*sorted(rows), strict=True))
    none = np.zeros(second.size, dtype=bool)
    nothing = np.zeros(0, dtype=np.int64)
    site = Attribute("site", ["ber", "lon", "nyc"], host % 3, nothing)
    return Population(
        CoreKeys.from_strings(f"{i:016x}" for i in range(second.size)), second // DAY, host,
        np.zeros(second.size, dtype=int), np.full(second.size, -1), none, none,
        [f"h{i}" for i in range(HOSTS)], ["s"], (site,), nothing, nothing, np.zeros(0),
        second=second,
    )  # fmt: skip


def test_a_limit_of_all_records_is_told_with_the_days_that_are_full():
    rng = np.random.default_rng(1)
    quiet = [25.0 if day % 7 in (5, 6) else 70.0 for day in range(DAYS)]
    limit = limit_of(limited(crashes_of(rng, quiet), 45))
    assert limit is not None
    assert (limit.limit, limit.where, limit.starts) == (45, "", 0)
    working = [20_100 + day for day in range(DAYS) if day % 7 not in (5, 6)]
    assert set(limit.days.tolist()) >= set(working[:-1])
    assert "exactly 45 records" in limit.words()


def test_a_limit_of_one_site_and_one_by_local_days_are_told():
    rng = np.random.default_rng(2)
    rows = crashes_of(rng, [90.0] * DAYS)
    own = [row for row in rows if row[1] % 3 == 2]
    limit = limit_of([row for row in rows if row[1] % 3 != 2] + limited(own, 18))
    assert limit is not None
    assert (limit.limit, limit.where) == (18, "site=nyc")
    local = limit_of(limited(rows, 50, starts=9))
    assert local is not None
    assert (local.limit, local.starts) == (50, 9)


def test_fleets_without_a_limit_have_none():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        mean = float(rng.choice([4, 12, 60, 200]))
        assert limit_of(crashes_of(rng, [mean] * DAYS)) is None
        scattered = (rng.gamma(4.0, mean / 4, DAYS) + 0.5).tolist()
        assert limit_of(crashes_of(rng, scattered)) is None


def test_jobs_that_die_so_often_each_day_are_no_limit():
    """A job of the night dies on each of twenty hosts, or one of each hour: the day goes on."""
    nightly = [
        (FIRST + day * DAY + 3 * 3600 + 40 * host, host)
        for day in range(DAYS)
        for host in range(20)
    ]
    assert limit_of(nightly) is None
    hourly = [(FIRST + hour * 3600 + 90, hour % 7) for hour in range(24 * DAYS)]
    assert limit_of(hourly) is None
    shift = [
        (FIRST + day * DAY + (8 + hour) * 3600 + 60, hour)
        for day in range(DAYS)
        for hour in range(9)
    ]
    assert limit_of(shift) is None


def test_the_first_hours_of_full_days_tell_that_the_rate_rose_and_where():
    rng = np.random.default_rng(8)
    rising = [60.0] * 14 + [130.0] * 8 + [240.0] * 8
    words = rise_within_limit_words(population_of(limited(crashes_of(rng, rising), 100)))
    assert words is not None and "so the flat line is false (site: ber " in words
    assert words.endswith(" times)") and "alike" not in words
    times = float(words.partition(" times (95 %")[0].rpartition(": ")[2])
    assert 3.0 < times < 5.2
    steady = [60.0] * 14 + [62.0] * 16
    assert rise_within_limit_words(population_of(crashes_of(rng, steady))) is None
