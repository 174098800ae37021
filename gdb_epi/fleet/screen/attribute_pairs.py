# SPDX-License-Identifier: Apache-2.0
"""Pairs of attributes that mark a signature together: a version that fails under load alone.

Subgroups of depth two. Each condition must still matter among the crashes that meet the other
one, or the pair is an alias of a single attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import overload

import numpy as np

from gdb_epi.fleet.population.attribute_combinations import (
    crashes_by_combination,
    find_combinations,
    sum_by_value,
)
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.population.value_spans import (
    first_and_last_days,
    started_late_and_outlasted_others,
)
from gdb_epi.fleet.screen.attributes import value_findings
from gdb_epi.fleet.screen.design_effect import (
    AttributeToTest,
    UnexplainedCrashes,
    effect_of_bursts,
)
from gdb_epi.fleet.screen.events import PLACES
from gdb_epi.fleet.screen.finding import HOST_HOURS, MAX_CONDITIONAL_P, MIN_N, NO_HOURS, Finding
from gdb_epi.fleet.screen.programs import MIN_OTHERS, crashes_of_same_programs
from gdb_epi.fleet.statistics.arrays import ABSENT, Bools, Floats, Ints, sum_by_code, widen_codes
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_p
from gdb_epi.typing_lite import NamedTuple

MAX_ATTRIBUTES = 12  # those with host-hours first, then those with the fewest values
NEARLY_ALL = 0.95  # of the crashes that meet one condition meet the other
MAX_PAIR_VALUES = 4_000  # of two attributes together


class MarkingPair(NamedTuple):
    """Two values that mark a signature together."""

    finding: Finding  # of both, as if the two attributes were one
    first: Attribute
    second: Attribute
    values: tuple[int, int]  # codes of the two

    def joint_attribute(self) -> Attribute:
        """Return the two attributes as one."""
        first, second, width = self.first, self.second, len(self.second.values)
        crash = _pair_codes(first.crash, second.crash, width)
        exposure = _pair_codes(first.exposure, second.exposure, width)
        return Attribute(self.finding.attr, list(_ValuesOfPair(first, second)), crash, exposure)


def pair_findings(
    population: Population, free: Bools, signature: str
) -> Iterator[tuple[Finding, Finding]]:
    """Yield the pairs that `find_attribute_pairs` finds, each as two findings."""
    for pair in find_attribute_pairs(population, free, signature):
        finding, values = pair.finding, pair.values
        first, second = pair.first, pair.second
        yield (
            finding._replace(attr=first.name, value=first.values[values[0]]),
            finding._replace(attr=second.name, value=second.values[values[1]]),
        )


def find_attribute_pairs(
    population: Population, free: Bools, signature: str
) -> Iterator[MarkingPair]:
    """Yield the pairs of values that have more of a signature than their share, best first.

    All pairs of one pair of attributes are a family (Benjamini-Hochberg), which pays for the number
    of such families (Bonferroni).
    """
    crashes = UnexplainedCrashes(population, free)
    mine = crashes.rows_of_signature(population.signatures.index(signature))
    if mine.size < MIN_N:
        return
    few = find_combinations(population).occurring_combinations_and_counts(mine)
    pairs: dict[str, tuple[Attribute, Attribute, dict[str, int]]] = {}
    findings: list[Finding] = []
    tested = tested_pairs(population)
    same_programs = crashes_of_same_programs(population, mine)
    others = same_programs
    if others is not None:
        others = others & (population.signature >= 0)
        others &= ~population.crashes_of_signature(signature)

    @cache
    def on_same_days() -> Bools:
        return np.isin(population.day, population.day[mine])

    for first, second in tested:
        tests = _make_joint_attribute(population, first, second)
        named = list(value_findings(tests, crashes, few, mine, signature))
        if named:
            pairs[tests.name] = first, second, {value: i for i, value in enumerate(tests.values)}
            findings += named
    for finding in sorted(findings, key=lambda f: f.p):
        q = finding.q * len(tested)
        if q > MAX_PAIR_Q:
            continue
        first, second, codes = pairs[finding.attr]
        values = divmod(codes[finding.value], len(second.values))
        if _is_implied_by_narrower_value(population, (first, second), values, mine):
            continue
        if _does_each_condition_matter(
            population, (first, second), values, mine, (same_programs, others, on_same_days)
        ):
            test = f"both conditions together: {finding.test}"
            paid = finding._replace(q=min(1.0, q), test=test)
            yield MarkingPair(paid, first, second, values)


def _is_implied_by_narrower_value(
    population: Population, pair: tuple[Attribute, Attribute], values: tuple[int, int], mine: Ints
) -> bool:
    """Whether nearly all crashes have a narrower value of a third attribute than one of the two.

    A microcode that one model has, and not on all its hosts, is named before the model.
    """
    hours = population.exposure_hours
    for attribute in population.attributes:
        codes = attribute.crash[mine]
        if attribute.is_of_process or any(attribute is half for half in pair):
            continue
        if not (codes >= 0).any():
            continue
        value = int(np.bincount(codes[codes >= 0]).argmax())
        if np.count_nonzero(codes == value) < NEARLY_ALL * mine.size:
            continue
        has = attribute.exposure == value
        for half, of_half in zip(pair, values, strict=True):
            wide = half.exposure == of_half
            both, own = float(hours[has & wide].sum()), float(hours[has].sum())
            if own > 0 and both >= NEARLY_ALL * own and own < NEARLY_ALL * hours[wide].sum():
                return True
    return False


def tested_pairs(population: Population) -> list[tuple[Attribute, Attribute]]:
    """Return the pairs of attributes that are tested."""
    varied = [a for a in population.attributes if len(a.values) > 1]
    varied.sort(key=lambda a: (not a.has_hours, len(a.values), a.name))
    return [
        (first, second)
        for first, second in combinations(varied[:MAX_ATTRIBUTES], 2)
        if len(first.values) * len(second.values) <= MAX_PAIR_VALUES
    ]


MAX_PAIR_Q = 0.01


def _make_joint_attribute(
    population: Population, left: Attribute, right: Attribute
) -> AttributeToTest:
    """Two attributes as one."""
    width = len(right.values)
    combinations = find_combinations(population)
    codes = _pair_codes(combinations.codes(left), combinations.codes(right), width)
    table = _hours_by_pair(population, left, right)
    if table.sum() > 0:
        share, source = table / table.sum(), HOST_HOURS
    else:
        counts = sum_by_value(codes, crashes_by_combination(population), table.size)
        share, source = counts / max(counts.sum(), 1.0), NO_HOURS

    def is_newest_joint_value(value: int) -> bool:
        given = left.exposure, right.exposure, population.exposure_day, len(left.values), width
        return started_late_and_outlasted_others(
            population.computed_once(_first_and_last_days, *given), value
        )

    @cache
    def exposure() -> Ints:
        return _pair_codes(left.exposure, right.exposure, width)

    name = f"{left.name}+{right.name}"
    return AttributeToTest(
        population,
        name,
        _ValuesOfPair(left, right),
        codes,
        share,
        source,
        is_newest_joint_value,
        exposure,
    )


class _ValuesOfPair(Sequence[str]):
    """The values of two attributes as one; most of them are never named."""

    def __init__(self, left: Attribute, right: Attribute) -> None:
        self._left, self._right = left, right

    def __len__(self) -> int:
        return len(self._left.values) * len(self._right.values)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """Return one value, or some."""
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        first, second = divmod(range(len(self))[index], len(self._right.values))
        return f"{self._left.values[first]} and {self._right.name}={self._right.values[second]}"


def _hours_by_pair(population: Population, left: Attribute, right: Attribute) -> Floats:
    """The host-hours of each value of two attributes as one."""
    sizes = len(left.values), len(right.values)
    given = left.exposure, right.exposure, population.exposure_hours, *sizes
    return population.computed_once(_hours_table, *given)


def _hours_table(left: Ints, right: Ints, hours: Floats, rows: int, columns: int) -> Floats:
    codes = _pair_codes(left, right, columns)
    has_value = codes >= 0
    return sum_by_code(codes[has_value], hours[has_value], rows * columns)


def _first_and_last_days(
    left: Ints, right: Ints, day: Ints, rows: int, columns: int
) -> tuple[Ints, Ints]:
    return first_and_last_days(_pair_codes(left, right, columns), day, rows * columns)


def _pair_codes(left: Ints, right: Ints, width: int) -> Ints:
    return np.where((left >= 0) & (right >= 0), widen_codes(left) * width + right, ABSENT)


def _does_each_condition_matter(
    population: Population,
    pair: tuple[Attribute, Attribute],
    values: tuple[int, int],
    mine: Ints,
    masks: tuple[Bools | None, Bools | None, Callable[[], Bools]],
) -> bool:
    """Whether each condition is over-represented among the crashes that meet the other one.

    `mine` are the rows of these crashes; `masks` are the crashes that versions of their programs
    are compared with, those of other signatures among them, and all crashes on the same days. Two
    outages of a rack that fell into the weeks of a kernel are few draws of the days on which the
    rack had it, however many crashes they brought.
    """
    same_programs, others, beside = masks
    table = _hours_by_pair(population, *pair).reshape(len(pair[0].values), len(pair[1].values))
    for here, there in ((0, 1), (1, 0)):
        inside = mine[pair[there].crash[mine] == values[there]]
        value = pair[here].crash[inside]
        a, n = int((value == values[here]).sum()), int((value >= 0).sum())
        effect = effect_of_bursts(population, pair[there], values[there], inside)
        hours = table[:, values[1]].copy() if here == 0 else table[values[0]]
        share = _conditional_shares(pair, here, values[there], hours, same_programs, beside)
        p = binomial_p(a / effect, n / effect, share[values[here]])
        if p > MAX_CONDITIONAL_P * 10:
            return False
        if n - a > max((1 - NEARLY_ALL) * n, 1.0):  # a rate that differs is no condition
            return False
        if _do_programs_run_where_value_is(pair[here], values[here], (a, n), others):
            return False
    return True


def _do_programs_run_where_value_is(
    attribute: Attribute, value: int, here: tuple[float, float], others: Bools | None
) -> bool:
    """Whether the other crashes of the same programs have a value as often: they run there."""
    if others is None:
        return False
    codes = attribute.crash[others & (attribute.crash >= 0)]
    if codes.size < MIN_OTHERS:
        return False
    share = (np.count_nonzero(codes == value) + 1) / (codes.size + 1)
    return binomial_p(*here, share) > MAX_CONDITIONAL_P * 10


def _conditional_shares(
    pair: tuple[Attribute, Attribute],
    here: int,
    given: int,
    hours: Floats,
    same_programs: Bools | None,
    beside: Callable[[], Bools],
) -> Floats:
    """Return the shares of one attribute's values where the other one has the value `given`.

    Without host-hours, all crashes that meet the other condition are the controls. Those of the
    whole fleet cannot be: a rack with a single model has it in every crash.
    """
    if hours.sum() > 0:
        return np.asarray(hours / hours.sum())
    mine, other = pair[here], pair[1 - here]
    controls = (other.crash == given) & (mine.crash >= 0)
    if same_programs is not None and mine.is_of_process:
        controls &= same_programs
        if other.name in PLACES:
            # While a place has trouble, what ran on those days is no condition: it ran elsewhere,
            # too.
            near = controls & beside()
            anywhere = beside() & same_programs & (mine.crash >= 0)
            controls = near if np.count_nonzero(near) >= MIN_OTHERS else anywhere
    inside = mine.crash[controls]
    counts = np.bincount(inside, minlength=hours.size)
    return np.asarray(counts / max(int(counts.sum()), 1))
