# SPDX-License-Identifier: Apache-2.0
"""Who dies first where one job runs on many hosts: the others follow, and are no crashes of theirs.

When one rank of a training dies, a watchdog aborts all others some seconds later: every host has
a core, and the one that matters is the first. It is told where it came well before the others and
died in another way than they did, as a wrong clock would not do. Where the first core is of the
kind of all the others, whatever died first has left none. Jobs that a repaired host began before
its repair do not count.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gdb_epi.fleet.population.host_spelling import is_past_of_repaired_host
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.finding import MOSTLY
from gdb_epi.fleet.statistics.arrays import Bools, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import poisson_binomial_tail
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, natural_sort_key

WITHIN = 600  # seconds from the first core of a job to those that follow
WELL_BEFORE = 5  # seconds: more than clocks that are set differ
MIN_JOBS = 10  # that died on several hosts
MIN_FIRST = 5  # of them with the same host first
MOST_JOBS = 0.8  # that a host takes part in: it may lead them
MAX_P = 1e-6  # of so many by chance, paid for all hosts
MAX_P_LEADS, ALIKE = 0.01, 0.5  # that others begin on their first host; with the same signature
MAX_CRASHES = 200_000  # a question must stay quick


class JobDeathsByFirstHost(NamedTuple):
    """The deaths of jobs that ran on several hosts, by the host of the first core."""

    attr: str
    first: Ints  # hosts, one for each job of which the first death is known
    jobs: int
    members: Bools  # all crashes of these jobs
    host: int  # that was first more often than by chance; -1: none
    due: float = 0.0
    may_lead: str = ""  # why what the leading process does may be the cause

    @property
    def is_suspect(self) -> bool:
        """Whether a host dies first, and not because it leads the jobs as far as can be seen."""
        return self.host >= 0 and not self.may_lead

    def lines(self, population: Population) -> Iterator[str]:
        """Say who died first, and what is left besides."""
        crashes = counted(int(np.count_nonzero(self.members)), "crash")
        jobs = f"{self.jobs} jobs ({self.attr})"
        of_jobs = f"of {jobs} that died on several hosts at once, {crashes}, "
        unknown = self.jobs - self.first.size
        not_known = (
            f"of {unknown} it is not known what died first: no core of another kind came well "
            "before the others"
        )
        if self.host < 0:
            yield (
                f"{of_jobs}{self.first.size} began with another death on one host, on no host so "
                f"often that it stands out; {not_known}; what follows is one event for each job"
            )
            return
        name, count = population.hosts[self.host], int((self.first == self.host).sum())
        advice = "take it out and test it"
        if self.may_lead:
            advice = f"{self.may_lead}: move that first"
        others = np.unique(self.first[self.first != self.host]).size
        rest = f"{self.first.size - count} began on {counted(others, 'other host')}; "
        yield (
            f"verdict: one host ({name}) dies first: {of_jobs}{self.first.size} began with another "
            f"death on one host, {count} of them on {name} ({self.due:.1f} by chance), and the "
            f"others follow: {advice}. {rest * (others > 0)}{not_known}"
        )


def find_job_deaths_by_first_host(population: Population) -> JobDeathsByFirstHost | None:
    """Return who died first of the jobs that died on several hosts; None where there are few."""
    if population.second is None or not 0 < population.day.size <= MAX_CRASHES:
        return None
    deaths_of_attributes = (
        _deaths_of_jobs(population, attribute) for attribute in population.attributes
    )
    return max(filter(None, deaths_of_attributes), key=lambda deaths: deaths.jobs, default=None)


def _deaths_of_jobs(population: Population, attribute: Attribute) -> JobDeathsByFirstHost | None:
    """Return the deaths of the jobs that the values of an attribute name, None where they are few.

    A value names a job where most of its crashes are within WITHIN of the first, on several hosts.
    """
    skipped = attribute.is_of_process or attribute.is_range
    if skipped or len(attribute.values) < MIN_JOBS or attribute.has_hours:
        return None
    second = population.second
    assert second is not None
    rows = np.flatnonzero((attribute.crash >= 0) & (population.host >= 0) & (second >= 0))
    rows = rows[np.lexsort((second[rows], attribute.crash[rows]))]
    edges = np.flatnonzero(np.diff(attribute.crash[rows], prepend=-1, append=-1))
    begun: list[tuple[int, int]] = []  # host and signature of each first death
    hosts_of_begun: list[Ints] = []
    jobs_by_host = np.zeros(len(population.hosts), dtype=int)
    members = np.zeros(population.day.size, dtype=bool)
    jobs = 0
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        rows_of_value = rows[low:high]
        job = rows_of_value[second[rows_of_value] <= second[rows_of_value[0]] + WITHIN]
        hosts = np.unique(population.host[job])
        begun_by = int(population.host[job[0]])
        followers = job[population.host[job] != begun_by]
        if hosts.size < 2 or job.size < MOSTLY * rows_of_value.size:  # that is no job's end
            continue
        if is_past_of_repaired_host(population.hosts[begun_by]):
            continue
        jobs += 1
        jobs_by_host[hosts] += 1
        members[job] = True
        signatures = population.signature[followers]
        signatures, first_signature = signatures[signatures >= 0], int(population.signature[job[0]])
        is_other = (
            signatures.size > 0
            and first_signature >= 0
            and first_signature != np.bincount(signatures).argmax()
        )
        if is_other and second[followers[0]] - second[job[0]] >= WELL_BEFORE:
            begun.append((begun_by, first_signature))
            hosts_of_begun.append(hosts)
    if jobs < MIN_JOBS or not begun:
        return None
    host_and_signature = np.array(begun)
    deaths = JobDeathsByFirstHost(attribute.name, host_and_signature[:, 0], jobs, members, -1)
    most_often_first = int(np.bincount(deaths.first).argmax())
    chances = np.array([1 / hosts.size for hosts in hosts_of_begun if most_often_first in hosts])
    count = int((deaths.first == most_often_first).sum())
    p = poisson_binomial_tail(count, chances) * len(population.hosts)
    if count < MIN_FIRST or p > MAX_P:
        return deaths
    may_lead = _why_host_may_lead_jobs(
        population, most_often_first, host_and_signature, hosts_of_begun
    )
    if jobs_by_host[most_often_first] > MOST_JOBS * jobs:
        may_lead = (
            "it takes part in nearly all of them, so what only their leading process does dies "
            "there too"
        )
    return deaths._replace(host=most_often_first, due=float(chances.sum()), may_lead=may_lead)


def _why_host_may_lead_jobs(
    population: Population, host: int, host_and_signature: Ints, hosts_of_jobs: list[Ints]
) -> str:
    """Say why a bug of the leading process may die first there; "" where nothing speaks for it.

    Schedulers sort a job's hosts by name, and the first one of them leads: what only the leading
    process does dies on the first host of other jobs, too. So does what dies alike elsewhere.
    """
    lowest = np.array([
        min(hosts.tolist(), key=lambda code: natural_sort_key(population.hosts[code]))
        for hosts in hosts_of_jobs
    ])  # fmt: skip
    mine, is_lowest = host_and_signature[:, 0] == host, host_and_signature[:, 0] == lowest
    sizes = np.array([1 / hosts.size for hosts in hosts_of_jobs])
    others = int(np.count_nonzero(~mine))
    may_be_chance = poisson_binomial_tail(int(is_lowest[~mine].sum()), sizes[~mine]) > MAX_P_LEADS
    if (others and not may_be_chance) or (others < MIN_FIRST and is_lowest[mine].mean() >= MOSTLY):
        return (
            "they begin on the first of their hosts by name, where the leading process mostly "
            "runs, and what only that does dies there"
        )
    usual = int(np.bincount(host_and_signature[mine, 1]).argmax())
    if others and (host_and_signature[~mine, 1] == usual).mean() >= ALIKE:
        return "on other hosts most begin with the same death, so it may be what the job runs there"
    return ""
