# SPDX-License-Identifier: Apache-2.0
"""Pairs of attributes that mark a signature together: a version that fails under load alone.

Subgroups of depth two. Each condition must still matter among the crashes that meet the other
one, or the pair is an echo of a single attribute.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gdb_epi.fleet import statistics as st
from gdb_epi.fleet.population import Attribute, Bools, Ints, Population
from gdb_epi.fleet.screen_attributes import (
    crashes_of,
    expected_shares,
    promising,
    value_findings,
)
from gdb_epi.fleet.screen_types import MAX_CONDITIONAL_P, MIN_N, Finding

MAX_ATTRIBUTES = 12  # those with host-hours first, then those with the fewest values
MAX_PAIR_VALUES = 4_000  # of two attributes together


class Conjunction(NamedTuple):
    """Two values that mark a signature together."""

    finding: Finding  # of both, as if the two attributes were one
    whole: Attribute  # the two as one
    one: Attribute
    two: Attribute
    values: tuple[int, int]  # codes of the two


def pair_findings(
    population: Population, free: Bools, signature: str
) -> Iterator[tuple[Finding, Finding]]:
    """Yield the pairs of values that have more of a signature than their share, best first."""
    for found in conjunctions(population, free, signature):
        yield _halves(found)


def conjunctions(population: Population, free: Bools, signature: str) -> Iterator[Conjunction]:
    """Yield the pairs of values that have more of a signature than their share, best first.

    All pairs of one pair of attributes are a family (Benjamini-Hochberg), which pays for the number
    of such families (Bonferroni).
    """
    mine = crashes_of(population, free, signature)
    if mine.size < MIN_N:
        return
    pairs: dict[str, tuple[Attribute, Attribute, Attribute]] = {}
    found: list[Finding] = []
    tested = tested_pairs(population)
    for one, two in tested:
        joined = _joined(one, two)
        if promising(population, joined, _codes(one.crash[mine], two.crash[mine], two)):
            whole = joined._replace(crash=_codes(one.crash, two.crash, two))
            pairs[joined.name] = (whole, one, two)
            found += value_findings(population, whole, free, mine, signature)
    for finding in sorted(found, key=lambda f: f.p):
        q = finding.q * len(tested)
        if q > MAX_PAIR_Q:
            continue
        whole, one, two = pairs[finding.attr]
        code = whole.values.index(finding.value)
        values = code // len(two.values), code % len(two.values)
        if _both_matter(population, (one, two), values, mine):
            test = f"both conditions together: {finding.test}"
            paid = finding._replace(q=min(1.0, q), test=test)
            yield Conjunction(paid, whole, one, two, values)


def tested_pairs(population: Population) -> list[tuple[Attribute, Attribute]]:
    """Return the pairs of attributes that are looked at."""
    return [
        (one, two)
        for one, two in combinations(_chosen(population), 2)
        if len(one.values) * len(two.values) <= MAX_PAIR_VALUES
    ]


MAX_PAIR_Q = 0.01


def _chosen(population: Population) -> list[Attribute]:
    varied = [a for a in population.attributes if len(a.values) > 1]
    varied.sort(key=lambda a: (not (a.exposure >= 0).any(), len(a.values), a.name))
    return varied[:MAX_ATTRIBUTES]


def _joined(one: Attribute, two: Attribute) -> Attribute:
    """Two attributes as one, without its column of crashes: most pairs do not need that."""
    exposure = _codes(one.exposure, two.exposure, two)
    return Attribute(f"{one.name}+{two.name}", _values(one, two), exposure[:0], exposure)


def _values(one: Attribute, two: Attribute) -> list[str]:
    return [f"{v} and {two.name}={w}" for v in one.values for w in two.values]


def _codes(a: Ints, b: Ints, two: Attribute) -> Ints:
    return np.where((a >= 0) & (b >= 0), a * len(two.values) + b, -1)


def _both_matter(
    population: Population, pair: tuple[Attribute, Attribute], values: tuple[int, int], mine: Ints
) -> bool:
    """Whether each condition is over-represented among the crashes that meet the other one."""
    for here, there in ((0, 1), (1, 0)):
        asked, given = pair[here], pair[there]
        inside = asked.crash[mine[given.crash[mine] == values[there]]]
        share, _ = expected_shares(population, asked, given.exposure == values[there])
        a, n = float((inside == values[here]).sum()), float((inside >= 0).sum())
        numbers = np.array([a]), np.array([n]), share[[values[here]]]
        if float(st.binomial_tail(*numbers)[0]) > MAX_CONDITIONAL_P * 10:
            return False
    return True


def _halves(found: Conjunction) -> tuple[Finding, Finding]:
    """The pair as two conditions of the same crashes."""
    first, second = (
        found.finding._replace(attr=a.name, value=a.values[v])
        for a, v in zip((found.one, found.two), found.values, strict=True)
    )
    return first, second
