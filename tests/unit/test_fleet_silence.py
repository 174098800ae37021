# SPDX-License-Identifier: Apache-2.0
"""Hosts that fell silent: told as such, and never as recovery."""

from __future__ import annotations

import numpy as np
import pytest
from support.fleet_simulator import population, simulate

from gdb_epi.fleet.population.coverage import without_hours
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.screen.silent_hosts import RUNS, STOPPED, UNKNOWN, find_silent_groups

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
    return (without_hours(pop) if hours == UNKNOWN else pop), rack.values[value]


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
    for asked in (pop.chosen(crash, hours), without_hours(pop.chosen(crash, hours))):
        assert find_silent_groups(asked) == []
