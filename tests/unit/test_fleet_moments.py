# SPDX-License-Identifier: Apache-2.0
"""Times of the day and month at which a signature comes, and load that only looks so."""

from __future__ import annotations

import numpy as np
import pytest
from support.fleet_simulator import population, simulate

from gdb_epi.fleet.population.population import Attribute
from gdb_epi.fleet.questions.suspects import signatures_with_value_words
from gdb_epi.fleet.screen.finding import DAY_OF_MONTH, TIME_OF_DAY
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.screen.time_and_cpu_patterns import time_and_cpu_findings


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
    moment_findings = time_and_cpu_findings(pop, np.ones(pop.day.size, dtype=bool))
    return [(f.attr, f.value, f.signature) for f in moment_findings if f.attr == TIME_OF_DAY]


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
    (finding,) = moments(at_hours(fleet._replace(signature=few), hours))
    assert finding == (TIME_OF_DAY, "04:00 to 05:00 UTC", fleet.signatures[0])


def test_each_place_has_its_own_hour(fleet):
    """A morning of three regions, one of which changes its clock; UTC alone has no hour for it."""
    hours, region = evenings(fleet, 5), fleet.host % 3
    own = np.flatnonzero(fleet.signature == 0)[::8]
    rng = np.random.default_rng(2)
    moved = np.where((region[own] == 0) & (fleet.day[own] % 2 == 0), 1, 0)
    hours[own] = np.array([6.2, 12.2, 22.2])[region[own]] + moved + rng.uniform(0, 1.2, own.size)
    few = fleet.signature.copy()
    few[fleet.signature == 0] = 1
    few[own] = 0
    place = Attribute("region", ["fra", "nyc", "tyo"], region, fleet.exposure_host % 3)
    pop = at_hours(fleet._replace(signature=few), hours)
    pop = pop._replace(attributes=(*fleet.attributes, place))
    moment_findings = [
        f
        for f in time_and_cpu_findings(pop, np.ones(pop.day.size, dtype=bool))
        if f.signature == fleet.signatures[0]
    ]
    assert sorted(f.aliases[-1] for f in moment_findings) == [
        "region=fra",
        "region=nyc",
        "region=tyo",
    ]
    assert all("each region has its own hour" in f.caveats[-1] for f in moment_findings)
    assert {f.value[:2] for f in moment_findings} == {"06", "12", "22"}
    # Asked of one place, all crashes of the signature count, and the hour is the verdict.
    (words,) = signatures_with_value_words(pop, moment_findings, "region", "nyc")
    there = np.count_nonzero(region[own] == 1)
    assert words.startswith(f"{there} of {own.size} crashes of ")
    assert "have it; software or configuration: comes at 12:00 to 13:" in words


@pytest.fixture(scope="module")
def closings():
    """100 days of 60 hosts; one signature comes on the turns of months alone, on a kernel of late.

    The kernel came up two days before the last turn, on nearly all hosts: it is innocent.
    """
    pop = population(simulate(13, hosts=60, days=120, per_day=6.0, common=6, new_share=0.0))
    months = pop.day.astype("datetime64[D]").astype("datetime64[M]").astype("datetime64[D]")
    late = (pop.day + 2).astype("datetime64[D]").astype("datetime64[M]").astype("datetime64[D]")
    turn = (pop.day == months.astype(int)) | (late.astype(int) > pop.day)
    signature = np.where((pop.signature == 0) & ~turn, 1, pop.signature)
    signature[turn & (np.arange(pop.day.size) % 2 == 0)] = 0
    last = int(pop.day[signature == 0].max())
    crash, hours = (
        ((day >= last - 4) & (host % 8 > 0)).astype(int)
        for day, host in ((pop.day, pop.host), (pop.exposure_day, pop.exposure_host))
    )
    kernel = Attribute("kernel", ["6.8.0-49", "6.8.0-51"], crash, hours)
    pop = pop._replace(signature=signature, attributes=(kernel,), memo=None)
    return at_hours(pop, np.random.default_rng(4).uniform(0, 24, pop.day.size)), last


def test_what_comes_at_the_end_of_a_month_is_told_and_is_not_over(closings):
    pop, last = closings
    findings = screen_population(pop, last + 20).findings
    (finding,) = (f for f in findings if f.attr == DAY_OF_MONTH)
    assert finding.value == "the last 2 days and the first day of a month (UTC)"
    assert finding.signature == pop.signatures[0] and finding.n == finding.total


def test_a_closing_in_which_several_programs_die_is_told_of_each(closings):
    """After three turns; measured by the deaths of the others none comes at a turn more often."""
    pop = closings[0].until_day(closings[1] - 20)
    signature = pop.signature.copy()
    turn = np.flatnonzero(signature == 0)
    signature[np.isin(signature, (2, 3))] = 1
    signature[turn] = np.array([0, 2, 3])[np.arange(turn.size) % 3]
    few_others = (np.arange(pop.day.size) % 4 == 0) | np.isin(signature, (0, 2, 3))
    moment_findings = time_and_cpu_findings(
        pop._replace(signature=signature, memo=None), few_others
    )
    assert sorted((f.attr, f.signature) for f in moment_findings) == [
        (DAY_OF_MONTH, pop.signatures[code]) for code in (0, 2, 3)
    ]


def test_a_kernel_before_the_end_of_a_month_is_not_to_blame_for_it(closings):
    pop, last = closings
    raised = [
        f
        for d in (last - 1, last, last + 2)
        for f in screen_population(pop.until_day(d), d).findings
    ]
    assert [f.value for f in raised if f.attr == DAY_OF_MONTH], "by then"
    assert not [f for f in raised if f.attr == "kernel"]
