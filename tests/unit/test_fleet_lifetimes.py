# SPDX-License-Identifier: Apache-2.0
"""When in the life of a process, a version, a value or a feed crashes come; and its likenesses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.fleet_simulator import FIRST_DAY, population, simulate

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.questions.changes_by_host_hours import find_recounted_hours
from gdb_epi.fleet.questions.daily_rates import month_end_words
from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.questions.rates import rates_of_values
from gdb_epi.fleet.screen.attributes import findings_of_all_crashes
from gdb_epi.fleet.screen.design_effect import p_given_weeks
from gdb_epi.fleet.screen.dose_response import (
    AT_START,
    AT_STOP,
    GROWS,
    is_explained_by_age,
    number_beyond_others_words,
    process_age_words,
)
from gdb_epi.fleet.screen.events import _expected_loops_by_length, _own_values_of_loops
from gdb_epi.fleet.screen.finding import ALL, BITFLIP, HOST_HOURS, LOOP_OF, Finding
from gdb_epi.fleet.screen.leaving_values import leaving_value_words
from gdb_epi.fleet.screen.renamings import renaming_of
from gdb_epi.fleet.screen.time_and_cpu_patterns import hours_of_group_words

HOSTS, DAYS = 60, 63
RNG = np.random.default_rng


@pytest.fixture(scope="module")
def fleet() -> Population:
    return population(simulate(771_500, hosts=HOSTS, days=DAYS, per_day=30.0))


def with_attribute(
    whole: Population, name: str, values: list[str], of: Callable[..., np.ndarray]
) -> Population:
    """The population with an attribute, by host and day."""
    codes = [
        np.asarray(of(host, day - FIRST_DAY), dtype=np.int64)
        for host, day in (
            (whole.host, whole.day), (whole.exposure_host, whole.exposure_day)
        )
    ]  # fmt: skip
    added = Attribute(name, values, *codes)
    return whole._replace(attributes=(*whole.attributes, added), memo=None)


def of_crashes(whole: Population, name: str, values: list[str], codes: np.ndarray) -> Population:
    """The population with an attribute that no host-hours tell of."""
    added = Attribute(name, values, codes, np.full(whole.exposure_day.size, -1))
    return whole._replace(attributes=(*whole.attributes, added), memo=None)


def finding(whole: Population, attr: str, value: str, name: str, members: np.ndarray) -> Finding:
    size = int(members.sum())
    return Finding(attr, value, name, size, size, 1e-9, 1e-9, 9.0, 5.0, 20.0, "", HOST_HOURS, (),
                   (), members)  # fmt: skip


def version(host: np.ndarray, day: np.ndarray) -> np.ndarray:
    """Four versions, each of which comes to the hosts on five days."""
    return sum((day >= at + host % 5).astype(int) for at in (14, 28, 42))


@pytest.mark.parametrize(("shift", "is_told"), [(-1, True), (0, False), (5, False)])
def test_what_comes_on_the_last_day_of_each_version_comes_at_stops(fleet, shift, is_told):
    whole = with_attribute(fleet, "os", ["1", "2", "3", "4"], version)
    day = whole.day - FIRST_DAY
    before, after = (version(whole.host, day + by) for by in (-shift - 1, -shift))
    mine = before != after
    assert mine.sum() > 60
    words = process_age_words(whole, mine)
    assert (words is not None and words.endswith(AT_STOP)) == is_told


def test_a_version_that_is_taken_back_at_once_does_not_make_a_stop(fleet):
    def taken_back(host, day):
        return sum(((day >= at) & (day < at + 3)) * (at // 10) for at in (10, 20, 30))

    whole = with_attribute(fleet, "os", ["0", "1", "2", "3"], taken_back)
    day = whole.day - FIRST_DAY
    mine = np.isin(day, (12, 22, 32))
    assert mine.sum() > 60
    assert process_age_words(whole, mine) is None


def test_what_needs_old_processes_is_told_and_its_likeness_is_not(fleet):
    age = RNG(5).exponential(80_000, fleet.day.size).astype(int)
    old = age >= 150_000
    assert 0.05 < old.mean() < 0.3
    mine = old & (RNG(6).random(old.size) < 0.5)
    values = [str(number) for number in sorted(set(age.tolist()))]
    codes = np.searchsorted(np.unique(age), age)
    whole = of_crashes(fleet, "process_uptime_s", values, codes)
    kind = np.where(mine, 0, 1 + np.arange(mine.size) % 3)
    whole = whole._replace(signature=kind, signatures=["old", "a", "b", "c"])
    words = process_age_words(whole, mine)
    assert words is not None and words.endswith(GROWS)
    assert words.startswith(f"all {mine.sum()} have process_uptime_s >= 15")
    assert process_age_words(whole, RNG(7).random(old.size) < 0.1) is None


def test_beside_a_crash_at_each_start_other_crashes_do_not_need_old_processes(fleet):
    size = fleet.day.size
    at_start = RNG(21).random(size) < 0.8
    age = np.where(at_start, RNG(22).integers(1, 40, size), RNG(23).integers(50, 90_000, size))
    values = [str(number) for number in np.unique(age).tolist()]
    whole = of_crashes(fleet, "process_uptime_s", values, np.searchsorted(np.unique(age), age))
    kind = np.where(at_start, 0, 1 + RNG(24).integers(0, 6, size))
    whole = whole._replace(signature=kind, signatures=[f"s{n}" for n in range(7)], memo=None)
    assert process_age_words(whole, kind == 0).endswith(AT_START)
    assert [process_age_words(whole, kind == n) for n in range(1, 7)] == [None] * 6


@pytest.mark.parametrize(
    ("hours", "crashes", "hosts", "is_told"),
    [(0.5, 1.0, 1.0, True), (0.5, 0.5, 1.0, False), (1.0, 1.0, 0.5, False), (1.0, 0.5, 1.0, False)],
)
def test_hours_that_are_counted_otherwise_are_told_from_hosts_that_run_less(
    fleet, hours, crashes, hosts, is_told
):
    """Of one site since day 40: by so much less hours, crashes, or hosts."""
    whole = with_attribute(fleet, "site", ["a", "b"], lambda host, _: host < HOSTS // 2)
    late = whole.day - FIRST_DAY >= 40
    late_hours = whole.exposure_day - FIRST_DAY >= 40
    there, hours_there = whole.host < HOSTS // 2, whole.exposure_host < HOSTS // 2
    factor = np.where(late_hours & hours_there, hours, 1.0)
    whole = whole._replace(exposure_hours=whole.exposure_hours * factor, memo=None)
    gone = late & there & (RNG(8).random(late.size) >= crashes)
    out = HOSTS // 2 * hosts
    whole = whole.select(
        ~gone & ~(late & there & (whole.host >= out)),
        ~(late_hours & hours_there & (whole.exposure_host >= out)),
    )
    recounted = find_recounted_hours(whole)
    assert [r.mark for r in recounted] == ["site=b"] * is_told
    for r in recounted:
        assert r.day == FIRST_DAY + 40 and "a rate cannot tell" in r.words()


def test_long_runs_are_loops_where_few_short_ones_tell_how_often_a_run_goes_on():
    sizes = np.array([2, 2, 3, 3, 3, 4, 4, 4, 4, 180, 303, 625])
    assert (_expected_loops_by_length(sizes)[-3:] < 0.05).all()
    geometric = np.minimum(RNG(9).geometric(0.15, 400) + 1, 60)  # work that is retried
    assert (_expected_loops_by_length(geometric)[geometric < 20] > 0.05).all()


@pytest.mark.parametrize(("several", "is_told"), [(2, False), (4, True)])
def test_loops_share_a_volume_where_chance_hardly_gives_them_one(fleet, several, is_told):
    """Of ten attributes with twelve values each, two loops often share some value."""
    hosts = np.arange(several) * 7 + 3
    of = [RNG(60 + number).integers(0, 12, HOSTS) for number in range(10)]
    of[4][of[4] == 5] = 6
    of[4][hosts] = 5
    values = [str(number) for number in range(12)]
    places = (Attribute(f"p{k}", values, p[fleet.host], p[fleet.exposure_host])
              for k, p in enumerate(of))  # fmt: skip
    in_loop = np.isin(fleet.host, hosts) & (fleet.day % 9 == 0)
    signature = np.where(in_loop, 0, 1 + np.arange(in_loop.size) % 3)
    names = ["loop", "a", "b", "c"]
    whole = fleet._replace(
        attributes=tuple(places), signature=signature, signatures=names, memo=None
    )
    loops = [
        finding(whole, LOOP_OF, whole.hosts[host], "loop", in_loop & (whole.host == host))
        for host in hosts.tolist()
    ]
    words = _own_values_of_loops(whole, loops)
    assert any(text.startswith("all of them have p4 5 (") for text in words) == is_told
    assert any("they may follow" in text for text in words) == is_told


def test_a_bug_that_has_a_name_for_each_cpu_is_one_bug(fleet):
    names = ["native a <-- py:mod.f", "native b <-- py:mod.f", "other <-- py:mod.g"]
    whole = with_attribute(fleet, "cpu_kind", ["x", "y"], lambda host, _: host % 2)
    mine = RNG(10).random(whole.day.size) < 0.1
    signature = np.where(mine, whole.host % 2, 2)
    whole = whole._replace(signature=signature, signatures=names, memo=None)
    renaming = renaming_of(whole, "cpu_kind", names[0])
    assert renaming is not None and renaming.beside and "two names" in renaming.words()
    rare = whole._replace(
        signature=np.where(mine & (whole.host % 2 == 1) & (RNG(11).random(mine.size) < 0.8), 2,
                           signature), memo=None,
    )  # fmt: skip
    assert renaming_of(rare, "cpu_kind", names[0]) is None


def test_an_experiment_that_began_later_is_compared_in_its_own_weeks(fleet):
    day = fleet.day - FIRST_DAY
    arm = (day >= 30) & (RNG(12).random(day.size) < 0.5)
    free = np.ones(day.size, dtype=bool)
    early = np.flatnonzero(RNG(13).random(day.size) < np.where(day < 30, 0.06, 0.01))
    of_arm = np.flatnonzero(arm & (RNG(14).random(day.size) < 0.1))
    assert p_given_weeks(fleet, free, early, arm.astype(int), 0) > 0.001
    assert p_given_weeks(fleet, free, of_arm, arm.astype(int), 1) < 1e-6


def test_a_batch_of_hosts_with_flipped_bits_is_told_without_host_hours(fleet):
    batch = np.isin(fleet.host, (3, 19, 33, 47, 58))
    whole = of_crashes(fleet, "po", ["1", "2"], batch.astype(int))
    none = np.zeros(0, dtype=np.int64)
    kept = tuple(a._replace(exposure=none) for a in whole.attributes)
    whole = whole._replace(
        attributes=kept, exposure_day=none, exposure_host=none,
        exposure_hours=np.zeros(0), memo=None,
        bitflip=batch & (RNG(15).random(batch.size) < 0.3),
    )  # fmt: skip
    groups = [(f.attr, f.value, f.signature) for f in findings_of_all_crashes(whole, flips=True)]
    assert ("po", "2", BITFLIP) in groups and all(attr == "po" for attr, _, _ in groups)
    alone = whole._replace(bitflip=whole.bitflip & (whole.host == 19), memo=None)
    assert list(findings_of_all_crashes(alone, flips=True)) == []


@pytest.mark.parametrize("ends", [True, False])
def test_hosts_that_lost_a_value_tell_what_they_kept_from_it(fleet, ends):
    whole = with_attribute(fleet, "box", ["old", "new"], lambda host, _: host < 20)
    whole = with_attribute(
        whole, "threads", ["96", "192"],
        lambda host, day: (host < 20) & ~((host < 8) & (day >= 35)),
    )  # fmt: skip
    threads = whole.attribute("threads")
    has = (threads.crash == 1) if ends else whole.host < 20
    mine = has & (RNG(16).random(has.size) < 0.6)
    whole = whole._replace(signature=np.where(mine, 0, 1), signatures=["race", "any"], memo=None)
    members = mine & (threads.crash == 1)
    sentences = list(leaving_value_words(whole, finding(whole, "threads", "192", "race", members),
                                    whole.last_day))  # fmt: skip
    assert any("they kept " in words and "box=new" in words for words in sentences) == ends


def test_what_ends_everywhere_does_not_show_what_hosts_kept_to_be_innocent(fleet):
    whole = with_attribute(fleet, "box", ["old", "new"], lambda host, _: host < 20)
    whole = with_attribute(
        whole, "threads", ["96", "192"],
        lambda host, day: (host < 20) & ~((host < 8) & (day >= 35)),
    )  # fmt: skip
    mine = (whole.host < 20) & (whole.day - FIRST_DAY < 35) & (RNG(16).random(whole.day.size) < 0.6)
    whole = whole._replace(signature=np.where(mine, 0, 1), signatures=["race", "any"], memo=None)
    members = mine & (whole.attribute("threads").crash == 1)
    sentences = list(leaving_value_words(whole, finding(whole, "threads", "192", "race", members),
                                    whole.last_day))  # fmt: skip
    assert any("have another value since" in words for words in sentences)
    assert not any("they kept " in words for words in sentences)


def test_a_group_tells_its_hours_and_its_heat_where_others_have_neither(fleet):
    whole = with_attribute(fleet, "row", ["1", "2"], lambda host, _: host < 15)
    row = whole.host < 15
    second = whole.second.copy()
    hot = row & (RNG(17).random(row.size) < 0.6)
    second[hot] = (whole.day[hot] * 86_400) + 13 * 3_600 + RNG(18).integers(0, 14_000, hot.sum())
    air = np.where(hot, 38, 22) + RNG(19).integers(0, 3, row.size)
    codes = np.searchsorted(np.unique(air), air)
    values = [str(number) for number in np.unique(air).tolist()]
    whole = of_crashes(whole, "inlet_c", values, codes)._replace(second=second)
    group = finding(whole, "row", "2", ALL, row)
    assert "13:00 to 17:00 UTC" in hours_of_group_words(whole, group)
    assert "inlet_c is 38 to 40 in " in number_beyond_others_words(whole, group)
    cold = finding(whole, "row", "1", ALL, ~row)
    assert hours_of_group_words(whole, cold) is None
    assert number_beyond_others_words(whole, cold) is None


def test_hosts_of_a_group_that_crash_as_all_others_by_day_have_no_hours_of_their_own():
    whole = population(simulate(771_503, hosts=HOSTS, days=40, per_day=500.0))
    whole = with_attribute(whole, "row", ["1", "2"], lambda host, _: host < 1)
    busy = RNG(30).random(whole.day.size) < 0.9
    hour = np.where(busy, RNG(31).integers(9, 17, busy.size), RNG(32).integers(0, 24, busy.size))
    second = whole.day * 86_400 + hour * 3_600 + RNG(33).integers(0, 3_600, busy.size)
    row = (whole.host < 1) & (RNG(34).random(busy.size) < 0.4)
    assert row.sum() > 50
    group = finding(whole, "row", "2", ALL, row)
    assert hours_of_group_words(whole._replace(second=second, memo=None), group) is None


def test_a_number_of_one_host_is_not_that_of_its_group(fleet):
    whole = with_attribute(fleet, "row", ["1", "2"], lambda host, _: host < 15)
    air = np.where(whole.host == 4, 99, 22) + RNG(35).integers(0, 3, whole.host.size)
    values = [str(number) for number in np.unique(air).tolist()]
    whole = of_crashes(whole, "inlet_c", values, np.searchsorted(np.unique(air), air))
    assert (whole.host == 4).sum() > 20
    group = finding(whole, "row", "2", ALL, whole.host < 15)
    assert number_beyond_others_words(whole, group) is None


def test_a_leak_of_some_hosts_keeps_them_where_no_other_crash_is_as_old(fleet):
    whole = with_attribute(fleet, "box", ["old", "new"], lambda host, _: host < 20)
    size = whole.day.size
    mine = (whole.host < 20) & (RNG(36).random(size) < 0.15)
    age = np.where(
        mine, RNG(37).integers(150_000, 300_000, size), RNG(38).integers(9, 90_000, size)
    )
    values = [str(number) for number in np.unique(age).tolist()]
    whole = of_crashes(whole, "process_uptime_s", values, np.searchsorted(np.unique(age), age))
    kind = np.where(mine, 0, 1 + np.arange(size) % 3)
    whole = whole._replace(signature=kind, signatures=["leak", "a", "b", "c"], memo=None)
    assert process_age_words(whole, mine).endswith(GROWS)
    assert not is_explained_by_age(whole, finding(whole, "box", "new", "leak", mine))


def test_crashes_after_the_last_day_of_a_feed_are_not_more_crashes_in_fewer_hours(fleet):
    late, late_hours = fleet.day - FIRST_DAY >= 30, fleet.exposure_day - FIRST_DAY >= 30
    whole = fleet._replace(
        exposure_hours=fleet.exposure_hours * np.where(late_hours, 0.5, 1.0), memo=None
    )
    half = ~late | (RNG(39).random(late.size) < 0.5)
    assert find_recounted_hours(whole.select(half, fleet.exposure_day - FIRST_DAY < 46)) == []


def test_the_most_frequent_crash_is_not_the_excess_of_hosts_that_have_more_of_all():
    for seed in range(12):
        whole = population(simulate(880_000 + seed, hosts=40, days=40, per_day=5.0, variance=0.01))
        whole = with_attribute(whole, "kind", ["1", "2"], lambda host, _: host < 12)
        rng = RNG(seed)
        kept = (whole.host < 12) | (rng.random(whole.day.size) < 0.55)
        whole = whole.select(kept, np.ones(whole.exposure_day.size, dtype=bool))
        kind = np.searchsorted(np.cumsum([0.75, 0.1, 0.05, 0.05]), rng.random(whole.day.size))
        names = [f"s{number}" for number in range(5)]
        whole = whole._replace(signature=kind, signatures=names, memo=None)
        rates = rates_of_values(whole, whole.attribute("kind"), whole.signature >= 0)
        answer = next(row.answer for row in rates.rows if row.value == "2")
        assert "the crashes of others" in answer and "the excess is" not in answer


def test_the_day_on_which_a_leak_began_is_told_besides_the_age(fleet):
    size = fleet.day.size
    mine = (fleet.day - FIRST_DAY >= 40) & (RNG(51).random(size) < 0.12)
    young = RNG(53).integers(9, 90_000, size)
    age = np.where(mine, RNG(52).integers(150_000, 300_000, size), young)
    values = [str(number) for number in np.unique(age).tolist()]
    whole = of_crashes(fleet, "process_uptime_s", values, np.searchsorted(np.unique(age), age))
    kind = np.where(mine, 0, 1 + np.arange(size) % 3)
    whole = whole._replace(signature=kind, signatures=["leak", "a", "b", "c"], memo=None)
    onset = find_onset(whole, 0)
    assert abs(onset.day - FIRST_DAY - 40) <= 1
    assert onset.answer.startswith("the rate rose") and onset.answer.endswith(GROWS)


@pytest.mark.parametrize("months", [5, 1, 0])
def test_ends_of_months_are_a_rhythm_where_each_month_has_one(months):
    whole = population(simulate(771_501, hosts=HOSTS, days=150, per_day=12.0))
    dates = whole.day.astype("datetime64[D]")
    ends = (dates.astype("datetime64[M]") + 1).astype("datetime64[D]")
    is_end = (np.busday_count(dates, ends) <= 3) & np.is_busday(dates)
    of_first = dates.astype("datetime64[M]") == dates.astype("datetime64[M]").min()
    busy = is_end & (of_first if months == 1 else np.full(is_end.size, months > 1))
    kept = busy | (RNG(25).random(busy.size) < 0.35)
    words = month_end_words(whole.select(kept, np.ones(whole.exposure_day.size, dtype=bool)))
    assert (words is not None and "on the last 3 working days of a month" in words) == (months > 1)
