# SPDX-License-Identifier: Apache-2.0
"""Who dies first where one job runs on many hosts: the others follow, and are no crashes of theirs.

When one rank of a training dies, a watchdog aborts all others some seconds later: every host has
a core, and the one that matters is the first. It is told where it came well before the others and
died in another way than they did, as a wrong clock would not do. Where the first core is of the
kind of all the others, whatever died first has left none.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gdb_epi.fleet.population.number_ranges import RANGE
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.finding import MOSTLY
from gdb_epi.fleet.screen.programs import is_process_attribute
from gdb_epi.fleet.statistics.arrays import Bools, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import poisson_binomial_tail
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

WITHIN = 600  # seconds from the first core of a job to those that follow
WELL_BEFORE = 5  # seconds: more than clocks that are set differ
MIN_JOBS = 10  # that died on several hosts
MIN_FIRST = 5  # of them with the same host first
MOST_JOBS = 0.8  # that a host takes part in: it may lead them
MAX_P = 1e-6  # of so many by chance, paid for all hosts
MAX_CRASHES = 200_000  # a question must stay quick


class FirstDeaths(NamedTuple):
    """The deaths of jobs that ran on several hosts, by the host of the first core."""

    attr: str
    first: Ints  # hosts, one for each job of which the first death is known
    jobs: int
    followers: Bools  # crashes that came after the first one of their job
    members: Bools  # all crashes of these jobs
    host: int  # that was first more often than by chance; -1: none
    due: float
    takes_part: float = 0.0  # share of the jobs that ran on the host

    @property
    def is_suspect(self) -> bool:
        """Whether a host dies first that does not take part in nearly all jobs."""
        return self.host >= 0 and self.takes_part <= MOST_JOBS

    def lines(self, population: Population) -> Iterator[str]:
        """Say who died first, and what is left besides."""
        many = counted(int(np.count_nonzero(self.members)), "crash")
        known = f"of {self.jobs} jobs ({self.attr}) that died on several hosts at once, {many}, "
        unknown = self.jobs - self.first.size
        rest = self.first[self.first != self.host]
        left = f"the first core of {unknown} is like all others: what died first left none"
        if self.host < 0:
            yield (
                f"{known}{self.first.size} began with another death on one host, on none of them "
                f"more often than by chance; {left}; what follows is one event for each job"
            )
            return
        name, count = population.hosts[self.host], int((self.first == self.host).sum())
        advice = "take it out and test it"
        if not self.is_suspect:
            advice = (
                "it takes part in nearly all of them, so what only their leading process does dies "
                "there too: move that first"
            )
        yield (
            f"verdict: one host ({name}) dies first: {known}{self.first.size} began with another "
            f"death on one host, {count} of them on {name} ({self.due:.1f} by chance), and the "
            f"others follow: {advice}. {rest.size} began on {np.unique(rest).size} other "
            f"hosts, by the program's own bugs it seems; {left}"
        )


def find_first_deaths(population: Population) -> FirstDeaths | None:
    """Return who died first of the jobs that died on several hosts; None where there are few."""
    if population.second is None or not 0 < population.day.size <= MAX_CRASHES:
        return None
    found = (_of_jobs(population, attribute) for attribute in population.attributes)
    return max(filter(None, found), key=lambda deaths: deaths.jobs, default=None)


def _of_jobs(population: Population, attribute: Attribute) -> FirstDeaths | None:
    skipped = is_process_attribute(attribute.name) or attribute.name.endswith(RANGE)
    if skipped or len(attribute.values) < MIN_JOBS or (attribute.exposure >= 0).any():
        return None
    second = population.second
    assert second is not None
    rows = np.flatnonzero((attribute.crash >= 0) & (population.host >= 0) & (second >= 0))
    rows = rows[np.lexsort((second[rows], attribute.crash[rows]))]
    edges = np.flatnonzero(np.diff(attribute.crash[rows], prepend=-1, append=-1))
    first: list[int] = []
    hosts_of_jobs: list[Ints] = []
    followers, members = (np.zeros(population.day.size, dtype=bool) for _ in range(2))
    jobs = 0
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        whole = rows[low:high]
        job = whole[second[whole] <= second[whole[0]] + WITHIN]
        hosts = np.unique(population.host[job])
        others = job[population.host[job] != population.host[job[0]]]
        if hosts.size < 2 or job.size < MOSTLY * whole.size:  # that is no job's end
            continue
        jobs += 1
        members[job] = followers[job[1:]] = True
        kinds = population.signature[others]
        usual = int(np.bincount(kinds[kinds >= 0], minlength=1).argmax())
        is_other = population.signature[job[0]] != usual
        if is_other and second[others[0]] - second[job[0]] >= WELL_BEFORE:
            first.append(int(population.host[job[0]]))
            hosts_of_jobs.append(hosts)
    if jobs < MIN_JOBS or not first:
        return None
    deaths = FirstDeaths(attribute.name, np.array(first), jobs, followers, members, -1, 0.0)
    most = int(np.bincount(deaths.first).argmax())
    chances = np.array([1 / hosts.size for hosts in hosts_of_jobs if most in hosts])
    count = int((deaths.first == most).sum())
    p = poisson_binomial_tail(count, chances) * len(population.hosts)
    if count < MIN_FIRST or p > MAX_P:
        return deaths
    part = chances.size / len(hosts_of_jobs)
    return deaths._replace(host=most, due=float(chances.sum()), takes_part=part)
