# SPDX-License-Identifier: Apache-2.0
"""Attributes that go together, and pairs of them that go with a signature.

A finding about one of two attributes that go together may be about the other.

Cramer's V with Bergsma's (2013) bias correction over host-days, or over crashes where host-hours
are unknown. Host-days of one host are not independent draws: the correction counts hosts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.screen.attribute_pairs import (
    NEARLY_ALL,
    MarkingPair,
    find_attribute_pairs,
    tested_pairs,
)
from gdb_epi.fleet.screen.confounded_findings import drop_confounded_findings
from gdb_epi.fleet.screen.design_effect import crashes_of_signature, expected_shares
from gdb_epi.fleet.screen.finding import (
    MAX_CONDITIONAL_P,
    MIN_N,
    Finding,
    is_about_whole_host,
)
from gdb_epi.fleet.screen.programs import MIN_OTHERS, crashes_of_same_programs
from gdb_epi.fleet.screen.screening import screen_hosts
from gdb_epi.fleet.statistics.arrays import Ints, count_distinct, widen_codes
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_p, risk_by_share
from gdb_epi.typing_lite import NamedTuple

SURE = 0.99  # share of the rows in which one value decides the other
MAX_CELLS = 4_000_000  # of one table: two attributes with thousands of values each say nothing
SAME, DECIDES, TOGETHER, APART = "same", "decides", "together", "apart"
STRONG = 0.3  # V from which on attributes "go together" (Cohen's medium effect for two values)


class CorrelatedPair(NamedTuple):
    """Two attributes; `relation` reads first RELATION second."""

    first: str
    second: str
    v: float  # 0..1
    relation: str  # same, decides (nested), together, apart
    rows: int  # host-days, or crashes
    source: str


class AttributeCorrelations(NamedTuple):
    """All pairs, the strongest first, and attributes that are one in all but name."""

    pairs: tuple[CorrelatedPair, ...]
    groups: tuple[tuple[str, ...], ...]  # aliases of each other
    nested: tuple[tuple[str, str], ...]  # (finer, coarser): a rack lies in one row


def correlate_attributes(population: Population) -> AttributeCorrelations:
    """Return which attributes of the fleet go together, and how strongly."""
    varied = [a for a in population.attributes if _has_several_values(a)]
    pairs = [
        p
        for a, b in combinations(varied, 2)
        if (p := _correlate_pair(population, a, b)) is not None
    ]
    pairs.sort(key=lambda p: (-p.v, p.first, p.second))
    nested = [(p.first, p.second) for p in pairs if p.relation == DECIDES]
    return AttributeCorrelations(
        tuple(pairs), _groups_of_same_attributes(pairs), tuple(sorted(nested))
    )


def _has_several_values(attribute: Attribute) -> bool:
    codes = attribute.codes_in_fleet
    present = codes[codes >= 0]
    return bool(present.size and present.min() != present.max())


def _correlate_pair(
    population: Population, first: Attribute, second: Attribute
) -> CorrelatedPair | None:
    for a, b, hosts, source in (
        (first.exposure, second.exposure, population.exposure_host, "host-days"),
        (first.crash, second.crash, population.host, "crashes"),
    ):
        both_known = (a >= 0) & (b >= 0)
        if both_known.any():
            units = count_distinct(hosts[both_known] + 1)
            return _measure_association(first, second, a[both_known], b[both_known], units, source)
    return None


def _measure_association(
    first: Attribute, second: Attribute, a: Ints, b: Ints, units: int, source: str
) -> CorrelatedPair | None:
    if len(first.values) * len(second.values) > MAX_CELLS:
        return None
    counts = np.bincount(
        widen_codes(a) * len(second.values) + b, minlength=len(first.values) * len(second.values)
    )
    table = counts.reshape(len(first.values), len(second.values)).astype(np.float64)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    total = table.sum()
    forward = table.max(axis=1).sum() / total >= SURE
    backward = table.max(axis=0).sum() / total >= SURE
    v = cramers_v(table, units)
    names, relation = (first.name, second.name), TOGETHER if v >= STRONG else APART
    if min(table.shape) < 2:
        return None
    if forward and backward:
        relation = SAME
    elif forward and not _is_one_value_mostly(table.sum(axis=0)):
        relation = DECIDES
    elif backward and not _is_one_value_mostly(table.sum(axis=1)):
        names, relation = (second.name, first.name), DECIDES
    return CorrelatedPair(*names, v, relation, int(total), source)


def _is_one_value_mostly(counts: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bool:
    """Whether one value has nearly all rows: then any attribute seems to decide it."""
    return bool(counts.max() / counts.sum() >= SURE)


def cramers_v(table: np.ndarray[tuple[int, ...], np.dtype[np.float64]], units: int) -> float:
    """Return Cramer's V with Bergsma's bias correction, for `units` independent draws."""
    total = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    phi = float(((table - expected) ** 2 / expected).sum() / total)
    rows, columns = table.shape
    n = max(units, 2)
    corrected = max(0.0, phi - (rows - 1) * (columns - 1) / (n - 1))
    rows_c = rows - (rows - 1) ** 2 / (n - 1)
    columns_c = columns - (columns - 1) ** 2 / (n - 1)
    smaller = min(rows_c, columns_c) - 1
    return min(1.0, float(np.sqrt(corrected / smaller))) if smaller > 0 else 0.0


def _groups_of_same_attributes(pairs: list[CorrelatedPair]) -> tuple[tuple[str, ...], ...]:
    groups: list[set[str]] = []
    for pair in pairs:
        if pair.relation == SAME:
            joined = {pair.first, pair.second}
            apart = [g for g in groups if not g & joined]
            for group in groups:
                joined |= group if group & joined else set()
            groups = [*apart, joined]
    return tuple(sorted(tuple(sorted(group)) for group in groups))


OWN = 0.2  # of a pair's crashes that no stronger pair has
MAX_PAIRS = 30  # to be shown; usually far fewer pass the tests of q and of both conditions


class ConditionOfPairAlone(NamedTuple):
    """One condition of a pair without the other one."""

    attr: str
    value: str
    n: int  # crashes of the signature that meet it
    total: int
    rr: float
    rr_low: float  # 95 % interval
    rr_high: float


class ConditionPairOfSignature(NamedTuple):
    """Two conditions that go with a signature together."""

    mark: str  # attr=value and attr=value
    finding: Finding  # its numbers; the aliases are other pairs that cannot be told apart
    alone: tuple[ConditionOfPairAlone, ConditionOfPairAlone]


class ConditionPairSearchResult(NamedTuple):
    """The pairs of one signature, strongest first, and what was tested."""

    signature: str
    crashes: int  # that were examined
    left_out: int  # crashes that single hosts explain
    pairs: tuple[ConditionPairOfSignature, ...]
    tested: int  # pairs of attributes, for which each q is corrected
    not_tested: tuple[str, ...]  # attributes that vary and are in no tested pair
    shared: tuple[str, ...] = ()  # of no pair: values that nearly all have, beyond chance alone


def search_condition_pairs(
    population: Population, signature: int, day: int
) -> ConditionPairSearchResult:
    """Search the pairs of attributes of one signature (its code in the population)."""
    name = population.signatures[signature]
    same = population.signature == signature
    explained = np.zeros(same.size, dtype=bool)
    for host in screen_hosts(population, day):
        if host.signature == name or is_about_whole_host(host.signature):
            explained |= host.members
    free = ~explained
    mine = crashes_of_signature(population, free, name)
    conjoined = {c.finding.identity: c for c in find_attribute_pairs(population, free, name)}
    one_each = {c.finding.attr: c for c in conjoined.values()}
    joined = population._replace(attributes=tuple(c.joint_attribute() for c in one_each.values()))
    kept, covered = [], np.zeros(same.size, dtype=bool)
    for finding in drop_confounded_findings(joined, [c.finding for c in conjoined.values()], []):
        # A pair with hardly any crash that a stronger pair lacks is only the shadow of that one.
        if int((finding.members & ~covered).sum()) >= max(MIN_N, OWN * finding.n):
            kept.append(finding)
            covered |= finding.members
    kept = kept[:MAX_PAIRS]
    marks = {f"{c.finding.attr}={c.finding.value}": _pair_words(c) for c in conjoined.values()}
    pairs = []
    for finding in kept:
        aliases = tuple(marks[alias] for alias in finding.aliases)
        pair = conjoined[finding.identity]
        alone = (
            _single_condition(population, pair.first, pair.values[0], mine),
            _single_condition(population, pair.second, pair.values[1], mine),
        )
        pairs.append(
            ConditionPairOfSignature(_pair_words(pair), finding._replace(aliases=aliases), alone)
        )
    left_out = int((same & explained).sum())
    tested = tested_pairs(population)
    inside = {a.name for pair in tested for a in pair}
    rest = (a.name for a in population.attributes if len(a.values) > 1 and a.name not in inside)
    shared = () if pairs else tuple(_name_values_of_nearly_all(population, mine, tested))
    return ConditionPairSearchResult(
        name, mine.size, left_out, tuple(pairs), len(tested), tuple(rest), shared
    )


def _name_values_of_nearly_all(
    population: Population, mine: Ints, tested: Sequence[tuple[Attribute, Attribute]]
) -> Iterator[str]:
    """Name the values that nearly all of some crashes have, and fewer others of their programs.

    Of two such values, which many others have together, the second may be needed or not.
    """
    same = crashes_of_same_programs(population, mine)
    others = np.ones(population.day.size, dtype=bool) if same is None else same.copy()
    others[mine] = False
    for attribute in dict.fromkeys(a.name for pair in tested for a in pair):
        column = population.attribute(attribute)
        assert column is not None
        codes, beside = column.crash[mine], column.crash[others]
        counts = np.bincount(codes[codes >= 0], minlength=len(column.values))
        value, total, size = int(counts.argmax()), int(counts.sum()), int((beside >= 0).sum())
        have = int((beside == value).sum())
        if counts[value] < NEARLY_ALL * total or size < MIN_OTHERS:
            continue
        if binomial_p(counts[value], total, (have + 1) / (size + 1)) <= MAX_CONDITIONAL_P:
            share = f"{have / size:.0%} of the other crashes"
            yield f"{column.mark_of_value(value)} ({counts[value]} of {total}; {share})"


def _pair_words(pair: MarkingPair) -> str:
    first, second = pair.first.values[pair.values[0]], pair.second.values[pair.values[1]]
    return f"{pair.first.name}={first} and {pair.second.name}={second}"


def _single_condition(
    population: Population, attribute: Attribute, value: int, mine: Ints
) -> ConditionOfPairAlone:
    share, _ = expected_shares(population, attribute)
    codes = attribute.crash[mine]
    n, total, part = int((codes == value).sum()), int((codes >= 0).sum()), float(share[value])
    risk = risk_by_share(n, total, part)
    return ConditionOfPairAlone(attribute.name, attribute.values[value], n, total, *risk)
