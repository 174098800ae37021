# SPDX-License-Identifier: Apache-2.0
"""The populations inside one signature: hosts peeled off, then marks of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gdb_epi.fleet import statistics as st
from gdb_epi.fleet.finding_store import verdict
from gdb_epi.fleet.population import Bools, Population
from gdb_epi.fleet.screen_attributes import distinct, expected_shares, signature_findings
from gdb_epi.fleet.screen_hosts import host_findings
from gdb_epi.fleet.screen_types import MAX_Q, MIN_N, Finding

MAX_MORE = 2000  # crashes; beyond that "no number of crashes" is the honest answer
MIN_TOGETHER = 0.8  # of a mark's crashes that a second one shares: then the cause needs both


class Part(NamedTuple):
    """One population of a signature."""

    label: str
    mark: str  # attr=value (and attr=value ...), or what the rest is
    finding: Finding | None
    crashes: int
    hosts: int
    bitflips: int
    members: Bools
    also: tuple[Finding, ...] = ()  # further conditions that the same crashes need


class Split(NamedTuple):
    """The parts, the answer in words, and how many more crashes may settle what is open."""

    signature: str
    parts: tuple[Part, ...]
    answer: str
    more: int | None
    leaning: str | None  # the best mark that is not significant yet


def split(
    population: Population, signature: int, day: int, hosts: Sequence[Finding] | None = None
) -> Split:
    """Split the crashes of one signature (its code in the population).

    `hosts` are the findings of hosts as a screening of that day has them; it saves finding them.
    """
    name = population.signatures[signature]
    left = population.signature == signature
    known = host_findings(population, day) if hosts is None else hosts
    parts = _host_parts(population, name, left, known)
    for part in parts:
        left = left & ~part.members
    free = left | (population.signature != signature)
    for part in parts:
        free &= ~part.members
    marks = list(signature_findings(population, free, [name], only=True))
    for conditions in _together(distinct(population, marks, [])):
        mine = left.copy()
        for finding in conditions:
            mine &= finding.members
        if int(mine.sum()) >= MIN_N:
            parts.append(_part(population, conditions, mine))
            left = left & ~mine
    more, leaning = (None, None) if marks else _needed(population, left)
    if left.any():
        label = "not explained" if parts else "one population, as far as can be told"
        parts.append(_rest(population, label, left))
    return Split(name, tuple(parts), _answer(parts, more), more, leaning)


def _host_parts(
    population: Population, name: str, left: Bools, hosts: Iterable[Finding]
) -> list[Part]:
    parts: list[Part] = []
    for finding in hosts:
        mine = finding.members & left
        if finding.signature in (name, "*", "*bitflip") and int(mine.sum()) >= MIN_N:
            parts.append(_part(population, (finding,), mine))
            left = left & ~mine
    return parts


def _together(found: Sequence[Finding]) -> list[tuple[Finding, ...]]:
    """Join the marks that the same crashes carry; the strongest first."""
    groups: list[list[Finding]] = []
    for finding in sorted(found, key=lambda f: f.p):
        for group in groups:
            base = group[0].members
            both = int((base & finding.members).sum())
            if both >= MIN_TOGETHER * min(int(base.sum()), finding.n):
                group.append(finding)
                break
        else:
            groups.append([finding])
    return [tuple(group) for group in groups]


def _part(population: Population, conditions: tuple[Finding, ...], members: Bools) -> Part:
    mark = " and ".join(f"{f.attr}={f.value}" for f in conditions)
    label = verdict(conditions[0])
    if len(conditions) > 1:
        label = f"software or configuration: needs {mark}"
    part = _rest(population, label, members)
    return part._replace(mark=mark, finding=conditions[0], also=conditions[1:])


def _rest(population: Population, label: str, members: Bools) -> Part:
    hosts = int(np.unique(population.host[members & (population.host >= 0)]).size)
    flips = int((population.bitflip & members).sum())
    return Part(label, "the rest", None, int(members.sum()), hosts, flips, members)


def _answer(parts: list[Part], more: int | None) -> str:
    hosts = [p for p in parts if p.finding is not None and p.finding.attr == "host"]
    others = [p for p in parts if p.finding is not None and p.finding.attr != "host"]
    rest = sum(p.crashes for p in parts if p.finding is None)
    if hosts and (others or rest >= MIN_N):
        return f"two causes or more: {', '.join(p.mark for p in hosts)} apart from the others"
    if hosts:
        return f"one host: {hosts[0].mark}"
    if len(others) > 1:
        return f"two causes or more: {' apart from '.join(p.mark for p in others)}"
    if others:
        return f"one cause: {others[0].label}"
    if more is None:
        return "not enough: nothing marks these crashes"
    return f"not enough: about {more} more crashes would settle it"


def _needed(population: Population, members: Bools) -> tuple[int | None, str | None]:
    """How many more crashes until the strongest leaning is significant, if it goes on like this."""
    best: tuple[float, int, str] | None = None
    for attribute in population.attributes:
        usable = members & (attribute.crash >= 0)
        n = int(usable.sum())
        if n < MIN_N:
            continue
        share, _ = expected_shares(population, attribute)
        counts = np.bincount(attribute.crash[usable], minlength=share.size).astype(float)
        p = st.binomial_tail(counts, np.full(share.size, float(n)), share)
        value = int(np.argmin(p))
        threshold = MAX_Q / max(int((share > 0).sum()), 1)
        found = _until(counts[value] / n, float(share[value]), n, threshold)
        if found is not None and (best is None or p[value] < best[0]):
            best = (float(p[value]), found - n, f"{attribute.name}={attribute.values[value]}")
    return (best[1], best[2]) if best else (None, None)


def _until(purity: float, share: float, n: int, threshold: float) -> int | None:
    """Return the number of crashes at which this purity is significant; None beyond MAX_MORE."""
    if purity <= share:
        return None
    sizes = np.arange(max(n, MIN_N), MAX_MORE, dtype=float)
    p = st.binomial_tail(np.floor(purity * sizes), sizes, np.full(sizes.size, share))
    enough = np.flatnonzero((p <= threshold) & (sizes > n))
    return int(sizes[enough[0]]) if enough.size else None
