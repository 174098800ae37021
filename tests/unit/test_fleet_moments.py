# SPDX-License-Identifier: Apache-2.0
"""Times of the day and month at which a signature comes, and load that only looks so."""

from __future__ import annotations

import numpy as np
import pytest
from support.fleet_simulator import population, simulate

from gdb_epi.fleet.screen.finding import TIME_OF_DAY
from gdb_epi.fleet.screen.moments import moment_findings


@pytest.fixture(scope="module")
def fleet():
    """60 hosts, a hundred crashes a day of few signatures, for 24 days."""
    return population(simulate(12, hosts=60, days=24, per_day=100.0, common=6, new_share=0.0))


def at_hours(pop, hours):
    """The population with its crashes at some hours of their days."""
    second = pop.day * 86_400 + (hours % 24 * 3_600).astype(int)
    return pop._replace(second=second, memo=None)


def evenings(pop, seed):
    """Hours of a load that is eight times as high in the evening as at night."""
    rng = np.random.default_rng(seed)
    evening = rng.random(pop.day.size) < 0.6
    return np.where(evening, rng.normal(19.5, 2.6, pop.day.size), rng.uniform(0, 24, pop.day.size))


def moments(pop):
    found = moment_findings(pop, np.ones(pop.day.size, dtype=bool))
    return [(f.attr, f.value, f.signature) for f in found if f.attr == TIME_OF_DAY]


def test_a_frequent_signature_follows_the_load_and_comes_at_no_hour(fleet):
    for seed in range(12):
        pop = at_hours(fleet, evenings(fleet, seed))
        # It came every evening of these days, and by night as well.
        name = int(np.bincount(pop.signature[pop.signature >= 0]).argmax())
        own = np.flatnonzero(pop.signature == name)
        assert own.size > 200
        second = pop.second.copy()
        _, firsts = np.unique(pop.day[own], return_index=True)
        second[own[firsts]] = pop.day[own[firsts]] * 86_400 + 21 * 3_600
        assert moments(pop._replace(second=second)) == []


def test_a_job_of_one_hour_is_told_beside_a_load(fleet):
    hours = evenings(fleet, 3)
    own = np.flatnonzero(fleet.signature == 0)[::16]  # two a day
    hours[own[::2]] = 4.5
    few = fleet.signature.copy()
    few[fleet.signature == 0] = 1
    few[own] = 0
    (told,) = moments(at_hours(fleet._replace(signature=few), hours))
    assert told == (TIME_OF_DAY, "04:00 to 05:00 UTC", fleet.signatures[0])
