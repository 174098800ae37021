# SPDX-License-Identifier: Apache-2.0
"""The daily screening: hosts first, then everything else without the crashes they explain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.aliases import with_rivals, without_aliases
from gdb_epi.fleet.screen.attributes import attribute_findings, group_findings
from gdb_epi.fleet.screen.findings_cache import cached_host_findings
from gdb_epi.fleet.screen.hosts import host_findings
from gdb_epi.fleet.screen.types import ALL, HOST, MIN_N, Finding, is_of_host
from gdb_epi.fleet.statistics.arrays import Bools
from gdb_epi.typing_lite import NamedTuple

MAX_DAYS = 370  # a longer replay goes from one day with crashes to the next


class Screen(NamedTuple):
    """What stands out at the end of a day; `peeled` are the crashes attributed to single hosts."""

    day: int
    findings: tuple[Finding, ...]
    peeled: Bools
    hosts: tuple[Finding, ...]  # all of the hosts, those that were raised before too


def screen(population: Population, day: int, earlier_findings: tuple[Finding, ...] = ()) -> Screen:
    """Test everything that is known at the end of `day`; `known` findings are not repeated."""
    # What makes a whole group crash more does not make its hosts suspects one by one.
    group = min(group_findings(population), key=lambda f: (f.p, -f.rr), default=None)
    hosts, others = _peel(population, day, group)
    peeled = _members(population, hosts)
    raised = {finding.key for finding in earlier_findings}
    # A host's reason may become clearer (`*` then `*bitflip`): that is no new finding.
    named = {(f.value, _breadth(f)) for f in earlier_findings if f.attr == HOST}
    new = []
    for finding in hosts:
        about = (finding.value, _breadth(finding))
        if finding.key not in raised and about not in named:
            named.add(about)
            new.append(finding)
    earlier = [f for f in earlier_findings if f.attr != HOST and _is_here(population, f)]
    new += [
        with_rivals(population, f, ~peeled) for f in without_aliases(population, others, earlier)
    ]
    return Screen(day, tuple(new), peeled, tuple(hosts))


def _peel(
    population: Population, day: int, group: Finding | None
) -> tuple[list[Finding], list[Finding]]:
    """Return the findings of hosts, and of everything else without the crashes that they explain.

    Hosts of a `group` are measured by its rate.
    """
    if group is None:
        hosts = cached_host_findings(population, day)
    else:
        given = f"; given the rate of {group.attr}={group.value}"
        measured = host_findings(_weighed(population, group), day)
        hosts = [f._replace(test=f.test + given) for f in measured]
    # A signature of which a host was peeled is looked at for its second cause: a question asked
    # beforehand, so its tests do not pay for those of all the other signatures.
    asked = [name for finding in hosts for name in _peeled_of(population, finding)]
    free = ~_members(population, hosts)
    return hosts, list(attribute_findings(population, free, asked))


def _members(population: Population, findings: Sequence[Finding]) -> Bools:
    members = np.zeros(population.day.size, dtype=bool)
    for finding in findings:
        members |= finding.members
    return members


def _weighed(population: Population, group: Finding) -> Population:
    """Return the population with host-hours that count by the rate of a group."""
    attribute = population.attribute(group.attr)
    if attribute is None:
        return population
    inside = attribute.exposure == attribute.values.index(group.value)
    hours = population.exposure_hours * np.where(inside, group.rr, 1.0)
    return population._replace(exposure_hours=hours)


def _peeled_of(population: Population, finding: Finding) -> list[str]:
    """The signature of a host's finding; of a host with all kinds the one that is half of them."""
    if not finding.signature.startswith("*"):
        return [finding.signature]
    mine = population.signature[finding.members & (population.signature >= 0)]
    counts = np.bincount(mine, minlength=1)
    most = int(np.argmax(counts))
    return [population.signatures[most]] if counts[most] >= max(MIN_N, finding.n / 2) else []


def replay(population: Population) -> Iterator[Screen]:
    """Screen day by day, never using later data; each finding is raised once."""
    if not population.day.size:
        return
    raised_findings: tuple[Finding, ...] = ()
    for day in _days(population):
        screened = screen(population.until(day), day, raised_findings)
        raised_findings += screened.findings
        yield screened


def _days(population: Population) -> list[int]:
    """The days from the first crash to the last; those with crashes where clocks were far off."""
    first, last = int(population.day.min()), int(population.day.max())
    if last - first <= MAX_DAYS:
        return list(range(first, last + 1))
    return [int(day) for day in np.unique(population.day)]


def _is_here(population: Population, finding: Finding) -> bool:
    """Whether a finding of the past can be compared: its value and signature still exist."""
    attribute = population.attribute(finding.attr)
    if attribute is None or finding.value not in attribute.values:
        return False
    return finding.signature.startswith("*") or finding.signature in population.signatures


def _breadth(finding: Finding) -> str:
    return ALL if is_of_host(finding.signature) else finding.signature
