# SPDX-License-Identifier: Apache-2.0
"""Pairs of attributes that go with a signature together, and what each half shows alone."""

from __future__ import annotations

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.aliases import drop_aliases
from gdb_epi.fleet.screen.attributes import expected_shares
from gdb_epi.fleet.screen.conjunctions import Conjunction, find_conjunctions, tested_pairs
from gdb_epi.fleet.screen.design_effect import crashes_of_signature
from gdb_epi.fleet.screen.finding import MIN_N, Finding, is_about_whole_host
from gdb_epi.fleet.screen.screening import screen_hosts
from gdb_epi.fleet.statistics.arrays import Ints
from gdb_epi.fleet.statistics.hypothesis_tests import relative_risk
from gdb_epi.typing_lite import NamedTuple

OWN = 0.2  # of a pair's crashes that no stronger pair has
MAX_PAIRS = 30  # to be shown; usually far fewer pass the tests of q and of both conditions


class SingleCondition(NamedTuple):
    """One condition of a pair without the other one."""

    attr: str
    value: str
    n: int  # crashes of the signature that meet it
    total: int
    rr: float
    rr_low: float  # 95 % interval
    rr_high: float


class AttributePair(NamedTuple):
    """Two conditions that go with a signature together."""

    mark: str  # attr=value and attr=value
    finding: Finding  # its numbers; the aliases are other pairs that cannot be told apart
    alone: tuple[SingleCondition, SingleCondition]


class PairSearch(NamedTuple):
    """The pairs of one signature, strongest first, and what was tested."""

    signature: str
    crashes: int  # that were examined
    left_out: int  # crashes that single hosts explain
    pairs: tuple[AttributePair, ...]
    tested: int  # pairs of attributes, for which each q is corrected
    not_tested: tuple[str, ...]  # attributes that vary and are in no tested pair


def signature_pairs(population: Population, signature: int, day: int) -> PairSearch:
    """Search the pairs of attributes of one signature (its code in the population)."""
    name = population.signatures[signature]
    same = population.signature == signature
    explained = np.zeros(same.size, dtype=bool)
    for host in screen_hosts(population, day):
        if host.signature == name or is_about_whole_host(host.signature):
            explained |= host.members
    free = ~explained
    mine = crashes_of_signature(population, free, name)
    conjoined = {c.finding.key: c for c in find_conjunctions(population, free, name)}
    one_each = {c.finding.attr: c for c in conjoined.values()}
    joined = population._replace(attributes=tuple(c.whole() for c in one_each.values()))
    kept, covered = [], np.zeros(same.size, dtype=bool)
    for finding in drop_aliases(joined, [c.finding for c in conjoined.values()], []):
        # A pair with hardly any crash that a stronger pair lacks is only the shadow of that one.
        if int((finding.members & ~covered).sum()) >= max(MIN_N, OWN * finding.n):
            kept.append(finding)
            covered |= finding.members
    kept = kept[:MAX_PAIRS]
    marks = {f"{c.finding.attr}={c.finding.value}": _mark(c) for c in conjoined.values()}
    pairs = []
    for finding in kept:
        aliases = tuple(marks[alias] for alias in finding.aliases)
        pair = conjoined[finding.key]
        alone = (
            _alone(population, pair.first, pair.values[0], mine),
            _alone(population, pair.second, pair.values[1], mine),
        )
        pairs.append(AttributePair(_mark(pair), finding._replace(aliases=aliases), alone))
    left_out = int((same & explained).sum())
    tested = tested_pairs(population)
    inside = {a.name for pair in tested for a in pair}
    rest = (a.name for a in population.attributes if len(a.values) > 1 and a.name not in inside)
    return PairSearch(name, mine.size, left_out, tuple(pairs), len(tested), tuple(rest))


def _mark(pair: Conjunction) -> str:
    first, second = pair.first.values[pair.values[0]], pair.second.values[pair.values[1]]
    return f"{pair.first.name}={first} and {pair.second.name}={second}"


def _alone(population: Population, attribute: Attribute, value: int, mine: Ints) -> SingleCondition:
    share, _ = expected_shares(population, attribute)
    codes = attribute.crash[mine]
    n, total, part = int((codes == value).sum()), int((codes >= 0).sum()), float(share[value])
    risk = relative_risk(n, part, total - n, 1 - part)
    return SingleCondition(attribute.name, attribute.values[value], n, total, *risk)
