# SPDX-License-Identifier: Apache-2.0
"""The populations inside one signature: hosts peeled off, then marks of the rest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gdb_epi.fleet import statistics as st
from gdb_epi.fleet.finding_store import verdict
from gdb_epi.fleet.population import Bools, Population
from gdb_epi.fleet.screen_attributes import attribute_findings, distinct, expected_shares
from gdb_epi.fleet.screen_hosts import host_findings
from gdb_epi.fleet.screen_types import MAX_Q, MIN_N, Finding

MAX_MORE = 2000  # crashes; beyond that "no number of crashes" is the honest answer


class Part(NamedTuple):
    """One population of a signature."""

    label: str
    mark: str  # attr=value, or what the rest is
    finding: Finding | None
    crashes: int
    hosts: int
    bitflips: int
    members: Bools


class Split(NamedTuple):
    """The parts, the answer in words, and how many more crashes may settle what is open."""

    signature: str
    parts: tuple[Part, ...]
    answer: str
    more: int | None
    leaning: str | None  # the best mark that is not significant yet


def split(population: Population, signature: int, day: int) -> Split:
    """Split the crashes of one signature (its code in the population)."""
    name = population.signatures[signature]
    left = population.signature == signature
    parts: list[Part] = []
    for finding in host_findings(population, day):
        mine = finding.members & left
        if finding.signature in (name, "*", "*bitflip") and int(mine.sum()) >= MIN_N:
            parts.append(_part(population, verdict(finding), _mark(finding), finding, mine))
            left &= ~mine
    free = left | (population.signature != signature)
    for part in parts:
        free &= ~part.members
    marks = [f for f in attribute_findings(population, free) if f.signature == name]
    for finding in distinct(population, marks, [])[:1]:
        mine = finding.members & left
        parts.append(_part(population, verdict(finding), _mark(finding), finding, mine))
        left &= ~mine
    more, leaning = (None, None) if marks else _needed(population, left)
    if left.any():
        label = "not explained" if parts else "one population, as far as can be told"
        parts.append(_part(population, label, "the rest", None, left))
    return Split(name, tuple(parts), _answer(parts, more), more, leaning)


def _mark(finding: Finding) -> str:
    return f"{finding.attr}={finding.value}"


def _part(
    population: Population, label: str, mark: str, finding: Finding | None, members: Bools
) -> Part:
    hosts = int(np.unique(population.host[members & (population.host >= 0)]).size)
    flips = int((population.bitflip & members).sum())
    return Part(label, mark, finding, int(members.sum()), hosts, flips, members)


def _answer(parts: list[Part], more: int | None) -> str:
    hosts = [p for p in parts if p.finding is not None and p.finding.attr == "host"]
    others = [p for p in parts if p.finding is not None and p.finding.attr != "host"]
    rest = sum(p.crashes for p in parts if p.finding is None)
    if hosts and (others or rest >= MIN_N):
        return f"two causes or more: {', '.join(p.mark for p in hosts)} apart from the others"
    if hosts:
        return f"one host: {hosts[0].mark}"
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
    enough = np.flatnonzero(p <= threshold)
    return int(sizes[enough[0]]) if enough.size else None
