# SPDX-License-Identifier: Apache-2.0
"""Hosts that stand out in the fleet and not in the group that all of them belong to.

A microcode that computes wrongly makes each of its hosts crash in many ways, with bit flips: beside
the whole fleet every one of them looks broken. Where a group stands out, also without the crashes
of the host in question, the host is judged anew among the hosts of the group.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.attributes import bitflip_and_crash_group_findings, hours_within
from gdb_epi.fleet.screen.events import without_crashes
from gdb_epi.fleet.screen.finding import CPU, MAX_HOST_Q, MAX_Q, MIN_RR, Finding, is_of_host
from gdb_epi.fleet.screen.hosts import JudgedHosts
from gdb_epi.fleet.screen.programs import is_process_attribute
from gdb_epi.fleet.statistics.arrays import Bools, count_pairs
from gdb_epi.fleet.statistics.hypothesis_tests import apply_to_scalars, binomial_tail
from gdb_epi.typing_lite import NamedTuple

MAJORITY = 0.6  # of the crashes of a group


def without_group_explained_hosts(
    population: Population, day: int, findings: Sequence[Finding]
) -> list[Finding]:
    """Return the findings of hosts but those that the rate of a group of hosts explains.

    `population` has host-hours: without them no group is known to stand out.
    """
    asked = [f for f in findings if is_of_host(f.signature) and not f.signature.startswith(CPU)]
    groups = list(bitflip_and_crash_group_findings(population)) if asked else []
    explained: set[str] = set()
    for group in groups:
        attribute = population.attribute(group.attr)
        assert attribute is not None  # it was found there
        value = attribute.values.index(group.value)
        crash, exposure = attribute.crash == value, attribute.exposure == value
        inside = [f for f in asked if f.value not in explained and _belongs(f, crash)]
        if not inside:
            continue
        judged = JudgedHosts(population.chosen(crash, exposure), day)
        if not judged.can_be_judged:
            continue
        for finding in inside:
            host = population.hosts.index(finding.value)
            is_usual = float(judged.p[host]) * int(judged.alive.sum()) > MAX_HOST_Q
            if is_usual and _stands_out_without(population, group, host):
                explained.add(finding.value)
    return [f for f in findings if f.value not in explained or not any(f is a for a in asked)]


def _stands_out_without(population: Population, group: Finding, host: int) -> bool:
    """Whether a group stands out also without the crashes of one of its hosts."""
    others = without_crashes(population, population.host == host)
    return any(same.key == group.key for same in bitflip_and_crash_group_findings(others))


def _belongs(finding: Finding, crash: Bools) -> bool:
    """Whether at least half of a host's crashes have the value of a group."""
    return 2 * int(np.count_nonzero(finding.members & crash)) >= finding.n


class Subgroup(NamedTuple):
    """A second value that most crashes of a group have, and few of its hosts; with its numbers."""

    attr: str
    value: str
    numbers: str  # "(20 of 25, as have 30% of their host-hours)"

    def words(self) -> str:
        """Return "attr=value (20 of 25, as have ...)"."""
        return f"{self.attr}={self.value} {self.numbers}"


def find_subgroup(population: Population, finding: Finding) -> Subgroup | None:
    """Return a second value that most crashes of a group have, and few hosts of it.

    A purchase that came with one firmware: the vendor alone says too much.
    """
    attribute = population.attribute(finding.attr)
    assert attribute is not None  # it was found there
    inside = attribute.exposure == attribute.values.index(finding.value)
    rows = np.flatnonzero(finding.members & (population.host >= 0))
    tests, parts = 0, list[tuple[float, Subgroup]]()
    for other in population.attributes:
        hours = hours_within(population, other, inside)
        if other is attribute or is_process_attribute(other.name) or np.count_nonzero(hours) < 2:
            continue
        tests += int(np.count_nonzero(hours))
        codes = other.crash[rows]
        known = codes >= 0
        host, value, _ = count_pairs(population.host[rows[known]], codes[known])
        counts = np.bincount(codes[known], minlength=hours.size)
        most = int(counts.argmax())
        share = float(hours[most] / hours.sum())
        if counts[most] < max(MIN_RR * share, MAJORITY) * known.sum():
            continue
        # However much hosts differ, each is counted once.
        p = apply_to_scalars(binomial_tail, (value == most).sum(), np.unique(host).size, share)
        numbers = f"({counts[most]} of {known.sum()}, as have {share:.0%} of their host-hours)"
        parts.append((p, Subgroup(other.name, other.values[most], numbers)))
    p, part = min(parts, default=(1.0, None))
    return part if p * tests <= MAX_Q else None
