# SPDX-License-Identifier: Apache-2.0
"""Hosts that fell silent: told as such, and never as recovery."""

from __future__ import annotations

import numpy as np
import pytest
from support.fleet_simulator import population, simulate

from gdb_epi.fleet.population.coverage import drop_hours
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.questions.common_rise import fleet_wide_rise_words
from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.questions.quality import check_quality
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
    pop = pop.chosen(~((rack.crash == value) & (pop.day > last)), rows)
    return (drop_hours(pop) if hours == UNKNOWN else pop), rack.values[value]


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
    pop = pop.chosen(~(inside & (pop.day > last)), pop.exposure_hours > 0)
    assert find_silent_groups(pop) == []


def test_a_value_that_another_one_replaced_is_no_silence(fleet):
    pop = population(fleet)
    rack = pop.attribute("rack")
    # The hosts of rack 0 run in the first half alone, those of rack 1 in the second.
    half = pop.last_day - 20
    crash, hours = (
        ~(((codes == 0) & (day > half)) | ((codes == 1) & (day <= half)))
        for codes, day in ((rack.crash, pop.day), (rack.exposure, pop.exposure_day))
    )
    for asked in (pop.chosen(crash, hours), drop_hours(pop.chosen(crash, hours))):
        assert find_silent_groups(asked) == []


def test_days_without_any_crash_are_told_and_in_no_onset(fleet):
    pop = population(fleet)
    days = pop.day - pop.day.min()
    pop = pop.chosen((days < 20) | (days > 23), pop.exposure_hours > 0)
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
    pop = pop.chosen((pop.day - pop.day.min()) % 7 < 5, pop.exposure_hours > 0)
    assert find_silent_days(pop) is None


def test_a_quiet_day_of_a_fleet_with_few_crashes_is_chance(fleet):
    pop = population(fleet)
    kept = np.arange(pop.day.size) % 8 == 0
    assert find_silent_days(pop.chosen(kept & (pop.day != 20), pop.exposure_hours > 0)) is None


def test_crashes_that_grow_evenly_have_no_day_on_which_they_rose():
    pop = population(simulate(9, hosts=60, days=60, per_day=40.0))
    day = pop.day - pop.day.min()
    rng = np.random.default_rng(4)
    steady = pop.chosen(rng.random(day.size) < (1 + day / 20) / 4, pop.exposure_hours > 0)
    assert "all crashes rise steadily (" in (fleet_wide_rise_words(steady) or "")
    step = pop.chosen(rng.random(day.size) < np.where(day < 30, 0.3, 0.9), pop.exposure_hours > 0)
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
    quiet = pop.chosen(pop.day <= until[pop.host], pop.exposure_hours >= 0)
    (group,) = find_silent_groups(quiet)
    assert (group.attr, group.value, group.hours) == ("program", "etl", RUNS)
    assert set(group.hosts.tolist()) <= set(full.tolist()) and group.hosts.size > 20
    where = f"on {group.hosts.size} of the {group.of_hosts} hosts of etl after"
    assert f"{where} {iso_day(group.last)}" in group.words()
    left = drop_silent_hours(quiet)
    gone = np.isin(quiet.exposure_host, group.hosts) & (quiet.exposure_day > group.last)
    assert not left.exposure_hours[gone].any()
    assert np.array_equal(left.exposure_hours[~gone], quiet.exposure_hours[~gone])
