# SPDX-License-Identifier: Apache-2.0
"""Hosts that stand out in the fleet and not in the group that all of them belong to.

A microcode that computes wrongly makes each of its hosts crash in many ways, with bit flips: beside
the whole fleet every one of them looks broken. Where a group stands out, also without the crashes
of the host in question, the host is judged anew among the hosts of the group.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.attributes import findings_of_all_crashes
from gdb_epi.fleet.screen.design_effect import hours_of_values_within
from gdb_epi.fleet.screen.events import population_without_counting
from gdb_epi.fleet.screen.finding import (
    CAVEAT_ONE_SIGNATURE,
    CAVEAT_ONLY_MORE_CRASHES,
    CPU,
    HOST,
    MAX_HOST_Q,
    MAX_Q,
    MIN_RR,
    Finding,
    is_about_whole_host,
)
from gdb_epi.fleet.screen.hosts import JudgedHosts
from gdb_epi.fleet.statistics.arrays import Bools, Ints, count_pairs
from gdb_epi.fleet.statistics.hypothesis_tests import (
    binomial_p,
    estimate_overdispersion,
    negative_binomial_p,
    risk_by_share,
)
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted

MAJORITY = 0.6  # of the crashes of a group
MAX_MARKS = 3  # beside that of a group
MAX_NAMED = 12  # hosts
MIN_PEERS, MAX_PEERS = 2, 0.2  # hosts with a host's value; share of all host-hours


def drop_group_explained_hosts(
    population: Population, day: int, findings: Sequence[Finding]
) -> list[Finding]:
    """Return the findings of hosts but those that the rate of a group of hosts explains.

    `population` has host-hours: without them no group is known to stand out.
    """
    asked = [
        f for f in findings if is_about_whole_host(f.signature) and not f.signature.startswith(CPU)
    ]
    groups = list(findings_of_all_crashes(population, flips=True)) if asked else []
    explained: set[str] = set()
    for group in groups:
        attribute = population.attribute(group.attr)
        assert attribute is not None  # it was found there
        value = attribute.values.index(group.value)
        crash, exposure = attribute.crash == value, attribute.exposure == value
        inside = [f for f in asked if f.value not in explained and _is_mostly_of_group(f, crash)]
        if not inside:
            continue
        judged = JudgedHosts(population.select(crash, exposure), day)
        if not judged.can_be_judged:
            continue
        for finding in inside:
            host = population.hosts.index(finding.value)
            is_usual = (
                float(judged.p_by_host[host]) * int(judged.hosts_with_hours.sum()) > MAX_HOST_Q
            )
            if is_usual and _group_stands_out_without_host(population, group, host):
                explained.add(finding.value)
    explained |= _hosts_like_their_peers(population, asked)
    return [f for f in findings if f.value not in explained or not any(f is a for a in asked)]


def drop_hosts_of_marked_signatures(
    population: Population, findings: Sequence[Finding], earlier: Sequence[Finding]
) -> list[Finding]:
    """Return the findings but those of hosts that have no more crashes than others but for a place.

    When a switch fails each host behind it has some crashes more; the busiest of them would be
    raised, though those signatures go with the rack. Only of what stands out by number. The
    findings of `earlier` days explain hosts as well.
    """
    marked = np.zeros(population.day.size, dtype=bool)
    names = {name: code for code, name in enumerate(population.signatures)}
    for finding in (*earlier, *findings):
        attribute = population.attribute(finding.attr)
        if attribute is not None and finding.signature in names:
            value = attribute.values.index(finding.value)
            marked |= (population.signature == names[finding.signature]) & (
                attribute.crash == value
            )

    def is_explained(finding: Finding) -> bool:
        if finding.attr != HOST or CAVEAT_ONLY_MORE_CRASHES not in finding.caveats:
            return False
        rest = int(np.count_nonzero(finding.members & ~marked))
        usual = finding.n / finding.rr
        chance = negative_binomial_p(rest, usual, usual)
        return rest < finding.n and chance * len(population.hosts) > MAX_HOST_Q

    return [finding for finding in findings if not is_explained(finding)]


def _hosts_like_their_peers(population: Population, findings: Sequence[Finding]) -> set[str]:
    """Return the hosts of some findings that crash no more often than the few hosts like them.

    A ring of canaries has each release first and the tests of each night; its hosts crash more
    because they are canaries. Only of what stands out by number: damage is a host's own. The group
    itself may be no finding, as one program of many runs more there.
    """
    only_more = [
        f for f in findings if {*f.caveats} & {CAVEAT_ONLY_MORE_CRASHES, CAVEAT_ONE_SIGNATURE}
    ]
    if not only_more or not population.has_exposure:
        return set()
    size = len(population.hosts)
    with_hours = (population.exposure_host >= 0) & (population.exposure_hours > 0)
    host, hours = population.exposure_host[with_hours], population.exposure_hours[with_hours]
    crashes = np.bincount(population.host[population.host >= 0], minlength=size).astype(float)
    of_host = np.bincount(host, weights=hours, minlength=size)
    alpha = estimate_overdispersion(crashes, crashes.sum() * of_host / of_host.sum())
    kept = [a for a in population.attributes if not a.is_of_process]
    explained = set[str]()
    for finding in only_more:
        own = population.hosts.index(finding.value)
        for attribute in kept:
            value = attribute.exposure[with_hours]
            mine = value[host == own]
            if not mine.size or mine[-1] < 0:
                continue
            inside = np.unique(host[value == mine[-1]])
            peers, others = inside[inside != own], np.delete(np.arange(size), inside)
            if peers.size < MIN_PEERS or of_host[inside].sum() > MAX_PEERS * of_host.sum():
                continue
            # What other hosts have, and what the peers have, as expectations of the next.
            usual = of_host[peers] * (crashes[others].sum() + 1) / of_host[others].sum()
            rate = crashes[peers].sum() / of_host[peers].sum()
            chance_of_peers, chance = (
                negative_binomial_p(n, mean.sum(), mean.sum() + alpha * mean @ mean)
                for n, mean in (
                    (crashes[peers].sum(), usual),
                    (crashes[own], of_host[[own]] * rate),
                )
            )
            if crashes[peers].sum() < MIN_RR * usual.sum() or chance_of_peers * len(kept) > MAX_Q:
                continue
            if chance * np.count_nonzero(of_host) > MAX_HOST_Q:
                explained.add(finding.value)
    return explained


def _group_stands_out_without_host(population: Population, group: Finding, host: int) -> bool:
    """Whether a group stands out also without the crashes of one of its hosts."""
    others = population_without_counting(population, population.host == host)
    return any(
        same.identity == group.identity for same in findings_of_all_crashes(others, flips=True)
    )


def _is_mostly_of_group(finding: Finding, crash: Bools) -> bool:
    """Whether at least half of a host's crashes have the value of a group."""
    return 2 * int(np.count_nonzero(finding.members & crash)) >= finding.n


class FurtherValuesOfGroup(NamedTuple):
    """Values that most crashes of a group have beside its own, and few of its hosts."""

    marks: tuple[str, ...]  # attr=value, each within those before it
    numbers: tuple[str, ...]  # of each: "20 of 25, as have 30% of their host-hours"
    hosts: tuple[str, ...]  # that have all of them on the last day with host-hours
    ever: tuple[str, ...]  # hosts that had all of them on some day

    def words(self) -> str:
        """Say it: "rack=r7 (20 of 25, as have 30% ...), of these with bios=1.2 (19 of 20 ...)"."""
        parts = zip(self.marks, self.numbers, strict=True)
        return ", of these with ".join(f"{mark} ({numbers})" for mark, numbers in parts)

    def hosts_words(self) -> str:
        """Say how many hosts have all of these values now, and which where they are few."""
        if not self.hosts:
            return "no host has all of these any more"
        now = len(self.hosts)
        have = "has" if now == 1 else "have"
        few = f": {', '.join(self.hosts)}" if now <= MAX_NAMED else ""
        every = "" if now == len(self.ever) else f" of {len(self.ever)}"
        return f"{counted(now, 'host')}{every} {have} all of these now{few}"


def find_further_values_of_group(
    population: Population, finding: Finding
) -> FurtherValuesOfGroup | None:
    """Return further values that most crashes of a group have, and few hosts of it.

    A purchase that came with one firmware: the vendor alone says too much. Each is looked for among
    the hosts that have those before it: an erratum needs a model, a stepping and a microcode.
    """
    attribute = population.attribute(finding.attr)
    assert attribute is not None  # it was found there
    inside = attribute.hours_with(finding.value)
    rows = np.flatnonzero(finding.members & (population.host >= 0))
    marks, numbers, used = list[str](), list[str](), {finding.attr}
    while len(marks) < MAX_MARKS and (
        step := _value_of_most_crashes(population, rows, inside, used)
    ):
        other, value, words = step
        marks.append(other.mark_of_value(value))
        numbers.append(words)
        used.add(other.name)
        inside &= other.exposure == value
        rows = rows[other.crash[rows] == value]
    if not marks:
        return None
    inside &= (population.exposure_host >= 0) & (population.exposure_hours > 0)
    now = inside & (population.exposure_day == population.exposure_day.max())
    still, ever = (
        tuple(population.hosts[host] for host in np.unique(population.exposure_host[some]).tolist())
        for some in (now, inside)
    )
    return FurtherValuesOfGroup(tuple(marks), tuple(numbers), still, ever)


def _value_of_most_crashes(
    population: Population, rows: Ints, inside: Bools, used: set[str]
) -> tuple[Attribute, int, str] | None:
    """Return the value that most of some crashes have, and few of the host-hours `inside`."""
    tests, parts = 0, list[tuple[float, str, int, str]]()
    for other in population.attributes:
        hours = hours_of_values_within(population, other, inside)
        if other.name in used or other.is_of_process or np.count_nonzero(hours) < 2:
            continue
        tests += int(np.count_nonzero(hours))
        codes = other.crash[rows]
        has_value = codes >= 0
        host, value, _ = count_pairs(population.host[rows[has_value]], codes[has_value])
        counts = np.bincount(codes[has_value], minlength=hours.size)
        most, n = int(counts.argmax()), int(has_value.sum())
        share, count = float(hours[most] / hours.sum()), int(counts[most])
        risk = risk_by_share(count, n, share)[0]
        if count < MAJORITY * n or not risk >= MIN_RR:
            continue
        # However much hosts differ, each is counted once.
        p = binomial_p((value == most).sum(), np.unique(host).size, share)
        words = f"{count} of {n}, as have {share:.0%} of their host-hours"
        parts.append((p, other.name, most, words))
    p, name, most, words = min(parts, default=(1.0, "", 0, ""))
    attribute = population.attribute(name)
    return None if attribute is None or p * tests > MAX_Q else (attribute, most, words)
