# SPDX-License-Identifier: Apache-2.0
"""Pairs of attributes that mark a signature together: a version that fails under load alone.

Subgroups of depth two. Each condition must still matter among the crashes that meet the other
one, or the pair is an echo of a single attribute.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from gdb_epi.fleet import statistics as st
from gdb_epi.fleet.population import Attribute, Bools, Population
from gdb_epi.fleet.screen_attributes import expected_shares, signature_findings
from gdb_epi.fleet.screen_types import MAX_CONDITIONAL_P, MIN_N, Finding

MAX_ATTRIBUTES = 12  # those with host-hours first, then those with the fewest values
MAX_PAIR_VALUES = 4_000  # of two attributes together


def pair_findings(
    population: Population, free: Bools, signature: str
) -> Iterator[tuple[Finding, Finding]]:
    """Yield the pairs of values that have more of a signature than their share, best first."""
    base = population.signatures.index(signature)
    mine = free & (population.signature == base)
    if int(mine.sum()) < MIN_N:
        return
    kept = []
    for one, two in combinations(_chosen(population), 2):
        if len(one.values) * len(two.values) <= MAX_PAIR_VALUES:
            kept.append((one, two, _joined(one, two)))
    apart = population._replace(attributes=tuple(joined for _, _, joined in kept))
    found = signature_findings(apart, free, [signature], only=True)
    by_name = {joined.name: (one, two) for one, two, joined in kept}
    tests = max(len(kept), 1)  # families: each pair of attributes pays for all of them
    for finding in sorted(found, key=lambda f: f.p):
        if finding.q * tests > MAX_PAIR_Q:
            continue
        one, two = by_name[finding.attr]
        code = next(j for _, _, j in kept if j.name == finding.attr).values.index(finding.value)
        values = code // len(two.values), code % len(two.values)
        if _both_matter(population, (one, two), values, mine):
            yield _halves(finding._replace(q=min(1.0, finding.q * tests)), one, two, values)


MAX_PAIR_Q = 0.01


def _chosen(population: Population) -> list[Attribute]:
    varied = [a for a in population.attributes if len(a.values) > 1]
    varied.sort(key=lambda a: (not (a.exposure >= 0).any(), len(a.values), a.name))
    return varied[:MAX_ATTRIBUTES]


def _joined(one: Attribute, two: Attribute) -> Attribute:
    width = len(two.values)
    parts = []
    for a, b in ((one.crash, two.crash), (one.exposure, two.exposure)):
        parts.append(np.where((a >= 0) & (b >= 0), a * width + b, -1))
    values = [f"{v} and {two.name}={w}" for v in one.values for w in two.values]
    return Attribute(f"{one.name}+{two.name}", values, parts[0], parts[1])


def _both_matter(
    population: Population, pair: tuple[Attribute, Attribute], values: tuple[int, int], mine: Bools
) -> bool:
    """Whether each condition is over-represented among the crashes that meet the other one."""
    for here, there in ((0, 1), (1, 0)):
        asked, given = pair[here], pair[there]
        inside = mine & (given.crash == values[there]) & (asked.crash >= 0)
        share, _ = expected_shares(population, asked, given.exposure == values[there])
        a, n = float((inside & (asked.crash == values[here])).sum()), float(inside.sum())
        numbers = np.array([a]), np.array([n]), share[[values[here]]]
        if float(st.binomial_tail(*numbers)[0]) > MAX_CONDITIONAL_P * 10:
            return False
    return True


def _halves(
    finding: Finding, one: Attribute, two: Attribute, values: tuple[int, int]
) -> tuple[Finding, Finding]:
    """The pair as two conditions of the same crashes."""
    test = f"both conditions together: {finding.test}"
    return tuple(  # type: ignore[return-value]
        finding._replace(attr=a.name, value=a.values[v], test=test)
        for a, v in zip((one, two), values, strict=True)
    )
