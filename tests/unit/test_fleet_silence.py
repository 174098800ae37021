# SPDX-License-Identifier: Apache-2.0
"""Hosts that fell silent: told as such, and never as recovery."""

from __future__ import annotations

import numpy as np
import pytest
from support.fleet_simulator import population, simulate

from gdb_epi.fleet.population.coverage import drop_host_hours
from gdb_epi.fleet.population.population import Attribute, CoreKeys, Population
from gdb_epi.fleet.questions.daily_rates import fleet_wide_rise_words
from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.questions.quality import check_quality
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.past_silence import find_past_silences
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.screen.silent_hosts import (
    RUNS,
    STOPPED,
    UNKNOWN,
    drop_silent_hours,
    find_silent_days,
    find_silent_groups,
)
from gdb_epi.fleet.statistics.arrays import absent_column
from gdb_epi.fleet.store.day_numbers import iso_day

QUIET = 12  # days


@pytest.fixture(scope="module")
def fleet():
    """60 hosts on three racks, 15 crashes a day, one bad host."""
    return simulate(7, hosts=60, days=40, per_day=15.0, bad_host=2.0)


def silenced(fleet, hours: str) -> tuple[Population, str]:
    """The fleet, of which the rack of the bad host sends nothing at the end; and that rack."""
    pop = population(fleet)
    rack = pop.attribute("rack")
    host = pop.hosts.index(fleet.truth["bad_host"])
    value = rack.exposure[pop.exposure_host == host][0]
    last = pop.last_day - QUIET
    rows = np.ones(pop.exposure_day.size, dtype=bool)
    if hours == STOPPED:
        rows = ~((rack.exposure == value) & (pop.exposure_day > last))
    pop = pop.select(~((rack.crash == value) & (pop.day > last)), rows)
    return (drop_host_hours(pop) if hours == UNKNOWN else pop), rack.values[value]


@pytest.mark.parametrize("hours", [RUNS, STOPPED, UNKNOWN])
def test_a_silent_rack_is_told_and_its_bad_host_is_not_called_mended(fleet, hours):
    pop, rack = silenced(fleet, hours)
    (group,) = find_silent_groups(pop)
    assert (group.attr, group.value, group.hours) == ("rack", rack, hours)
    assert pop.last_day - group.last >= QUIET and group.hosts.size == 20
    assert group.words().endswith(hours)
    findings = screen_population(pop, pop.last_day).findings
    (bad,) = (f for f in findings if f.value == fleet.truth["bad_host"])
    (end,) = (caveat for caveat in bad.caveats if "since" in caveat)
    assert "and it may go on: no crash of any program on rack=" in end


def test_the_end_of_one_bug_is_no_silence(fleet):
    pop = population(fleet)
    rack, last = pop.attribute("rack"), pop.last_day - QUIET
    # Nearly all crashes of the rack are of one signature, which is mended.
    inside = rack.crash == 1
    own = np.where(inside & (np.arange(pop.day.size) % 40 > 0), 0, pop.signature)
    pop = pop._replace(signature=own)
    pop = pop.select(~(inside & (pop.day > last)), pop.exposure_hours > 0)
    assert find_silent_groups(pop) == []


def test_a_place_of_which_a_few_hosts_still_send_is_silent_and_no_better_by_its_kernel(fleet):
    pop = population(fleet)
    rack, last = pop.attribute("rack"), pop.last_day - QUIET
    inside, late = rack.crash == 1, pop.day > last
    some = np.isin(pop.host, np.unique(pop.host[inside])[:2])
    kernel = Attribute("kernel", ["6.1", "6.6"], late.astype(int), (pop.exposure_day > last) + 0)
    pop = pop._replace(attributes=(rack, kernel))
    (group,) = find_silent_groups(pop.select(~(inside & late & ~some), pop.exposure_hours > 0))
    assert (group.attr, group.value, group.hours) == ("rack", rack.values[1], RUNS)
    assert group.of_hosts == 20 and group.hosts.size >= 17
    assert f"{group.hosts.size} of the 20 hosts of rack={rack.values[1]}" in group.words()
    # A rack with a third of the crashes of before, or without its most frequent ones, is not.
    thinned = inside & late & (np.arange(pop.day.size) % 3 > 0)
    assert find_silent_groups(pop.select(~thinned, pop.exposure_hours > 0)) == []
    loud = inside & (np.arange(pop.day.size) % 8 > 0)
    mended = pop._replace(signature=np.where(loud, 0, pop.signature))
    assert find_silent_groups(mended.select(~(loud & late), pop.exposure_hours > 0)) == []


def test_a_value_that_another_one_replaced_is_no_silence(fleet):
    pop = population(fleet)
    rack = pop.attribute("rack")
    # The hosts of rack 0 run in the first half alone, those of rack 1 in the second.
    half = pop.last_day - 20
    crash, hours = (
        ~(((codes == 0) & (day > half)) | ((codes == 1) & (day <= half)))
        for codes, day in ((rack.crash, pop.day), (rack.exposure, pop.exposure_day))
    )
    for asked in (pop.select(crash, hours), drop_host_hours(pop.select(crash, hours))):
        assert find_silent_groups(asked) == []


def test_days_without_any_crash_are_told_and_in_no_onset(fleet):
    pop = population(fleet)
    days = pop.day - pop.day.min()
    pop = pop.select((days < 20) | (days > 23), pop.exposure_hours > 0)
    gap = find_silent_days(pop)
    assert gap is not None and gap.last - gap.first == 3
    assert 40 < gap.due < 80
    assert f"from {iso_day(gap.first)} to {iso_day(gap.last)} (4 days)" in gap.words()
    (check,) = (c for c in check_quality(pop) if c.about == "silence")
    assert not check.is_fine and gap.words() in check.text
    code = int(np.bincount(pop.signature[pop.signature >= 0]).argmax())
    assert f"left out: {gap.words()}" in find_onset(pop, code).caveats


def test_quiet_days_that_come_again_are_no_gap(fleet):
    pop = population(fleet)
    pop = pop.select((pop.day - pop.day.min()) % 7 < 5, pop.exposure_hours > 0)
    assert find_silent_days(pop) is None


def test_a_quiet_day_of_a_fleet_with_few_crashes_is_chance(fleet):
    pop = population(fleet)
    kept = np.arange(pop.day.size) % 8 == 0
    assert find_silent_days(pop.select(kept & (pop.day != 20), pop.exposure_hours > 0)) is None


def test_crashes_that_grow_evenly_have_no_day_on_which_they_rose():
    pop = population(simulate(9, hosts=60, days=60, per_day=40.0))
    day = pop.day - pop.day.min()
    rng = np.random.default_rng(4)
    steady = pop.select(rng.random(day.size) < (1 + day / 20) / 4, pop.exposure_hours > 0)
    assert "all crashes rise steadily (" in (fleet_wide_rise_words(steady) or "")
    step = pop.select(rng.random(day.size) < np.where(day < 30, 0.3, 0.9), pop.exposure_hours > 0)
    assert "all crashes rose on " in (fleet_wide_rise_words(step) or "")


def test_hosts_of_one_program_that_fall_silent_one_by_one_are_told_and_have_no_hours():
    """26 of the 30 hosts of a program, scattered over the racks: their disks are full of cores."""
    pop = population(simulate(8, hosts=60, days=40, per_day=30.0))
    rng = np.random.default_rng(5)
    runs = np.arange(60) % 2 == 0
    unknown = absent_column(pop.exposure_day.size)
    program = Attribute("program", ["etl", "web"], np.where(runs[pop.host], 0, 1), unknown)
    pop = pop._replace(facts=(program,))
    assert find_silent_groups(pop) == [] and drop_silent_hours(pop) is pop
    until = np.full(60, pop.last_day)
    full = np.flatnonzero(runs)[4:]
    until[full] = pop.last_day - rng.integers(15, 20, full.size)
    quiet = pop.select(pop.day <= until[pop.host], pop.exposure_hours >= 0)
    (group,) = find_silent_groups(quiet)
    assert (group.attr, group.value, group.hours) == ("program", "etl", RUNS)
    assert set(group.hosts.tolist()) <= set(full.tolist()) and group.hosts.size > 20
    where = f"on {group.hosts.size} of the {group.of_hosts} hosts of etl after"
    assert f"{where} {iso_day(group.last)}" in group.words()
    left = drop_silent_hours(quiet)
    gone = np.isin(quiet.exposure_host, group.hosts) & (quiet.exposure_day > group.last)
    assert not left.exposure_hours[gone].any()
    assert np.array_equal(left.exposure_hours[~gone], quiet.exposure_hours[~gone])


def three_sites(seed: int, *, told: int, struck: int) -> Population:
    """Hosts of three sites that are busy by day, and one event; an agent of the last site.

    Its times are `told` so many hours late, and the site is `struck` so many hours late.
    """
    rng, day = np.random.default_rng(seed), 86_400
    host = np.concatenate((np.repeat(np.arange(180), 6), np.arange(0, 180, 2)))
    site, old = host // 60, host % 3 == 0
    second = rng.integers(0, 30, host.size) * day + rng.normal(11, 3, host.size) * 3_600
    second -= np.array([0, -5, 9])[site] * 3_600
    in_event = np.arange(host.size) >= 180 * 6
    second[in_event] = 15 * day + 3 * 3_600 + rng.integers(0, 500, in_event.sum())
    second += 3_600 * (struck * (in_event & (site == 2)) + told * (old & (site == 2)))
    second = second.astype(np.int64) + 20_000 * day
    order = np.argsort(second)
    signature = np.where(in_event, 0, 1 + rng.integers(0, 20, host.size))
    none, nowhere = np.zeros(host.size, dtype=bool), np.zeros(0, dtype=np.int64)
    attributes = [
        Attribute(name, values, codes[order], nowhere)
        for name, values, codes in (
            ("site", ["lon", "nyc", "tyo"], site), ("agent", ["2.0", "1.9"], old.astype(int)),
        )
    ]  # fmt: skip
    return Population(
        core_keys=CoreKeys.from_strings(f"{i:016x}" for i in range(host.size)),
        day=second[order] // day, second=second[order], host=host[order],
        signature=signature[order], cpu=np.full(host.size, -1), bitflip=none, lock_inherited=none,
        hosts=[f"h{i}" for i in range(180)], signatures=[f"s{i}" for i in range(21)],
        attributes=tuple(attributes), exposure_day=nowhere, exposure_host=nowhere,
        exposure_hours=np.zeros(0),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_an_event_that_an_agent_tells_hours_late_is_one(seed):
    (event,) = find_events(three_sites(seed, told=9, struck=0)).findings
    assert event.test.startswith("90 crashes on 90 hosts")
    assert "site=tyo and agent=1.9" in event.caveats[0] and "9 h later" in event.caveats[0]
    about = [check.text for check in check_quality(three_sites(seed, told=9, struck=0))]
    assert any("write local time as UTC" in text for text in about)
    # A site that is struck nine hours later is struck later, also where its agent is another one.
    for days in (0, 9):
        assert len(find_events(three_sites(seed, told=days, struck=9)).findings) >= 2


@pytest.mark.parametrize("seed", range(3))
def test_an_event_elsewhere_makes_no_place_silent(seed):
    """A rack of few crashes has a quiet week; one burst of all others then was not due there."""
    rng, day = np.random.default_rng(seed), 86_400
    whole = three_sites(seed, told=0, struck=0)
    quiet = (whole.host < 20) & (np.abs(whole.day - 20_015) <= 3)
    kept = whole.select(~quiet & (rng.random(whole.day.size) < 0.8), whole.exposure_day >= 0)
    racks = Attribute("rack", [f"r{i}" for i in range(9)], kept.host // 20, kept.exposure_day)
    for gap in find_past_silences(kept._replace(attributes=(racks,))):
        rate = np.count_nonzero(kept.signature > 0) * (gap.end - gap.begin) / (30 * day)
        assert gap.due < 1.6 * rate / 8, "what came together counts once"
