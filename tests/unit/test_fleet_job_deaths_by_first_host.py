# SPDX-License-Identifier: Apache-2.0
"""Jobs that die on many hosts at once: who died first, and where that cannot be told."""

from __future__ import annotations

import numpy as np
import pytest
from unit.test_fleet_rates import FIRST, fleet

from gdb_epi.fleet.decisions.drain_plan import DIES_FIRST, _hosts_to_drain_and_left_in
from gdb_epi.fleet.decisions.repairs import separate_past_of_repaired_hosts
from gdb_epi.fleet.population.population import Attribute, CoreKeys, Population
from gdb_epi.fleet.questions.job_deaths_by_first_host import find_job_deaths_by_first_host
from gdb_epi.fleet.questions.suspects import suspect_lines
from gdb_epi.fleet.screen.screening import screen_population

BAD = 7


def trainings(
    seed: int, *, bad: float, known: float = 0.8, leads: bool = False, by_name: bool = False
) -> Population:
    """Sixty jobs on 4 to 12 of 40 hosts; one of them dies by itself, and the rest some s later."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[int, int, int, int]] = []  # second, host, signature, job
    for job in range(60):
        hosts = rng.choice(40, rng.integers(4, 13), replace=False)
        if leads and BAD not in hosts:
            hosts[0] = BAD
        begin = (FIRST + job) * 86_400 + int(rng.integers(0, 80_000))
        first = int(hosts[rng.integers(hosts.size)])
        if BAD in hosts and rng.random() < bad:
            first = BAD
        if by_name:  # the first host leads, and half of the jobs are given h007
            hosts[0] = BAD if job % 2 else hosts[0]
            hosts = np.unique(np.maximum(hosts, BAD))
            first = int(hosts[0])
        has_core = rng.random() < known
        for host in hosts.tolist():
            if host != first:
                rows.append((begin + int(rng.integers(14, 90)), host, 0, job))
            elif has_core:
                rows.append((begin, host, 1 + host % 3, job))
    second, host, signature, jobs = np.array(sorted(rows)).T
    none = np.zeros(host.size, dtype=bool)
    whole = fleet(np.zeros((40, 60)), {})
    return whole._replace(
        core_keys=CoreKeys.from_strings(f"{i:016x}" for i in range(host.size)),
        day=second // 86_400, second=second, host=host, signature=signature,
        cpu=np.full(host.size, -1), bitflip=none, lock_inherited=none,
        attributes=(
            Attribute("job", [f"j{i}" for i in range(60)], jobs, np.full(40 * 60, -1)),
        ),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_the_host_that_dies_first_is_told_and_no_other(seed):
    population = trainings(seed, bad=0.95)
    deaths = find_job_deaths_by_first_host(population)
    assert deaths is not None and deaths.host == BAD and deaths.jobs == 60
    (words,) = deaths.lines(population)
    assert words.startswith(f"verdict: one host (h{BAD:03d}) dies first: of 60 jobs (job)")
    assert "take it out and test it" in words and "it is not known what died first" in words


def test_after_a_host_that_dies_first_it_is_not_said_that_nothing_stands_out():
    population = trainings(1, bad=0.95)
    screened = screen_population(population, population.last_day)
    lines = list(suspect_lines(population, screened._replace(findings=())))
    assert lines[0].startswith("verdict: one host (h007) dies first")
    assert lines[1].startswith("nothing else stands out")


def test_a_host_that_dies_first_is_not_left_in_as_if_its_job_did_it():
    population = trainings(1, bad=0.95)
    screened = screen_population(population, population.last_day)
    assert _hosts_to_drain_and_left_in(population, screened, [], 0.0, 30) == (
        {},
        {"h007": DIES_FIRST},
    )


@pytest.mark.parametrize("seed", range(20))
def test_where_any_host_is_first_none_is_accused(seed):
    population = trainings(seed, bad=0.0)
    deaths = find_job_deaths_by_first_host(population)
    assert deaths is not None and deaths.host < 0
    (words,) = deaths.lines(population)
    assert "verdict" not in words and "on no host so often that it stands out" in words


def test_the_host_that_leads_all_jobs_is_not_taken_out():
    population = trainings(3, bad=0.95, leads=True)
    deaths = find_job_deaths_by_first_host(population)
    assert deaths is not None and deaths.host == BAD
    (words,) = deaths.lines(population)
    assert "move that first" in words and "take it out" not in words


def test_the_first_host_of_a_list_that_leads_half_of_the_jobs_is_not_taken_out():
    population = trainings(3, bad=0.0, by_name=True)
    deaths = find_job_deaths_by_first_host(population)
    assert deaths is not None and deaths.host == BAD and not deaths.is_suspect
    (words,) = deaths.lines(population)
    assert "the first of their hosts by name" in words and "take it out" not in words


def test_a_death_that_others_begin_with_too_is_the_jobs():
    population = trainings(1, bad=0.95)
    alike = population._replace(signature=np.minimum(population.signature, 1))
    deaths = find_job_deaths_by_first_host(alike)
    assert deaths is not None and deaths.host == BAD and not deaths.is_suspect
    (words,) = deaths.lines(alike)
    assert "most begin with the same death" in words and "take it out" not in words


def test_a_repaired_host_does_not_die_first_any_more():
    population = trainings(1, bad=0.95)
    repaired = separate_past_of_repaired_hosts(population, {f"h{BAD:03d}": population.last_day})
    deaths = find_job_deaths_by_first_host(repaired)
    assert deaths is not None and deaths.host < 0 and 40 < deaths.jobs < 60


def test_jobs_whose_first_death_is_not_known_count_among_those_a_host_takes_part_in():
    population = trainings(3, bad=0.95, leads=True)
    jobs = population.attributes[0]
    elsewhere = np.isin(jobs.crash, np.arange(0, 60, 3))
    # Of a third of the jobs, which run without the host, nobody knows what died first.
    kept = ~(elsewhere & ((population.host == BAD) | (population.signature > 0)))
    deaths = find_job_deaths_by_first_host(population.select(kept, np.ones(40 * 60, dtype=bool)))
    assert deaths is not None and deaths.host == BAD and deaths.is_suspect


def test_a_clock_that_is_late_makes_no_first_death():
    population = trainings(5, bad=0.0, known=0.0)
    late = population.second - 300 * (population.host == BAD)
    order = np.argsort(late, kind="stable")
    keys = population.attributes[0]
    population = population._replace(
        second=late[order], host=population.host[order], day=late[order] // 86_400,
        attributes=(keys._replace(crash=keys.crash[order]),),
    )  # fmt: skip
    assert find_job_deaths_by_first_host(population) is None
